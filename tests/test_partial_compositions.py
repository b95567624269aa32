"""Partial values of composed texts, against the values of all texts that begin so."""

from __future__ import annotations

import json
import random
from functools import reduce
from typing import Any

import pytest
from marks import slow, thinned
from test_structural_tags import CITY_TAG, structural
from test_tags import CALLS, CONTENTS, WORDS, now, random_tags, weather
from vocabularies import texts_of

import guidance_kit as gk
from guidance_kit.grammars.common_prefix import common_prefix
from guidance_kit.grammars.tool_arguments import JsonArguments
from guidance_kit.grammars.tool_formats import TOOL_FORMATS


def is_beginning(part: Any, whole: Any) -> bool:
    """Test whether another value can come about from a value by writing on."""
    if part is None:
        return True
    if isinstance(part, str) and isinstance(whole, str):
        return whole.startswith(part)
    if isinstance(part, gk.Tagged) and isinstance(whole, gk.Tagged):
        return part.name == whole.name and is_beginning(part.value, whole.value)
    if isinstance(part, list | tuple) and type(part) is type(whole):
        return len(part) <= len(whole) and all(map(is_beginning, part, whole))
    if isinstance(part, dict) and isinstance(whole, dict):
        keys = list(whole)[: len(part)]
        return list(part) == keys and all(is_beginning(part[key], whole[key]) for key in keys)
    return type(part) is type(whole) and part == whole


def check_beginnings(constraint: gk.Constraint, texts: list[str], longest: int) -> tuple[int, int]:
    """All beginnings of up to some characters, against the values of all texts: how many there are, and how many say as
    much as can be said."""
    values = {text: constraint.partial_value_of(text, is_whole=True) for text in texts}
    beginnings = sorted({text[:k] for text in texts for k in range(longest + 1)})
    exact = 0
    for text in beginnings:
        shown = constraint.partial(text)
        several = [value for whole, value in values.items() if whole.startswith(text)]
        for value in several:
            assert is_beginning(shown, value), (text, shown, value)
        exact += shown == reduce(common_prefix, several)
    return len(beginnings), exact


@pytest.mark.parametrize(("seeds", "least"), [(range(8, 12), 80), *slow((range(12), 250))])
def test_random_tags(seeds, least):
    """Less is said of texts that can be cut in several ways, and of what has not been written yet."""
    count = exact = 0
    for seed in seeds:
        rng = random.Random(seed)
        members, triggers = random_tags(rng)
        minimum = rng.choice([0, 0, 1, 2])
        constraint = gk.tags(
            [gk.tag(opens, CONTENTS[content], closes) for opens, content, closes in members],
            triggers=triggers,
            minimum=minimum,
            maximum=rng.choice([None, None, max(1, minimum), minimum + 2]),
            free_text=rng.choice(["anywhere", "anywhere", "before", "after", "between"]),
        )
        texts = sorted(texts_of(constraint, WORDS[:1093]))
        for text in texts[::40]:
            assert constraint.partial_value_of(text, is_whole=True) == constraint.parse(text)
        found = check_beginnings(constraint, texts, 3)
        count, exact = count + found[0], exact + found[1]
    assert exact > least
    assert exact > 0.8 * count


VALUES = ["1", "12", "-1", "true", "null", '"a"', '"ab"', "[1]", '{"a":1}', "[]"]


def random_composition(rng: random.Random, depth: int) -> gk.Constraint:
    """JSON values, words of a and b and what is made of them."""
    kind = rng.choice(
        ["json", "words"] if depth == 0 else ["json", "words", "sequence", "choice", "optional", "repeat"]
    )
    if kind == "json":
        return gk.json_schema({"enum": [json.loads(one) for one in rng.sample(VALUES, 3)]}, whitespace="compact")
    if kind == "words":
        return gk.regex(rng.choice(["a", "b", "ab", "a?", "[ab]{1,2}", ""]))
    if kind == "sequence":
        return gk.sequence(*(random_composition(rng, depth - 1) for _ in range(rng.randint(1, 3))))
    if kind == "choice":
        return gk.choice([random_composition(rng, depth - 1) for _ in range(rng.randint(1, 3))])
    if kind == "optional":
        return gk.optional(random_composition(rng, depth - 1))
    minimum = rng.randint(0, 2)
    return gk.repeat(random_composition(rng, depth - 1), minimum, minimum + 1)


def test_random_compositions():
    count = exact = 0
    for seed in range(8):
        rng = random.Random(seed)
        constraint = random_composition(rng, 2)
        if not constraint.has_values:
            continue
        texts = constraint.sample(30, seed=seed)
        for text in texts:
            assert constraint.partial_value_of(text, is_whole=True) == constraint.parse(text)
        found = check_beginnings(constraint, texts, 6)
        count, exact = count + found[0], exact + found[1]
    assert exact > 30  # a part of which nothing has been written is not there, even if it is known
    assert count > exact


def check_growth(constraint: gk.Constraint, text: str) -> list[Any]:
    """The different values of the beginnings of a text; each continues the one before."""
    found: list[Any] = []
    for end in range(len(text) + 1):
        shown = constraint.partial(text[:end])
        assert not found or is_beginning(found[-1], shown), (text[:end], found[-1], shown)
        if not found or shown != found[-1]:
            found.append(shown)
    whole = constraint.partial(text, is_whole=True)
    assert is_beginning(found[-1], whole)
    return [*found, whole]


