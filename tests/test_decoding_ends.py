"""How texts end: by themselves, at a stop string, for lack of room."""

from __future__ import annotations

import numpy as np
import pytest
from loop_runs import GREEDY, MODEL, complete, run
from networks import repeated, words_of
from toy_models import AB, ABC, EOS, SPECIAL, A, B, Counting

from guidance_kit.decoding.tabular import TabularModel
from guidance_kit.errors import ContextLengthError


def chain(*tokens: int) -> TabularModel:
    """A model that is nearly sure of `tokens`, whatever comes before the n-th place, after a prompt of one token."""

    class Chain(TabularModel):
        def row(self, prefix):
            logits = np.zeros(ABC.rows)
            logits[tokens[min(len(prefix) - 1, len(tokens) - 1)]] = 50
            return logits

    return Chain(ABC, np.zeros((ABC.rows + 1, ABC.rows)))


ENDS = [
    # tokens of the model, options, text, tokens, reason
    ((A, B, EOS), {}, "ab", (A, B, EOS), "complete"),
    ((EOS,), {}, "", (EOS,), "complete"),
    ((A, B, A, B), {"max_tokens": 3}, "aba", (A, B, A), "length"),
    ((A, B, EOS), {"max_tokens": 2}, "ab", (A, B), "length"),  # the end was not taken
    ((A, B, EOS), {"max_tokens": 3}, "ab", (A, B, EOS), "complete"),
    ((A, AB, B, A), {"stop": ("abb",)}, "a", (A, AB, B), "stop"),
    ((A, AB, B, A), {"stop": ("ba",), "max_tokens": 4}, "aab", (A, AB, B, A), "stop"),
    ((AB, AB, AB), {"stop": ("ba",)}, "a", (AB, AB), "stop"),  # in the middle of a token
    ((A, A, A, B), {"stop": ("aab",)}, "a", (A, A, A, B), "stop"),
    ((A, B, EOS), {"stop": ("abc",)}, "ab", (A, B, EOS), "complete"),  # only its beginning
    ((A, B), {"stop": ("b",), "max_tokens": 2}, "a", (A, B), "stop"),  # both at once: the stop string was there
    ((A, SPECIAL, B, EOS), {"stop": ("ab",)}, "", (A, SPECIAL, B), "stop"),  # special tokens add no text
]


@pytest.mark.parametrize(("tokens", "options", "text", "generated", "reason"), ENDS)
def test_ends(tokens, options, text, generated, reason):
    for stream in ({}, {"logprobs": 1}):
        (completion,), (pieces,) = run(chain(*tokens), [[A]], sampling=GREEDY, **options, **stream)
        assert (completion.text, completion.tokens, completion.finish_reason) == (text, generated, reason)
        assert completion.prompt_tokens == 1
        if "stop" in options and reason == "stop":
            assert not any(stop in "".join(pieces) for stop in options["stop"])


CONSTRAINED_ENDS = [
    # texts of the constraint, options, text, tokens, reason, questions asked
    ([b"b"], {}, "b", (B,), "complete", 0),  # nothing to ask: one token, then the end
    ([b"b"], {"max_tokens": 1}, "b", (B,), "complete", 0),
    ([b"bbb"], {"max_tokens": 2}, "bb", (B, B), "length", 0),
    ([b"bbb"], {"stop": ("bb",)}, "", (B, B), "stop", 0),
    ([b"a", b"b"], {}, "b", (B,), "complete", 1),
    ([b"ab", b"bb"], {}, "bb", (B, B), "complete", 1),
    ([b"b", b"bb"], {}, "bb", (B, B), "complete", 1),  # "b" may end; after "bb" nothing else can come
    ([b""], {}, "", (), "complete", 0),
]


@pytest.mark.parametrize(("texts", "options", "text", "generated", "reason", "questions"), CONSTRAINED_ENDS)
def test_constrained_ends(texts, options, text, generated, reason, questions):
    counting = Counting(chain(B, B, B, B, EOS))
    (completion,), _ = run(counting, [[A]], network=words_of(texts), sampling=GREEDY, **options)
    assert (completion.text, completion.tokens, completion.finish_reason) == (text, generated, reason)
    assert len(counting.batches) == questions


def test_an_end_that_is_chosen_is_a_token():
    (completion,), _ = run(chain(B, EOS), [[A]], network=words_of([b"b", b"bb"]), sampling=GREEDY)
    assert (completion.text, completion.tokens, completion.finish_reason) == ("b", (B, EOS), "complete")


def test_the_context_ends_a_text():
    model = TabularModel(ABC, MODEL.table, context_length=5)
    (completion,) = complete(model, [[A, B]], network=repeated(b"ab", 9), max_tokens=None)
    assert completion.finish_reason == "length"
    assert len(completion.tokens) == 3
    assert complete(model, [[A]], network=repeated(b"b", 9), max_tokens=None)[0].tokens == (B,) * 4
    for length in (5, 6):
        with pytest.raises(ContextLengthError) as caught:
            complete(model, [[A], [A] * length])
        assert caught.value.context_length == 5
