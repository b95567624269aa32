"""Best of n, votes, minimum Bayes risk and scores of given texts, against their definitions."""

from __future__ import annotations

import itertools
import math

import pytest
import torch
from small_models import recomputed, small_llama

import guidance_kit as gk
from guidance_kit.decoding.best_of import BestOf, votes
from guidance_kit.decoding.mbr import MBR
from guidance_kit.decoding.utilities import ChrF, field_f1, sentence_bleu
from guidance_kit.errors import BatchError, OptionError

MODEL = gk.Model(small_llama())
CONSTRAINT = gk.regex("[a-c]{2,6}")
OPTIONS = {"seed": 4, "max_tokens": 12}


def samples(prompt: str, count: int, seed: int = 4) -> list[gk.Completion]:
    return MODEL.generate(prompt, CONSTRAINT, n=count, seed=seed, max_tokens=12)


@pytest.mark.parametrize("by", ["log_probability", "mean_log_probability"])
def test_the_best_sample_by_probability(by):
    found = MODEL.generate("the cat", CONSTRAINT, n=6, decoder=BestOf(6, by), **OPTIONS)
    drawn = samples("the cat", 6)
    scores = {}
    for one in drawn:
        ids = [token for token in one.tokens if token not in MODEL.vocabulary.eos]
        whole = MODEL.score(ids, "the cat", CONSTRAINT, end=True)
        scores[one.text] = whole.log_probability / (len(whole.tokens) if by != "log_probability" else 1)
    assert {one.text: pytest.approx(one.ranking.score, abs=1e-4) for one in found} == scores
    assert [one.ranking.score for one in found] == sorted(scores.values(), reverse=True) or found
    assert found[0].ranking.score == pytest.approx(max(scores.values()), abs=1e-4)
    assert found[0].ranking.score > min(scores.values())


def test_the_best_sample_by_a_reward():
    seen = []

    def longest(prompt, completions):
        seen.append((prompt, len(completions)))
        return [len(one.text) for one in completions]

    found = MODEL.generate(["the cat", "a"], CONSTRAINT, decoder=BestOf(5, longest), **OPTIONS)
    assert found[0].text in {one.text for one in samples("the cat", 5)}
    assert len(found[0].text) == max(len(one.text) for one in samples("the cat", 5))
    assert sorted(seen) == [("a", 5), ("the cat", 5)]


def test_a_reward_reads_values():
    """The constraint comes with the samples, so that a verifier needs no parser."""
    constraint = gk.json_schema({"enum": [{"a": 1}, {"a": 2}, {"a": 30}]})
    reward = BestOf(9, lambda prompt, completions: [one.value["a"] for one in completions])
    found = MODEL.generate("x", constraint, n=3, decoder=reward, **OPTIONS)
    values = [one.value["a"] for one in found]
    assert values == sorted(values, reverse=True)
    assert len(set(values)) > 1


def test_votes_go_field_by_field():
    values = [{"a": 1, "b": [2]}, {"a": 1, "b": [3]}, {"a": 9, "b": [2]}, {"a": 1}]
    scores, shares = votes(values)
    assert shares[0] == {"/a": 0.75, "/b/0": 0.5}
    assert scores == [0.625, 0.5, 0.375, 0.5]  # no /b/0 at all is a value too, of one sample in four
    assert votes(["x", "y", "x"])[0] == [2 / 3, 1 / 3, 2 / 3]


def test_the_majority_is_the_most_frequent_value():
    one = MODEL.generate("the cat", gk.choice(["yes", "no"]), decoder=BestOf(9, "majority"), **OPTIONS)
    drawn = [text.text for text in MODEL.generate("the cat", gk.choice(["yes", "no"]), n=9, **OPTIONS)]
    assert one.text == max(set(drawn), key=drawn.count)
    assert one.ranking.agreement == {"": drawn.count(one.text) / 9}


