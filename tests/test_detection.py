"""Detection of watermarks: exact p-values, the constraint replayed, parts found; with controls that must fail."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
import torch
from marks import slow, thinned
from small_models import small_llama
from toy_models import ABC

import guidance_kit as gk
from guidance_kit.analysis.detection import _Test
from guidance_kit.analysis.null_laws import gamma_tail, lattice_tail
from guidance_kit.analysis.remaining_choice import RemainingChoice
from guidance_kit.analysis.token_scores import MOST_WEIGHT, expected_gain, null_law, tokens_needed, unit_scores
from guidance_kit.decoding.watermark import Watermark
from guidance_kit.errors import MatchError, OptionError, UndecidableError, VocabularyError

KEY = b"0123456789abcdef"
OPTIONS = {
    "green": {"kind": "green"},
    "green, self": {"kind": "green", "hashing": "self", "width": 3},
    "gumbel": {"kind": "gumbel"},
    "tournament": {"kind": "tournament", "layers": 5},
}
RECORD = gk.regex(
    r"\{\"identifier\": \"[a-z]{4}\", \"description\": \"[a-z ]{5}\"\}(, \{\"identifier\": \"[a-z]{4}\"\}){30}"
)


def bytes_of(number: int) -> bytes:
    return np.random.Generator(np.random.PCG64(number)).bytes(16)


def plain(length: int) -> RemainingChoice:
    return RemainingChoice((False,) * length, (1,) * length, is_plain=True)


def convolved(law, counts: dict[int, int]) -> list[Fraction]:
    """The slow twin: exact law of a weighted sum, by rational arithmetic."""
    total = [Fraction(1)]
    for weight, number in counts.items():
        for _ in range(number):
            longer = [Fraction(0)] * (len(total) + weight * (len(law) - 1))
            for (place, p), (score, q) in itertools.product(enumerate(total), enumerate(law)):
                longer[place + weight * score] += p * Fraction(float(q))
            total = longer
    return total


class TestTails:
    @pytest.mark.parametrize("counts", [{1: 12}, {1: 3, 2: 4, 8: 2}, {5: 1}])
    @pytest.mark.parametrize("law", [[0.75, 0.25], [0.1, 0.0, 0.5, 0.4]], ids=["coin", "four"])
    def test_of_a_weighted_sum(self, law, counts):
        exact = convolved(law, counts)
        for total in range(len(exact) + 1):
            assert lattice_tail(np.array(law), counts, total) == pytest.approx(float(sum(exact[total:])), rel=1e-9)

    def test_of_long_texts_far_out(self):
        """Binomial tails down to 1e-200."""
        for count, share in ((400, 0.25), (1500, 0.5)):
            law = np.array([1 - share, share])
            for hits in (count // 4, count // 2, 3 * count // 4, count):
                exact = sum(
                    Fraction(math.comb(count, k)) * Fraction(share) ** k * Fraction(1 - share) ** (count - k)
                    for k in range(hits, count + 1)
                )
                assert lattice_tail(law, {1: count}, hits) == pytest.approx(float(exact), rel=1e-8)

    def test_of_exponentials(self):
        """By the integral, on a fine grid; and the tail of one number."""
        for count, total in ((1, 3.0), (5, 2.0), (40, 80.0)):
            x = np.linspace(total, total + 200, 2_000_001)
            density = np.exp((count - 1) * np.log(x) - x - math.lgamma(count))
            assert gamma_tail(count, total) == pytest.approx(float(np.trapezoid(density, x)), rel=1e-6)
        assert gamma_tail(3, 0.0) == 1


@pytest.mark.parametrize("name", ["green, self", "gumbel", *slow("green", "tournament")])
class TestNullLaw:
    def test_scores_have_their_law(self, name):
        """200,000 words; each score within 5 standard deviations."""
        watermark = Watermark(KEY, **OPTIONS[name])
        words = np.random.Generator(np.random.PCG64(5)).integers(0, 2**64, 200_000, dtype=np.uint64)
        law = null_law(watermark)
        assert law.sum() == pytest.approx(1, abs=1e-12)
        shares = np.bincount(unit_scores(watermark, words), minlength=len(law)) / len(words)
        assert np.all(np.abs(shares - law) < 5 * np.sqrt(law * (1 - law) / len(words)) + 1e-9)

    def test_p_values_of_texts_that_do_not_know_the_key(self, name):
        """Discrete ones: at most a share a of them is a or less; Gumbel's: uniform, by Kolmogorov and Smirnov.

        Texts of few words with many repetitions, each with a key of its own; 5 standard deviations.
        """
        watermark, found = Watermark(KEY, **OPTIONS[name]), []
        generator = np.random.Generator(np.random.PCG64(6))
        for number in range(600):
            tokens = np.tile(generator.integers(0, 3, 20), 2).tolist()
            test = _Test.of(watermark, bytes_of(number), tokens, plain(40))
            found.append(test.p_value(0, len(test.places)))
        p_values = np.sort(found)
        for a in (0.001, 0.01, 0.1, 0.3, 0.6):
            assert (p_values <= a).mean() <= a + 5 * (a * (1 - a) / 600) ** 0.5
        if name == "gumbel":
            assert np.abs(p_values - (np.arange(600) + 0.5) / 600).max() < 2.5 / 600**0.5

    def test_repeated_contexts_counted_twice_are_no_test(self, name):
        """Negative control: the same texts, each token counted however often it occurs."""
        watermark, wrong = Watermark(KEY, **OPTIONS[name]), 0
        generator = np.random.Generator(np.random.PCG64(6))
        for number in range(150):
            tokens = np.tile(generator.integers(0, 3, 8), 8).tolist()
            width = watermark.width
            contexts = [tokens[place - width : place] for place in range(width, 64)]
            words, _ = watermark.words_of(bytes_of(number), contexts, tokens[width:])
            scores = unit_scores(watermark, words)
            wrong += lattice_tail(null_law(watermark), {1: len(scores)}, int(scores.sum())) <= 1e-3
        assert wrong > 150 * 0.02

    def test_weights_depend_on_the_choice_alone(self, name):
        """No gain from a token that is certain, more from more choice; near the gain that draws show."""
        watermark = Watermark(KEY, **OPTIONS[name])
        certain = torch.zeros(1, 10, dtype=torch.float64).index_fill(1, torch.tensor([3]), 1.0)
        even = [torch.full((1, size), 1 / size, dtype=torch.float64) for size in (2, 5, 20, 200)]
        gains = [float(expected_gain(watermark, p)) for p in [certain, *even]]
        assert gains[0] == pytest.approx(0, abs=1e-9)
        assert gains == sorted(gains)


class TestDetection:
    @pytest.mark.parametrize("name", thinned(OPTIONS, 2))
    def test_a_marked_text_is_found_and_others_are_not(self, name):
        model = gk.Model(small_llama())
        watermark = Watermark([bytes_of(1), bytes_of(2)], **OPTIONS[name])
        other = Watermark(bytes_of(3), **OPTIONS[name])
        text = model.generate("the cat", max_tokens=80, min_tokens=79, seed=5, watermark=watermark)
        plain_text = model.generate("the cat", max_tokens=80, min_tokens=79, seed=5)
        for source in (model, model.vocabulary):
            found = gk.detect(text, watermark, source)
            assert found.p_value < 1e-6
            assert found.is_marked
            assert found.key == text.seed % 2
            assert len(found.tokens) == len(text.tokens)
            statuses = Counter(one.status for one in found.tokens)
            assert statuses["context"] == text.marks.short
            assert gk.detect(text, other, source).p_value > 1e-3
            assert gk.detect(plain_text, watermark, source).p_value > 1e-3

    def test_weights_by_a_model_are_from_0_to_the_greatest(self):
        model = gk.Model(small_llama())
        text = model.generate("the cat", max_tokens=60, seed=5, watermark=Watermark(KEY))
        found = gk.detect(text, Watermark(KEY), model, prompt="the cat", top_k=3)
        assert {one.weight for one in found.tokens} <= set(range(MOST_WEIGHT + 1))
        assert len({one.weight for one in found.tokens}) > 3

    @pytest.mark.parametrize("name", ["green", *slow("gumbel", "tournament")])
    def test_forced_tokens_carry_no_weight(self, name):
        """A record whose free tokens are few: with the constraint replayed the evidence is that of the free ones.

        Control: without the constraint, its fixed text dilutes the evidence.
        """
        model = gk.Model(small_llama())
        watermark = Watermark(KEY, **OPTIONS[name] | {"width": 2})
        text = model.generate("a", RECORD, max_tokens=600, seed=2, watermark=watermark)
        replayed = gk.detect(text, watermark, model.vocabulary, constraint=RECORD)
        naive = gk.detect(text, watermark, model.vocabulary)
        forced = sum(one.status == "forced" for one in replayed.tokens)
        assert forced > len(text.tokens) / 2
        assert replayed.p_value < naive.p_value / 10
        assert sum(one.weight for one in replayed.tokens if one.status == "forced") == 0

    def test_a_marked_part_is_found(self):
        model = gk.Model(small_llama())
        watermark = Watermark(KEY)
        marked = model.generate("the cat", max_tokens=40, min_tokens=40, seed=5, watermark=watermark).tokens
        around = [model.generate("a dog", max_tokens=300, min_tokens=300, seed=seed).tokens for seed in (6, 7)]
        tokens = [*around[0], *marked, *around[1]]
        found = gk.detect(tokens, watermark, model.vocabulary)
        assert found.part is not None
        assert found.part.p_value < min(1e-6, found.p_value / 1000)
        overlap = set(range(found.part.start, found.part.stop)) & set(range(len(around[0]), len(around[0]) + 40))
        assert len(overlap) > 20
        assert found.is_marked

    def test_a_text_that_is_too_short_is_undecidable(self):
        watermark = Watermark(KEY, "green")
        with pytest.raises(UndecidableError, match=r"undecidable: 3 of 10 tokens can be scored.*needs about") as caught:
            gk.detect(list(range(2, 5)) * 3 + [2], Watermark(KEY, "green", width=4, green_share=0.5), ABC)
        assert caught.value.needed > caught.value.scored
        assert tokens_needed(watermark, 1e-5) > tokens_needed(watermark, 1e-2)
        with pytest.raises(UndecidableError):
            gk.detect([], watermark, ABC)

    def test_what_does_not_fit_is_named(self):
        model, watermark = gk.Model(small_llama()), Watermark(KEY)
        text = model.generate("the cat", gk.regex("[a-z]{60}"), max_tokens=80, seed=5)
        for arguments, options, error, message in (
            ((text, watermark, ABC), {}, VocabularyError, "of another tokenizer"),
            ((text, watermark.bound_to(ABC), model), {}, VocabularyError, "the watermark is for another tokenizer"),
            ((text, watermark, model), {"constraint": gk.regex("[0-9]+")}, MatchError, "does not allow token 0"),
            (("the cat", watermark, model.vocabulary), {}, OptionError, "a vocabulary cannot read a str"),
            ((text, "key", model), {}, OptionError, "not for str"),
            ((text, watermark, "model"), {}, OptionError, "not by str"),
            ((text, watermark, model.vocabulary), {"prompt": "a"}, OptionError, "weights by a model"),
            ((text, watermark, model), {"significance": 0}, OptionError, "significance"),
            ((text, watermark, model), {"top_q": 1}, TypeError, "top_q"),
            (([1, "b"], watermark, model), {}, OptionError, "token ids"),
            (([10**6] * 50, watermark, model), {}, VocabularyError, "token 1000000"),
            (([5] * 2000, watermark, model), {}, gk.ContextLengthError, "2000"),
        ):
            with pytest.raises(error, match=message):
                gk.detect(*arguments, **options)
