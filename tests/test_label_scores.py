"""Probabilities of labels against brute force: every label by itself, every text that the model could write."""

from __future__ import annotations

import random

import numpy as np
import pytest
import torch
from marks import slow
from small_models import byte_tokenizer, random_model, random_weights, recomputed
from steered_models import BASE, anti, base, expert, other, random_formula
from toy_models import AB, ABC, EOS, SPECIAL, A, B, speakable

from guidance_kit.decoding.label_scores import score_labels
from guidance_kit.decoding.label_trie import LabelTrie
from guidance_kit.decoding.tabular import TabularModel
from guidance_kit.errors import BatchError, ContextLengthError, FormulaError, ModelError, VocabularyError
from guidance_kit.models import TransformersModel
from guidance_kit.steering.ensemble import Ensemble
from guidance_kit.steering.formula import Formula
from guidance_kit.steering.schedules import along_the_text, decay


def random_labels(rng: random.Random) -> list[tuple[int, ...]]:
    """One to eight labels of one to four tokens; many begin alike, or like a whole other label."""
    found: dict[tuple[int, ...], None] = {}
    for _ in range(rng.randint(1, 8)):
        stem = rng.choice([(), *found])[: rng.randint(0, 3)]
        found[(*stem, *rng.choices([A, B, AB], k=rng.randint(1, 4 - len(stem))))] = None
    return rng.sample(list(found), len(found))


def following(distribution, prompt, tokens) -> np.ndarray:
    """Probabilities of the next token, from a question of its own: (rows,)."""
    logits = distribution.logits([[*prompt, *tokens]], 1, starts=[len(prompt)])[0, 0].double().numpy()
    weights = np.exp(logits - logits.max()) * speakable(ABC)
    return weights / weights.sum() if weights.any() else weights  # a formula may leave nothing


def brute_force(distribution, prompt, labels, end: str) -> np.ndarray:
    """Probabilities of labels, from those of all texts of a few tokens."""
    longest = max(map(len, labels)) + (end == "eos")
    sums = dict.fromkeys(labels, 0.0)
    texts = BASE.sequences(prompt, longest, lambda tokens: following(distribution, prompt, tokens))
    for text, probability in texts.items():
        if end == "eos":
            if text[-1] == EOS and text[:-1] in sums:
                sums[text[:-1]] += probability
        else:
            begun = [label for label in labels if text[: len(label)] == label]
            if begun:
                sums[max(begun, key=len)] += probability
    return np.array([sums[label] for label in labels])


@pytest.mark.parametrize("end", ["any", "eos"])
@pytest.mark.parametrize("seed", [*range(3), *slow(*range(3, 40))])
def test_tabular_models_equal_brute_force(seed, end):
    rng = random.Random(seed)
    labels = random_labels(rng)
    prompts = [rng.choices([SPECIAL, A, B, AB], k=rng.randint(1, 4)) for _ in range(3)]
    found = score_labels(BASE, ABC, prompts, LabelTrie(labels), end=end, batch_size=rng.randint(1, 9))
    for prompt, scores in zip(prompts, found, strict=True):
        np.testing.assert_allclose(np.exp(scores), brute_force(BASE, prompt, labels, end), rtol=0, atol=1e-12)
        assert np.exp(scores).sum() <= 1 + 1e-12


@pytest.mark.parametrize("end", ["any", "eos"])
@pytest.mark.parametrize("seed", [0, *slow(*range(1, 15))])
def test_formulas_equal_brute_force(seed, end):
    rng = random.Random(seed)
    formula = random_formula(rng, 2)[0] + 0.5 * decay(2.0) * (expert - anti)
    formula += along_the_text(lambda length: float(length % 2)) * other.given(lambda prompt: [B, A])
    labels = random_labels(rng)
    prompts = [[A], [B, AB, A]]
    found = score_labels(Ensemble(formula), ABC, prompts, LabelTrie(labels), end=end)
    expected = [brute_force(Ensemble(formula), prompt, labels, end) for prompt in prompts]
    np.testing.assert_allclose(np.exp(found), expected, rtol=0, atol=1e-10)


def test_a_label_has_what_longer_ones_leave_over():
    labels = [(A,), (A, B), (A, B, A, A), (AB,)]
    whole = score_labels(BASE, ABC, [[B]], LabelTrie(labels))[0]
    begins = {
        label: np.prod([following(BASE, [B], label[:place])[token] for place, token in enumerate(label)])
        for label in labels
    }
    left = [begins[labels[0]] - begins[labels[1]], begins[labels[1]] - begins[labels[2]]]
    np.testing.assert_allclose(np.exp(whole), [*left, begins[labels[2]], begins[labels[3]]], atol=1e-14)


