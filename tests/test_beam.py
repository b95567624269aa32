"""Beam search against exhaustive search over a tabular model, and beside transformers' own."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from loop_runs import MODEL
from marks import slow, thinned
from ranked_texts import all_texts, best_of_all, matcher_of, ranked
from small_models import small_llama
from statistics_of_samples import chi_square
from toy_models import ABC, A, B, Counting

import guidance_kit as gk
from guidance_kit.decoding.beam import Beam
from guidance_kit.decoding.extensions import Extensions
from guidance_kit.decoding.kept_places import continued, in_kept_places
from guidance_kit.decoding.options import Options
from guidance_kit.decoding.padding_rows import padding_rows
from guidance_kit.decoding.ranked_texts import descending
from guidance_kit.decoding.row import Row
from guidance_kit.decoding.sample_among_beams import SampleAmongBeams
from guidance_kit.decoding.sampling import Sampling
from guidance_kit.decoding.tabular import TabularModel
from guidance_kit.errors import BatchError, ConstraintError, OptionError

PROMPTS = [[A], [B, A]]
PATTERNS = [None, "(a|b){2,4}", "ab|abb|b|bbbbb", "a*b?"]
FULL = 4096
"""More than there are prefixes of 5 tokens under the patterns, and without one of those that matter."""


def found(completions) -> list[tuple[str, float]]:
    return [(one.text, one.ranking.score) for one in completions]


def same(seen: list[tuple[str, float]], wanted: list[tuple[str, float]]) -> bool:
    return [text for text, _ in seen] == [text for text, _ in wanted] and np.allclose(
        [score for _, score in seen], [score for _, score in wanted], atol=1e-5
    )


@pytest.mark.parametrize("penalty", [1.0, *slow(0.0, -0.5)])
@pytest.mark.parametrize("pattern", thinned(PATTERNS, 2))
def test_a_full_beam_is_exhaustive_search(pattern, penalty):
    for prompt, completions in zip(
        PROMPTS, ranked(Beam(FULL, length_penalty=penalty), pattern, PROMPTS, 6), strict=True
    ):
        scores = all_texts(pattern, prompt, 5)
        wanted = best_of_all({tokens: score / len(tokens) ** penalty for tokens, score in scores.items()})[:6]
        assert same(found(completions), wanted)
        assert all(one.ranking.is_proven for one in completions)
        for one in completions:
            assert one.ranking.log_probability == pytest.approx(scores[one.tokens], abs=1e-5)
    wrong = best_of_all({tokens: score / len(tokens) ** (penalty + 2) for tokens, score in scores.items()})[:6]
    assert not same(found(completions), wanted=wrong)


@pytest.mark.parametrize("width", [1, *slow(2), 3, *slow(6)])
@pytest.mark.parametrize("pattern", PATTERNS)
def test_texts_that_are_proven_are_the_best_of_all(pattern, width):
    """A narrow beam may miss a text; then it does not say that it has proven the ones below it."""
    for prompt, completions in zip(PROMPTS, ranked(Beam(width), pattern, PROMPTS, width), strict=True):
        wanted = best_of_all(all_texts(pattern, prompt, 5))
        proven = [one for one in completions if one.ranking.is_proven]
        assert same(found(proven), wanted[: len(proven)])


def test_a_narrow_beam_misses_the_best_text_of_some_model_and_says_so():
    """The negative control: without pruning nothing could be missed."""
    missed = 0
    for seed in range(6):
        model = TabularModel.random(ABC, order=2, seed=seed, scale=3)
        ((best,),) = ranked(Beam(FULL), "(a|b){2,4}", [[A]], 1, model=model)
        ((narrow,),) = ranked(Beam(1), "(a|b){2,4}", [[A]], 1, model=model)
        assert best.ranking.is_proven
        assert narrow.ranking.score <= best.ranking.score + 1e-5
        if narrow.text != best.text:
            missed += 1
            assert not narrow.ranking.is_proven
    assert missed


def test_local_scores_are_those_of_the_steps_of_sampling():
    (completions,) = ranked(Beam(FULL, local=True), "ab|abb|b|bbbbb", [[A]], 4, max_tokens=7)
    assert len(completions) == 4
    for one in completions:
        prefix, score, matcher = [A], 0.0, matcher_of("ab|abb|b|bbbbb")
        for token in one.tokens:
            weights = MODEL.probabilities(prefix)
            score += math.log(weights[token] / sum(weights[other] for other in matcher.allowed_tokens()))
            matcher.advance(token)
            prefix.append(token)
        assert one.ranking.score == pytest.approx(score, abs=1e-5)


def test_a_beam_of_one_is_greedy_and_temperature_divides_scores():
    model = gk.Model(small_llama())
    greedy = model.generate("the cat", temperature=0, max_tokens=8)
    one = model.generate("the cat", decoder=Beam(1), temperature=0, max_tokens=8)
    assert one.tokens == greedy.tokens
    warm = model.generate("the cat", decoder=Beam(1), temperature=5.0, max_tokens=8)
    assert warm.tokens == greedy.tokens
    assert warm.ranking.score != pytest.approx(one.ranking.score, abs=1e-2)


@pytest.mark.parametrize("penalty", [0.0, 1.0])
def test_beams_are_those_of_transformers_where_no_text_ends(penalty):
    """With the end of the sequence suppressed, both search all texts of 6 tokens with the same scores."""
    language_model = small_llama()
    model = gk.Model(language_model)
    never = [*model.vocabulary.eos, *padding_rows(model.vocabulary).tolist()]
    prompt = language_model.encode("the cat")
    theirs = language_model.model.generate(
        torch.tensor([prompt]), attention_mask=torch.ones(1, len(prompt), dtype=torch.long), num_beams=4,
        num_return_sequences=4, do_sample=False, max_new_tokens=6, length_penalty=penalty, suppress_tokens=never,
        pad_token_id=0, output_scores=True, renormalize_logits=True, return_dict_in_generate=True,
    )  # fmt: skip
    no_end = gk.LogitBias(dict.fromkeys(model.vocabulary.eos, -math.inf))
    ours = model.generate(prompt, n=4, decoder=Beam(4, length_penalty=penalty), max_tokens=6, guides=no_end)
    assert [one.tokens for one in ours] == [tuple(row[len(prompt) :]) for row in theirs.sequences.tolist()]
    assert np.allclose([one.ranking.score for one in ours], theirs.sequences_scores.tolist(), atol=1e-4)


def test_groups_avoid_the_tokens_of_earlier_groups():
    """By hand, with the penalty so large that the second group never repeats a token of the first at its step."""
    (plain,) = ranked(Beam(1), "(a|b){4}", [[A]], 1)
    (pair,) = ranked(Beam(2, groups=2, diversity=1000.0), "(a|b){4}", [[A]], 2)
    assert plain[0].text in [one.text for one in pair]
    other = next(one for one in pair if one.text != plain[0].text)
    assert other.tokens[0] != plain[0].tokens[0]
    (without,) = ranked(Beam(2, groups=2, diversity=0.0), "(a|b){4}", [[A]], 2)
    assert [one.text for one in without] == [plain[0].text]  # equal groups find equal texts, listed once


def test_the_penalty_of_groups_is_no_part_of_the_score():
    scores = all_texts("(a|b){2,4}", [A], 5)
    for one in ranked(Beam(6, groups=3, diversity=2.0), "(a|b){2,4}", [[A]], 6)[0]:
        assert one.ranking.log_probability == pytest.approx(scores[one.tokens], abs=1e-5)


def test_early_stops_sooner():
    exact, early = Counting(MODEL), Counting(MODEL)
    ranked(Beam(2), "(a|b)*", [[A]], 2, model=exact, max_tokens=40)
    ranked(Beam(2, early=True), "(a|b)*", [[A]], 2, model=early, max_tokens=40)
    assert len(early.batches) <= len(exact.batches) < 40
    assert max(exact.batches) <= 2


def test_a_batch_gives_what_its_prompts_give_alone():
    together = ranked(Beam(3), "(a|b){2,4}", PROMPTS, 3)
    for prompt, completions in zip(PROMPTS, together, strict=True):
        (alone,) = ranked(Beam(3), "(a|b){2,4}", [prompt], 3)
        assert [(one.tokens, one.ranking) for one in alone] == [(one.tokens, one.ranking) for one in completions]


def test_cut_texts_come_only_where_none_ended():
    (completions,) = ranked(Beam(2), "(ab){9}", [[A]], 2, max_tokens=3)
    assert {one.finish_reason for one in completions} == {"length"}
    assert not any(one.ranking.is_proven for one in completions)
    (completions,) = ranked(Beam(9), "(a|b)*", [[A]], 4, max_tokens=3)
    assert {one.finish_reason for one in completions} == {"complete"}


def test_fewer_texts_than_asked_for_where_there_are_fewer():
    model = gk.Model(small_llama())
    names = gk.choice(["ann", "bob", "cy"])
    assert sorted(one.value for one in model.generate("x", names, n=5, decoder=Beam(5))) == ["ann", "bob", "cy"]
    both = model.generate(["x", "y"], [names, gk.choice(["di"])], n=5, decoder=Beam(5))
    assert [len(texts) for texts in both] == [3, 1]


def test_one_failing_prompt_leaves_the_others():
    model = gk.Model(small_llama())
    top = model.generate("x", temperature=0, max_tokens=1).text
    with pytest.raises(BatchError) as caught:
        model.generate(["x", "x"], [gk.choice([top]), gk.choice(["\x01"])], n=2, decoder=Beam(2), top_k=1, max_tokens=2)
    assert 1 in caught.value.errors
    assert isinstance(caught.value.errors[1], ConstraintError)
    assert caught.value.results[1] == [None, None]


def test_ties_go_to_the_lowest_token_in_whatever_order_they_are_found():
    scores = torch.zeros(1, 9, dtype=torch.float64)
    for noise in (0.0, 1e-7):
        noisy = scores + noise * torch.tensor([-1.0, 1, -1, 1, 1, -1, 1, -1, 1])
        chosen = Extensions(noisy, (0,), 3).best([0], np.zeros(1), 2, penalties={})
        assert [token for _, token, _, is_end in chosen.extensions if not is_end] == [1, 2]
    assert descending(np.array([1.0, 2.0, 2.0 + 1e-7, 3.0])).tolist() == [3, 1, 2, 0]


WRONG = [
    ({"width": 0}, "width must be an integer, at least 1"),
    ({"groups": 3}, "groups must divide width"),
    ({"groups": 5}, "groups must be an integer, at least 1 and at most 4"),
    ({"diversity": -1.0}, "diversity must be a number, at least 0"),
    ({"length_penalty": math.nan}, "length_penalty must be a finite number"),
    ({"early": 1}, "early must be True or False"),
]


@pytest.mark.parametrize(("settings", "message"), WRONG)
def test_settings_out_of_range_are_refused(settings, message):
    with pytest.raises(OptionError, match=message):
        Beam(**settings)


def test_options_that_a_search_would_ignore_are_refused():
    with pytest.raises(OptionError, match="logprobs and decoder='beam' exclude each other"):
        Options(decoder=Beam(), logprobs=1)
    with pytest.raises(OptionError, match="n=5 texts of a prompt, and decoder='beam' ranks 4"):
        ranked(Beam(4), None, [[A]], 5)
    with pytest.raises(OptionError, match="decoder='beam' has no pieces"):
        gk.Model(small_llama()).stream("x", decoder="beam")
    assert Options(decoder=Beam(), sampling=Sampling(temperature=0)).decoder == Beam()


# Samples among beams


def test_a_text_is_drawn_among_the_beams_by_its_probability():
    """The law of the first two texts of 500 prompts that are equal but for their seeds; see `chi_square`.

    A beam of 3 holds all texts of the pattern, one of 1 does not: its law is another one, which the model's rejects.
    """
    pattern = "a|b|bb"
    scores = dict(best_of_all(all_texts(pattern, [A], 5)))
    total = sum(math.exp(score) for score in scores.values())
    law = {text: math.exp(score) / total for text, score in scores.items()}
    pairs = {(one, other): law[one] * law[other] / (1 - law[one]) for one in law for other in law if one != other}
    drawn = ranked(SampleAmongBeams(3), pattern, [[A]] * 500, 2, sampling=Sampling(seed=2))
    statistic, limit = chi_square([(first.text, second.text) for first, second in drawn], pairs)
    assert statistic < limit
    assert drawn[0][0].ranking.score == pytest.approx(math.log(law[drawn[0][0].text]), abs=1e-4)
    assert drawn[0][0].ranking.log_probability == pytest.approx(scores[drawn[0][0].text], abs=1e-4)
    narrow = ranked(SampleAmongBeams(1), pattern, [[A]] * 500, 1, sampling=Sampling(seed=2))
    statistic, limit = chi_square([one.text for (one,) in narrow], law)
    assert statistic > limit


def test_samples_among_beams_do_not_depend_on_the_batch_and_refuse_what_they_ignore():
    together = ranked(SampleAmongBeams(3), "(a|b){2,4}", PROMPTS, 2, sampling=Sampling(seed=5))
    for prompt, texts in zip(PROMPTS, together, strict=True):
        (alone,) = ranked(SampleAmongBeams(3), "(a|b){2,4}", [prompt], 2, sampling=Sampling(seed=texts[0].seed))
        assert found_texts(alone) == found_texts(texts)
    with pytest.raises(OptionError, match="width must be an integer"):
        SampleAmongBeams(0)
    with pytest.raises(OptionError, match="needs a temperature above 0"):
        Options(decoder=SampleAmongBeams(), sampling=Sampling(temperature=0))
    with pytest.raises(OptionError, match="logprobs and decoder='sampleamongbeams' exclude"):
        Options(decoder=SampleAmongBeams(), logprobs=1)


def found_texts(completions) -> list[str]:
    return [one.text for one in completions]


def test_rows_of_a_search_keep_their_places_and_are_forked_where_they_branch():
    rows = [Row(place, 0, [A], seed=0, room=None) for place in range(3, 7)]  # indices 3 to 6
    parents = [rows[2], rows[0], rows[0], rows[2]]
    order = in_kept_places(parents, 3)
    assert order == [1, 2, 0, 3]  # the first of row 3 at place 0, that of row 5 at place 2, the others in between
    assert in_kept_places([rows[3], rows[3]], 3) == [0, 1]  # place 3 is gone
    found = continued([parents[number] for number in order])
    assert [row is parent for row, parent in zip(found, [rows[0], rows[0], rows[2], rows[2]], strict=True)] == [
        True, False, True, False
    ]  # fmt: skip
    assert [row.index for row in found] == [3, 3, 5, 5]