@pytest.mark.parametrize("utility", ["chrf", lambda one, other: -abs(len(one) - len(other))])
def test_minimum_bayes_risk_is_the_greatest_mean_utility(utility):
    found = MODEL.generate("the cat", CONSTRAINT, n=8, decoder=MBR(8, utility), **OPTIONS)
    drawn = [one.text for one in samples("the cat", 8)]
    of_pair = ChrF() if utility == "chrf" else utility
    wanted = {one: sum(of_pair(one, other) for other in drawn) / len(drawn) for one in drawn}
    assert found[0].ranking.score == pytest.approx(max(wanted.values()))
    assert found[0].text in [text for text, score in wanted.items() if score == pytest.approx(max(wanted.values()))]
    assert {one.text: pytest.approx(one.ranking.score) for one in found} == wanted
    assert max(wanted.values()) > min(wanted.values())


def test_a_textbook_case_of_unigram_f1():
    """The sums 1.6571, 1.5238, 0 and 1.4667 over the other candidates choose "the cat sat"."""
    candidates = ["the cat sat", "the cat sat down", "a dog ran", "the cat"]

    def f1(one, other):
        own, wanted = one.split(), other.split()
        return 2 * len(set(own) & set(wanted)) / (len(own) + len(wanted))

    sums = [sum(f1(one, other) for other in candidates if other != one) for one in candidates]
    assert [round(total, 4) for total in sums] == [1.6571, 1.5238, 0.0, 1.4667]
    scores = MBR(4, f1)._against(candidates, [0.25] * 4)
    assert max(candidates, key=scores) == "the cat sat"


def test_chrf_is_that_of_sacrebleu_and_its_aggregate_of_one_reference_is_the_pair():
    sacrebleu = pytest.importorskip("sacrebleu")
    texts = ["the cat sat", "the cat sat down", "a dog", "", "the  cat", "Ünï cödé"]
    for one, other in itertools.product(texts, repeat=2):
        pair = ChrF()(one, other)
        assert pair == pytest.approx(sacrebleu.sentence_chrf(one, [other]).score, abs=1e-9)
        assert ChrF().aggregated([other], [1.0])(one) == pytest.approx(pair)
    assert sentence_bleu("the cat sat", "the cat sat") == pytest.approx(100)


def test_the_aggregate_ranks_what_is_nearest_to_the_references_first():
    references = ["the cat sat", "the cat sat down", "a dog ran", "the cat"]
    against = ChrF().aggregated(references, [0.25] * 4)
    assert max(references, key=against) != "a dog ran" == min(references, key=against)
    one = MODEL.generate("the cat", CONSTRAINT, decoder=MBR(8, ChrF(), aggregate=True), **OPTIONS)
    assert one.text in {text.text for text in samples("the cat", 8)}


def test_values_are_compared_as_values():
    assert field_f1({"a": 1, "b": {"c": 2}}, {"b": {"c": 2}, "a": 1}) == 1
    assert field_f1({"a": 1, "b": 2}, {"a": 1}) == pytest.approx(2 / 3)
    constraint = gk.json_schema({"enum": [{"a": 1}, {"a": 2}, 7]})
    found = MODEL.generate("x", constraint, decoder=MBR(8, "field_f1", over="values"), **OPTIONS)
    assert found.value in [{"a": 1}, {"a": 2}, 7]


def test_a_failing_callable_is_named_and_leaves_the_other_prompts():
    def picky(prompt, completions):
        if prompt == "a":
            raise KeyError("no such prompt")
        return [0.0] * len(completions)

    with pytest.raises(BatchError) as caught:
        MODEL.generate(["the cat", "a"], CONSTRAINT, decoder=BestOf(3, picky), **OPTIONS)
    assert "by failed on prompt 1: KeyError" in str(caught.value.errors[1])
    assert caught.value.results[0] is not None
    for reward, message in [
        (lambda prompt, completions: [0.0], "by returned 1 numbers for 3 texts of prompt 0"),
        (lambda prompt, completions: [0.0, math.nan, 1], "by returned nan for text 1 of prompt 0"),
    ]:
        with pytest.raises(OptionError, match=message):
            MODEL.generate("x", CONSTRAINT, decoder=BestOf(3, reward), **OPTIONS)
    with pytest.raises(OptionError, match="utility returned nan"):
        MODEL.generate("x", CONSTRAINT, decoder=MBR(3, lambda one, other: math.nan), **OPTIONS)


