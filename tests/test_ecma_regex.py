"""Patterns of ECMA-262 in `gk.regex`."""

from __future__ import annotations

import pickle

import pytest
from membership import matches

import guidance_kit as gk

TEXTS = [
    (r"(?<year>\d{4})-(?<month>\d\d)", ["2026-11"], ["2026-1", "\u0662026-11"]),
    (r"\u{1F600}+\u0041", ["\U0001f600A"], ["A"]),
    (r"[^\s\u{2028}]\cJ", ["a\n"], ["\u2028\n", "a"]),
    (r"\p{Lu}[\w-]*$", ["A-b"], ["a", "A\n"]),
]


@pytest.mark.parametrize(("pattern", "accepted", "rejected"), TEXTS)
def test_texts(pattern, accepted, rejected):
    constraint = gk.regex(pattern, dialect="ecma")
    for again in (constraint, pickle.loads(pickle.dumps(constraint))):
        assert again == constraint
        assert all(matches(again, text) for text in accepted)
        assert not any(matches(again, text) for text in rejected)


def test_refusals():
    with pytest.raises(gk.OptionError, match="dialect"):
        gk.regex("a", dialect="perl")  # pyright: ignore[reportArgumentType]
    with pytest.raises(gk.OptionError, match="takes no flags"):
        gk.regex("a", 2, dialect="ecma")
    with pytest.raises(gk.PatternError):
        gk.regex(r"\u{110000}", dialect="ecma")
    with pytest.raises(gk.UnsatisfiableError, match="no text matches the pattern"):
        gk.regex("a(?!b)b", dialect="ecma")
    with pytest.raises(gk.GuidanceKitError, match="captures"):
        gk.regex("(?<n>a)", dialect="ecma").captures("a")