LABELS = ["yes", "yes, but", "yes, of course", "no", "not at all", "n", "perhaps", "\n"]


@pytest.mark.parametrize("end", ["any", "eos"])
@pytest.mark.parametrize("name", ["Llama", *slow("Mamba", "GPT-2", "Mistral", "Phi 3, LongRoPE")])
def test_transformers_equal_separate_full_passes(name, end):
    model = random_model(name)
    model.clear()
    encoded = [model.encode(label, with_special_tokens=False) for label in LABELS]
    prompts = [model.encode(text) for text in ("Is it late? ", "Is it so? Tell me: ")]
    found = np.exp(score_labels(model, model.vocabulary, prompts, LabelTrie(encoded), end=end))
    for prompt, scores in zip(prompts, found, strict=True):
        begins = {label: separate_passes(model, prompt, tokens) for label, tokens in zip(LABELS, encoded, strict=True)}
        for label, score in zip(LABELS, scores, strict=True):
            longer = [one for one in LABELS if one.startswith(label) and one != label]
            nearest = [one for one in longer if not any(one.startswith(less) and one != less for less in longer)]
            expected = begins[label][0] - sum(begins[one][0] for one in nearest)
            assert score == pytest.approx(begins[label][1] if end == "eos" else expected, rel=1e-4, abs=1e-9)


def separate_passes(model: TransformersModel, prompt: list[int], label: list[int]) -> tuple[float, float]:
    """The probabilities of a label, and of a label with the end of the sequence, each from a pass without a cache."""
    whole = [*prompt, *label]
    logits = recomputed(model, [whole], len(label) + 1)[0].double()
    logits[:, [259]] = -torch.inf  # padding
    chances = logits.softmax(-1)
    begins = float(torch.stack([chances[place, token] for place, token in enumerate(label)]).prod())
    return begins, begins * float(chances[-1, list(model.vocabulary.eos)].sum())


@pytest.mark.parametrize("name", ["Llama", *slow("RWKV", "Mistral")])
def test_batches_equal_singles(name):
    model = random_model(name)
    trie = LabelTrie([model.encode(label, with_special_tokens=False) for label in LABELS])
    prompts = [model.encode("Is it late? " * count + "So: ") for count in (1, 5, 2, 1)]
    whole = score_labels(model, model.vocabulary, prompts, trie, batch_size=100)
    for size in (1, 2, 7):
        np.testing.assert_allclose(score_labels(model, model.vocabulary, prompts, trie, batch_size=size), whole, 1e-4)
    singles = [score_labels(model, model.vocabulary, [prompt], trie)[0] for prompt in prompts]
    np.testing.assert_allclose(singles, whole, 1e-4)


class Watched(TabularModel):
    """Keeps the questions: numbers of prefixes and positions. It has memory for so many prefixes."""

    def __init__(self, most: int = 1000, error: Exception | None = None) -> None:
        super().__init__(ABC, BASE.table)
        self.most, self.error = most, error
        self.asked: list[tuple[int, int]] = []

    def logits(self, prefixes, positions=1, **where):
        self.asked.append((len(prefixes), positions))
        if len(prefixes) > self.most and self.error is not None:
            raise self.error
        return super().logits(prefixes, positions, **where)


def test_questions_are_few():
    prompts = [[A], [B], [AB, A]]
    model = Watched()
    score_labels(model, ABC, prompts, LabelTrie([(A,), (B,), (AB,)]))
    assert model.asked == [(3, 1)]
    model.asked.clear()
    score_labels(model, ABC, prompts, LabelTrie([(A, A), (A, B), (A, AB), (B, A, A, B), (B, A, A, A), (AB,)]))
    assert model.asked == [(3, 1), (3, 1), (3, 3)]  # prompts; after A; after B, B A, B A A
    model.asked.clear()
    score_labels(model, ABC, prompts, LabelTrie([(A, A), (B, A), (AB, A)]), batch_size=2)
    assert model.asked == [(1, 1), (2, 1), (1, 1)] * 3


@pytest.mark.parametrize("error", [torch.OutOfMemoryError("CUDA out of memory"), MemoryError()])
def test_out_of_memory_tries_fewer_and_says_so(error):
    labels = LabelTrie([(A, A), (B, A), (AB, A)])
    prompts = [[token] for token in (A, B, AB, SPECIAL)]
    with pytest.warns(RuntimeWarning, match="out of memory with 12 texts at once; going on with 6"):
        found = score_labels(Watched(6, error), ABC, prompts, labels)
    np.testing.assert_array_equal(found, score_labels(BASE, ABC, prompts, labels))
    with pytest.warns(RuntimeWarning), pytest.raises(ModelError, match="out of memory, even with one text at a time"):
        score_labels(Watched(0, error), ABC, prompts[:1], labels)