def test_settings_out_of_range_are_refused():
    for make, message in [
        (lambda: BestOf(0), "n must be an integer"),
        (lambda: BestOf(3, "majorty"), "did you mean 'majority'"),
        (lambda: MBR(3, "chrff"), "did you mean 'chrf'"),
        (lambda: MBR(3, over="value"), "did you mean 'values'"),
        (lambda: MBR(3, field_f1, aggregate=True), "aggregate needs a utility with a method"),
    ]:
        with pytest.raises(OptionError, match=message):
            make()
    with pytest.raises(OptionError, match="decoder='mbr' draws texts, so it needs a temperature above 0"):
        MODEL.generate("x", decoder="mbr", temperature=0)


# Scores of given texts


def test_scores_are_the_log_probabilities_of_the_model():
    language_model = MODEL.language_model
    prompt, tokens = language_model.encode("the cat"), language_model.spell(" sat on it")
    score = MODEL.score(" sat on it", "the cat")
    greedy = MODEL.generate("the cat", max_tokens=6, temperature=0)
    logs = recomputed(language_model, [[*prompt, *tokens[:-1]]], len(tokens))[0].double()
    padding = [row for row in range(MODEL.vocabulary.rows) if row >= len(MODEL.vocabulary)]
    logs[:, padding] = -torch.inf
    wanted = logs.log_softmax(-1)[range(len(tokens)), tokens].tolist()
    assert score.logprobs == pytest.approx(wanted, abs=2e-3)
    assert score.perplexity == pytest.approx(math.exp(-sum(wanted) / len(wanted)), rel=1e-2)
    assert score.is_greedy == tuple((logs.argmax(-1) == torch.tensor(tokens)).tolist())
    assert all(MODEL.score(list(greedy.tokens), "the cat").is_greedy)
    assert MODEL.perplexity([" sat on it", " sat on it"], "the cat") == pytest.approx(score.perplexity)


def test_scores_under_a_constraint_are_those_of_the_records():
    constraint, text = gk.regex("[a-z]{2,5}"), MODEL.generate("x", gk.regex("[a-z]{2,5}"), logprobs=0, **OPTIONS)
    score = MODEL.score(list(text.tokens), "x", constraint)
    assert score.guided_log_probability == pytest.approx(sum(one.guided_logprob for one in text.logprobs), abs=1e-4)
    assert max(score.log_kept) < 0
    assert all(score.is_allowed)
    wrong = MODEL.score("a9b", "x", constraint)
    assert not all(wrong.is_allowed)
    assert wrong.guided_log_probability == -math.inf
    assert math.isfinite(wrong.log_probability)


def test_a_batch_of_scores_is_that_of_each_text():
    texts, prompts = ["ab", "abcabc", "a"], ["x", "the cat sat", "yes"]
    for text, prompt, score in zip(texts, prompts, MODEL.score(texts, prompts, CONSTRAINT, batch_size=2), strict=True):
        alone = MODEL.score(text, prompt, CONSTRAINT)
        assert score.logprobs == pytest.approx(alone.logprobs, abs=1e-4)
        assert score.is_allowed == alone.is_allowed
    with pytest.raises(OptionError, match="2 prompts for 3 texts"):
        MODEL.score(texts, prompts[:2])


def test_texts_of_any_lengths_are_scored_under_a_formula_that_says_nothing_within_a_prompt():
    steered = MODEL + 0.5 * (MODEL.given("say ") - MODEL)
    texts = ["a", "abcabc", "ab"]
    for text, score in zip(texts, steered.score(texts, "the cat", CONSTRAINT, end=True), strict=True):
        alone = steered.score(text, "the cat", CONSTRAINT, end=True)
        assert score.logprobs == pytest.approx(alone.logprobs, abs=1e-4)
        assert score.log_kept == pytest.approx(alone.log_kept, abs=1e-4)
    found = steered.generate("the cat", CONSTRAINT, n=4, decoder=BestOf(4), **OPTIONS)
    assert len({len(one.tokens) for one in found}) > 1
    assert found[0].ranking.score == max(one.ranking.score for one in found)


def test_a_text_too_long_for_another_prompt_is_scored_alone():
    prompts = ["a", [5] * 1000]
    texts = [[7] * 30, [7, 8]]
    for text, prompt, score in zip(texts, prompts, MODEL.score(texts, prompts), strict=True):
        assert score.logprobs == pytest.approx(MODEL.score(text, prompt).logprobs, abs=1e-4)