@pytest.mark.parametrize("style", thinned(CALLS, 4))
def test_arguments_of_calls_grow(style):
    text, pieces = CALLS[style]
    constraint = gk.tool_calls([weather, {"type": "function", "function": {"name": "now"}}], style)
    shown = check_growth(constraint, text)
    values = [piece.value for found in shown for piece in found if getattr(piece, "name", "") == "weather"]
    if "Oslo" in text:
        is_json = isinstance(TOOL_FORMATS[style].arguments, JsonArguments)
        assert values[0] == (None if is_json else {})
        assert {"city": "Os"} in values
        written = {"city": "Oslo", "days": 1} if "days" in text else {"city": "Oslo"}
        assert values[-1] == written  # defaults are filled in when the whole text is parsed
    assert [getattr(piece, "name", piece) for piece in shown[-1]] == [getattr(piece, "name", piece) for piece in pieces]
    for sampled in gk.tool_calls([weather, now], style).sample(1, seed=1):
        check_growth(constraint, sampled)


def test_structural_tags_grow():
    format_ = {"type": "triggered_tags", "triggers": ["<f="], "tags": [CITY_TAG], "stop_after_first": True}
    constraint = gk.structural_tag(structural(format_))
    shown = check_growth(constraint, 'a <f=city>{"city": "Ro"}</f>')
    assert shown == [
        [],
        ["a"],
        ["a "],
        ["a ", gk.Tagged("<f=city>", None)],
        ["a ", gk.Tagged("<f=city>", {})],
        ["a ", gk.Tagged("<f=city>", {"city": ""})],
        ["a ", gk.Tagged("<f=city>", {"city": "R"})],
        ["a ", gk.Tagged("<f=city>", {"city": "Ro"})],
        ["a ", gk.Tagged("<f=city>", {"city": "Ro"})],
    ]


def test_what_may_become_a_trigger_or_an_end_is_held_back():
    constraint = gk.tags([gk.tag("<t>", None, gk.choice(["</t>", "<!"])), gk.tag("<s>", gk.regex("a+"), "")])
    for text, value in (
        ("x<", ["x"]),
        ("x< ", ["x< "]),
        ("x<<s>", ["x<", gk.Tagged("<s>", "")]),
        ("<t>a</", [gk.Tagged("<t>", "a")]),
        ("<t>a</x", [gk.Tagged("<t>", "a</x")]),
        ("<t>a<!", [gk.Tagged("<t>", "a")]),
        ("<s>aa", [gk.Tagged("<s>", "a")]),  # the second one could be free text
    ):
        assert constraint.partial(text) == value


@pytest.mark.parametrize(
    ("constraint", "text", "value"),
    [
        (gk.sequence("a", gk.json_schema({"type": "integer"}), ";"), "a12", ("a",)),
        (gk.sequence("a", gk.json_schema({"type": "integer"}), ";"), "a12;", ("a", 12, ";")),
        (gk.sequence("a", gk.json_schema({"type": "null"}), ";"), "anull;", ("a", None, ";")),
        (gk.sequence(gk.regex("a*"), gk.regex("a"), gk.json_schema(True)), "aa", ("a",)),
        (gk.sequence(gk.regex("a*"), gk.regex("a"), gk.json_schema(True)), 'aa"', ("a", "a", "")),
        (gk.repeat(gk.json_schema({"type": "boolean"})), "truefal", [True]),
        (gk.repeat(gk.json_schema({"type": "integer"}), 2, 2), "12", []),
        (gk.choice(["nothing", gk.json_schema({"type": "string"})]), "noth", "noth"),
        (gk.choice(["nothing", gk.json_schema({"type": "string"})]), '"noth', "noth"),
        (gk.choice(['"no', gk.json_schema({"type": "string"})]), '"n', ""),
        (gk.optional(gk.json_schema({"type": "array"})), "", None),
        (gk.optional(gk.json_schema({"type": "array"})), "[1,2", [1]),
        (gk.sequence("a", gk.regex("b+")), "ab", "ab"),
    ],
)
def test_parts(constraint, text, value):
    assert constraint.partial(text) == value


def test_what_begins_no_text_is_refused():
    for constraint in (
        gk.sequence("a", gk.json_schema(True)),
        gk.repeat(gk.json_schema({"type": "boolean"})),
        gk.choice([gk.json_schema({"type": "boolean"}), "x"]),
    ):
        with pytest.raises(gk.MatchError):
            constraint.partial("?")


@pytest.mark.parametrize(
    ("one", "other", "value"),
    [
        ("abc", "abd", "ab"),
        (1, 1, 1),
        (1, True, None),
        ([1, "a", 2], [1, "b", 2], [1, ""]),
        ([1, 2], [1, 3], [1]),
        ((1, 2), [1, 2], None),
        ({"a": 1, "b": 2}, {"a": 1, "c": 2}, {"a": 1}),
        ({"a": 1}, {"a": 2}, {}),
        ({"a": None}, {"a": None, "b": 1}, {"a": None}),
        (gk.Tagged("a", [1]), gk.Tagged("a", [1, 2]), gk.Tagged("a", [1])),
        (gk.Tagged("a", 1), gk.Tagged("b", 1), None),
    ],
)
def test_what_values_have_in_common(one, other, value):
    assert common_prefix(one, other) == value
    assert common_prefix(other, one) == value
