"""What a completion is worth: its value, and when it has none."""

from __future__ import annotations

import copy
import pickle
from typing import Annotated

import pytest
from pydantic import AfterValidator

from guidance_kit.decoding.completion import Completion
from guidance_kit.errors import IncompleteError, MatchError
from guidance_kit.grammars.json_schema import json_schema
from guidance_kit.grammars.regex import regex

JSON = json_schema({})


def completion(text: str, reason: str = "complete", constraint=JSON) -> Completion:
    return Completion(
        text=text,
        tokens=(1, 2, 3),
        finish_reason=reason,  # type: ignore[arg-type]
        prompt_tokens=4,
        seed=5,
        constraint=constraint,
    )


def test_the_value_is_what_the_text_stands_for():
    assert completion('{"a": [1, 2]}').value == {"a": [1, 2]}
    assert completion("[1", constraint=None).value == "[1"
    assert str(completion("[1]")) == "[1]"


@pytest.mark.parametrize("text", ['{"a": [1,', "12"])  # the second looks whole, but was it 1,234?
@pytest.mark.parametrize(("reason", "hint"), [("length", "raise max_tokens"), ("stop", "stop string")])
def test_what_was_cut_short_has_no_value(text, reason, hint):
    with pytest.raises(IncompleteError, match=hint) as caught:
        _ = completion(text, reason).value
    assert (caught.value.text, caught.value.finish_reason, caught.value.tokens) == (text, reason, 3)
    assert completion(text, reason, constraint=None).value == text


def test_conditions_of_the_type_are_passed_on():
    def refuse(value: int) -> int:
        raise ValueError("start after end")

    with pytest.raises(MatchError, match="start after end"):
        _ = completion("1", constraint=json_schema(Annotated[int, AfterValidator(refuse)])).value


def test_it_is_a_value():
    one = completion("1")
    assert one == completion("1", constraint=None)
    assert completion("1", constraint=regex("[0-9]")).value == "1"
    for again in (pickle.loads(pickle.dumps(one)), copy.deepcopy(one), copy.copy(one)):
        assert again == one
        assert again.value == 1
    with pytest.raises(AttributeError):
        one.text = "2"  # type: ignore[misc]