def test_no_room_for_the_longest_label():
    model = TabularModel(ABC, BASE.table, context_length=4)
    trie = LabelTrie([(A,), (B, A, B)])
    assert score_labels(model, ABC, [[A]], trie).shape == (1, 2)
    with pytest.raises(ContextLengthError, match="5 tokens do not fit the model's context of 4") as caught:
        score_labels(model, ABC, [[A], [A, B]], trie)
    assert caught.value.__notes__ == ["prompt 1 has 2 tokens, and the longest label takes 3"]
    with pytest.raises(ContextLengthError):
        score_labels(model, ABC, [[A]], trie, end="eos")
    llama = TransformersModel(random_weights("Llama"), byte_tokenizer())
    with pytest.raises(ContextLengthError, match="160"):
        score_labels(llama, llama.vocabulary, [[5] * 158], trie)


def test_bad_prompts_and_models():
    trie = LabelTrie([(A,), (B, A), (B, B)])
    with pytest.raises(ModelError, match="prompt 1 is empty"):
        score_labels(BASE, ABC, [[A], []], trie)
    with pytest.raises(VocabularyError, match="prompt 0"):
        score_labels(BASE, ABC, [[99]], trie)
    for value in (np.nan, np.inf):
        table = BASE.table.copy()
        table[A, B] = value
        with pytest.raises(ModelError, match="NaN or infinite logits after prompt 0 and 1 tokens of a label"):
            score_labels(TabularModel(ABC, table), ABC, [[A]], trie)
    table = BASE.table.copy()
    table[A, B] = np.nan
    broken = base + 0.5 * Formula.of(TabularModel(ABC, table, name="broken"))
    with pytest.raises(FormulaError, match="broken") as caught:
        score_labels(Ensemble(broken), ABC, [[A]], trie)
    assert caught.value.__notes__ == ["after prompt 0, and 1 tokens of a label"]


class Unsound(TabularModel):
    """A model that gives NaN, or runs out of memory, after some prompts."""

    def __init__(self, bad: dict[int, str], table=BASE.table, name: str = "unsound") -> None:
        super().__init__(ABC, table, name=name)
        self.bad = bad

    def logits(self, prefixes, positions=1, **where):
        kinds = [self.bad.get(prefix[0]) for prefix in prefixes]
        if "memory" in kinds:
            raise MemoryError
        found = super().logits(prefixes, positions, **where).clone()
        for row, kind in enumerate(kinds):
            if kind == "nan":
                found[row] = torch.nan
        return found


@pytest.mark.filterwarnings("ignore:out of memory")
@pytest.mark.parametrize("size", [1, 2, 7, 100])
@pytest.mark.parametrize("kind", ["nan", "memory"])
@pytest.mark.parametrize("is_formula", [False, True])
def test_one_bad_prompt_does_not_cost_the_others(size, kind, is_formula):
    trie = LabelTrie([(A,), (B, A), (B, B)])
    prompts = [[A], [B], [SPECIAL, A], [AB], [B, A], [SPECIAL], [A]]
    formula = base + 0.5 * Formula.of(TabularModel(ABC, expert.source.table, name="expert"))
    sound = Ensemble(formula) if is_formula else BASE
    unsound = Unsound({SPECIAL: kind}, expert.source.table if is_formula else BASE.table)
    model = Ensemble(base + 0.5 * Formula.of(unsound)) if is_formula else unsound
    whole = score_labels(sound, ABC, prompts, trie)
    with pytest.raises(BatchError, match="2 of 7 failed") as caught:
        score_labels(model, ABC, prompts, trie, batch_size=size)
    expected = FormulaError if is_formula and kind == "nan" else ModelError
    assert {number: type(error) for number, error in caught.value.errors.items()} == {2: expected, 5: expected}
    notes = [" ".join([str(error), *getattr(error, "__notes__", ())]) for error in caught.value.errors.values()]
    told = ("after prompt 2", "after prompt 5") if kind == "nan" else ["out of memory, even with one text"] * 2
    assert all(words in note for words, note in zip(told, notes, strict=True))
    for row, scores in enumerate(caught.value.results):
        assert (scores is None) == (row in (2, 5))
        if scores is not None:
            np.testing.assert_allclose(scores, whole[row], rtol=1e-12)
    with pytest.raises(expected):
        score_labels(model, ABC, [[SPECIAL]], trie, batch_size=size)
