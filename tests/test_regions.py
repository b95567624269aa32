"""Regions of a sequence: budgets and sampling settings of their own, against the law of texts by enumeration."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Hashable
from typing import Any, cast

import numpy as np
import pytest
from statistics_of_samples import chi_square
from vocabularies import letter_vocabulary

import guidance_kit as gk
from guidance_kit.decoding.tabular import TabularModel

LOGITS = np.random.default_rng(3).normal(size=(7, 6))
LOGITS[:, 5] = -3.0


def small() -> gk.Model:
    """Tabular model of order 1 over letters."""
    model = TabularModel(letter_vocabulary(), LOGITS, name="letters")
    return gk.Model(cast(Any, model))


def law(before: int, allowed: list[int], temperature: float) -> dict[int, float]:
    """Probabilities of allowed tokens after a token."""
    weights = np.exp(LOGITS[before, allowed] / temperature)
    return dict(zip(allowed, weights / weights.sum(), strict=True))


def exact(first: float, second: float) -> dict[Hashable, float]:
    """Law of at most three tokens that end with the first b, at one temperature, and then x or y at another."""
    found: dict[Hashable, float] = {}

    def region(tokens: tuple[int, ...], before: int, mass: float) -> None:
        if tokens and tokens[-1] in (1, 4):
            for token, share in law(before, [2, 3], second).items():
                found[*tokens, token] = mass * share
            return
        allowed = [0, 1, 2, 3, 4] if len(tokens) < 2 else [1, 4]
        for token, share in law(before, allowed, first).items():
            region((*tokens, token), token, mass * share)

    region((), 0, 1.0)
    return found


def test_texts_have_the_law_of_their_regions() -> None:
    constraint = gk.sequence(gk.text(until="b", max_tokens=3, temperature=2.0), gk.choice(["x", "y"]))
    samples = small().generate([0], constraint, n=600, seed=5, temperature=0.5)
    drawn = [one.tokens for one in samples]
    statistic, most = chi_square(drawn, exact(2.0, 0.5))
    assert statistic <= most
    statistic, most = chi_square(drawn, exact(0.5, 2.0))
    assert statistic > most, "the test would not see the settings of the other part"


CONSTRAINTS = [
    gk.sequence("a", gk.text(max_tokens=4, temperature=3.0), "y", gk.choice(["x", "ab"])),
    gk.sequence(gk.region(gk.regex("[ab]+"), max_tokens=3, temperature=0), gk.text(until="x", temperature=1.5), "y"),
    gk.sequence(
        gk.sequence("b", gk.region(gk.regex("(?:ab)*"), max_tokens=2)), gk.region(gk.regex("x*"), max_tokens=5)
    ),
    gk.text(max_tokens=3, top_k=2),
]


@pytest.mark.parametrize("constraint", CONSTRAINTS)
def test_texts_belong_to_the_constraint(constraint: gk.Constraint) -> None:
    model = small()
    for one in model.generate([0], constraint, n=12, seed=1, max_tokens=30, logprobs=0):
        if one.finish_reason != "length":
            constraint.parse(one.text)
        assert b"".join(letter_vocabulary().token_bytes[token] for token in one.tokens).decode() == one.text
        assert one.logprobs is not None
        assert [record.token for record in one.logprobs] == list(one.tokens)
        again = model.generate([0], constraint, seed=one.seed, max_tokens=30)
        stream = model.stream([0], constraint, seed=one.seed, max_tokens=30)
        assert "".join(stream) == again.text == one.text
        assert stream.completion.tokens == again.tokens == one.tokens
        assert stream.completion.finish_reason == one.finish_reason


def test_a_budget_ends_a_free_text() -> None:
    constraint = gk.sequence("a", gk.text(max_tokens=4, temperature=3.0), "y")
    found = small().generate([0], constraint, n=60, seed=2)
    assert {len(one.tokens) for one in found} == {2, 3, 4, 5}
    assert all(re.fullmatch("a[abx]*y", one.text) for one in found)
    assert {one.finish_reason for one in found} == {"complete", "budget"}


def test_units_are_those_of_calls_one_after_the_other() -> None:
    model = small()
    constraint = gk.sequence(gk.region(gk.regex("[ab]{3}"), temperature=0), "x", gk.regex("[xy]{2}"))
    found = model.generate([0], constraint, temperature=0)
    first = model.generate([0], gk.sequence(gk.regex("[ab]{3}"), "x"), temperature=0)
    second = model.generate([0, *first.tokens], gk.regex("[xy]{2}"), temperature=0)
    assert found.tokens == first.tokens + second.tokens
    assert found.text == first.text + second.text


def test_prompts_with_different_constraints_are_as_alone() -> None:
    model = small()
    prompts = [[0], [1], [2], [3]]
    together = model.generate(prompts, CONSTRAINTS, seed=9, max_tokens=20)
    for prompt, constraint, one in zip(prompts, CONSTRAINTS, together, strict=True):
        assert model.generate(prompt, constraint, seed=one.seed, max_tokens=20).tokens == one.tokens
        assert one.prompt_tokens == 1
        assert one.constraint == constraint


def test_values_are_those_of_the_parts() -> None:
    constraint = gk.sequence(gk.text(until="b", max_tokens=2), gk.region(gk.choice(["x", "y"]), temperature=0))
    assert constraint.parse("abx") == constraint.parse("abx")
    record = gk.sequence("n: ", gk.region(gk.json_schema({"type": "integer"}), temperature=0), ";")
    assert record.parse("n: 12;") == ("n: ", 12, ";")
    assert record.partial("n: 12;") == ("n: ", 12, ";")


REGION = gk.sequence(gk.text(until="b", max_tokens=3), "x")

REFUSED: list[tuple[Any, dict[str, Any], str]] = [
    (gk.choice([gk.text(until="b", max_tokens=3), gk.regex("x")]), {}, r"part of a sequence, not of choice\(\)"),
    (gk.repeat(gk.text(until="b", max_tokens=3), 1, 2), {}, r"part of a sequence, not of repeat\(\)"),
    (gk.sequence(gk.text(max_tokens=3), gk.regex("x")), {}, "nothing ends the free text"),
    (gk.sequence(gk.text(until="b", temperature=-1), "x"), {}, "temperature must be"),
    (REGION, {"decoder": "beam"}, "decoder=Beam does not"),
    (REGION, {"draft": "lookup"}, "draft holds for a text as a whole"),
    (REGION, {"watermark": gk.Watermark(b"0" * 32, "green")}, "watermark holds for a text as a whole"),
    (REGION, {"stop": "y"}, "stop holds"),
    (REGION, {"min_tokens": 2}, "min_tokens holds"),
    (REGION, {"think": 5}, "without think and sketch"),
    (REGION, {"sketch": 5}, "without think and sketch"),
]


@pytest.mark.parametrize(("constraint", "options", "message"), REFUSED)
def test_what_regions_cannot_do_is_refused_by_name(
    constraint: gk.Constraint, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(gk.OptionError, match=message):
        small().generate([0], constraint, **options)


WRONG: list[tuple[Any, str]] = [
    (lambda: gk.text(until="b", max_tokens=0), "max_tokens must be at least 1"),
    (lambda: gk.text(until="b", **cast(Any, {"temprature": 1})), "temperature"),
    (lambda: gk.region(gk.text(max_tokens=2)), "has regions itself"),
    (lambda: gk.region(cast(Any, 7)), "must be a str or a constraint"),
]


@pytest.mark.parametrize(("make", "message"), WRONG)
def test_wrong_regions(make: Any, message: str) -> None:
    with pytest.raises(gk.OptionError, match=message):
        make()


def test_concurrent_calls_refuse_regions() -> None:
    with pytest.raises(gk.OptionError, match="generated by generate and stream"):
        asyncio.run(small().agenerate([0], REGION))


def test_a_budget_that_is_too_small_is_refused() -> None:
    with pytest.raises(gk.BudgetError):
        small().generate([0], gk.sequence(gk.region(gk.regex("x{5}"), max_tokens=3), "y"))
