"""Many prompts, some at a time: the same texts, whatever the size; fewer at once where memory runs out."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import torch
from networks import repeated, words_of
from toy_models import ABC, A, B, Counting, matcher_of

from guidance_kit.decoding.asap import Asap
from guidance_kit.decoding.batching import generate_in_batches
from guidance_kit.decoding.importance import Importance
from guidance_kit.decoding.options import Options
from guidance_kit.decoding.sampling import Sampling
from guidance_kit.decoding.tabular import TabularModel
from guidance_kit.errors import BatchError, ConstraintError, ContextLengthError, FormulaError, ModelError
from guidance_kit.guides.constraint import ConstraintGuide
from guidance_kit.guides.logit_bias import LogitBias
from guidance_kit.steering.ensemble import Ensemble
from guidance_kit.steering.formula import Formula

MODEL = TabularModel.random(ABC, order=1, seed=3)
PROMPTS = [[A], [B], [A, B], [B, B, A]] * 5
OPTIONS = Options(sampling=Sampling(seed=2), max_tokens=6)


def run(distribution, size, prompts=PROMPTS, options=OPTIONS, **more):
    found = dict(generate_in_batches(distribution, ABC, prompts, batch_size=size, options=options, **more))
    return [found[row] for row in range(len(prompts))]


def constraints():
    """One a prompt, alternating."""
    return ConstraintGuide([matcher_of(repeated(b"a", 2, 3)), matcher_of(repeated(b"b", 2, 3))] * 10)


@pytest.mark.parametrize("size", [1, 3, 7, 20, 1000])
def test_the_size_does_not_change_the_texts(size):
    counting = Counting(MODEL)
    assert run(counting, size) == run(MODEL, 4)
    assert max(counting.batches) == min(size, 20)
    assert run(MODEL, size, constraint=constraints()) == run(MODEL, 4, constraint=constraints())
    shared = ConstraintGuide(matcher_of(words_of([b"ab", b"ba"])))
    assert {c.text for c in run(MODEL, size, constraint=shared)} == {"ab", "ba"}


class Cramped(Counting):
    """A distribution with memory for so many rows."""

    def __init__(self, inner, most, error):
        super().__init__(inner)
        self.most, self.error = most, error

    def logits(self, prefixes, positions=1, **where):
        # The prompts of the first step fit; memory runs out as the texts grow.
        if len(prefixes) > self.most and len(prefixes[0]) > 3:
            raise self.error
        return super().logits(prefixes, positions)


ERRORS = [
    MemoryError(),
    torch.OutOfMemoryError("CUDA out of memory"),
    RuntimeError("[enforce fail at alloc_cpu.cpp:121] DefaultCPUAllocator: can't allocate memory"),
]


@pytest.mark.filterwarnings("ignore:out of memory")
@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("most", [1, 3, 8])
def test_out_of_memory_tries_fewer_and_says_so(error, most):
    model = Cramped(MODEL, most, error)
    with pytest.warns(RuntimeWarning, match="out of memory with 20 texts at once; going on with 10"):
        assert run(model, 1000) == run(MODEL, 4)


def test_what_does_not_fit_at_all_is_an_error():
    for error in ERRORS:
        with warnings.catch_warnings(), pytest.raises(ModelError, match="out of memory, even with one text") as caught:
            warnings.simplefilter("ignore")
            run(Cramped(MODEL, 0, error), 8, prompts=PROMPTS[:1])
        assert (str(error) or "MemoryError") in str(caught.value)
        assert caught.value.__cause__ is not None


@pytest.mark.filterwarnings("ignore:out of memory")
@pytest.mark.parametrize("size", [1, 4, 100])
def test_a_prompt_that_does_not_fit_does_not_cost_the_others(size):
    class Large(TabularModel):
        """A model with too little memory for texts that begin with two letters b."""

        def logits(self, prefixes, positions=1, **where):
            if any(tuple(prefix[:2]) == (B, B) for prefix in prefixes):
                raise MemoryError
            return super().logits(prefixes, positions, **where)

    prompts = [[A], [B], [B, B], [A], [B, A], [B, B, A]]
    constraint = ConstraintGuide(matcher_of(words_of([b"ab", b"aab"])))
    errors, results = isolated(Large(ABC, MODEL.table), prompts, size, constraint=constraint)
    assert {number: str(error)[:33] for number, error in errors.items()} == dict.fromkeys(
        (2, 5), "out of memory, even with one text"
    )
    alone = run(MODEL, 1, prompts=prompts, constraint=constraint)
    assert [one or alone[row] for row, one in enumerate(results)] == alone


def test_other_errors_are_not_swallowed():
    model = Cramped(MODEL, 1, RuntimeError("mat1 and mat2 shapes cannot be multiplied"))
    with pytest.raises(RuntimeError, match="shapes"):
        run(model, 8)


def test_all_prompts_are_checked_first():
    counting = Counting(TabularModel(ABC, MODEL.table, context_length=3))
    with pytest.raises(ModelError, match="prompt 2 is empty"):
        run(counting, 1, prompts=[[A], [B], []])
    with pytest.raises(ContextLengthError) as caught:
        run(counting, 1, prompts=[[A], [B], [A, A, A, A]])
    assert caught.value.__notes__ == ["at prompt 2 it reads 4 tokens, and one more must fit"]
    assert counting.batches == []


def test_errors_name_the_prompt_by_its_place_among_all():
    class Broken(TabularModel):
        def row(self, prefix):
            return MODEL.row(prefix) * (float("nan") if prefix[0] == B else 1)

    with pytest.raises(BatchError) as caught:
        run(Broken(ABC, MODEL.table), 1)
    assert list(caught.value.errors) == [row for row, prompt in enumerate(PROMPTS) if prompt[0] == B]
    assert all(f"prompt {number}," in str(error) for number, error in caught.value.errors.items())


def isolated(distribution, prompts, size: int, **more) -> tuple[dict, list]:
    """Errors and results of a batch."""
    with pytest.raises(BatchError) as caught:
        run(distribution, size, prompts=prompts, **more)
    return caught.value.errors, caught.value.results


class Unsound(TabularModel):
    """A model that gives NaN after some prompts."""

    def row(self, prefix):
        return super().row(prefix) * (float("nan") if tuple(prefix[:2]) in {(B, B), (A, B)} else 1)


DIVIDED = Ensemble(
    Formula.of(MODEL) - 0.5 * Formula.of(TabularModel(ABC, np.where(np.arange(7) == B, -np.inf, MODEL.table)))
)
"""After a `b` without a constraint it divides by 0."""


@pytest.mark.parametrize("size", [1, 3, 7, 100])
def test_one_bad_prompt_does_not_cost_the_others(size):
    prompts = [[A], [B], [B, B], [A], [B, A], [A, B], [B]]
    alone = run(MODEL, 1, prompts=prompts)
    errors, results = isolated(Unsound(ABC, MODEL.table), prompts, size)
    assert {number: type(error) for number, error in errors.items()} == {2: ModelError, 5: ModelError}
    assert "prompt 5," in str(errors[5])
    assert [one or alone[row] for row, one in enumerate(results)] == alone
    assert [row for row, one in enumerate(results) if one is None] == [2, 5]


def test_guides_and_formulas_that_fail_for_one_prompt():
    prompts = [[A], [B], [A, B], [A]]
    constraint = ConstraintGuide([matcher_of(words_of([b"bbb" if row == 2 else b"ab"])) for row in range(4)])
    guides = [LogitBias({(B, B): -np.inf})]
    errors, results = isolated(MODEL, prompts, 4, constraint=constraint, guides=guides)
    assert {number: type(error) for number, error in errors.items()} == {2: ConstraintError}
    assert [one and one.text for one in results] == ["ab", "ab", None, "ab"]
    constraint = ConstraintGuide([matcher_of(words_of([b"b" if row == 1 else b"a"])) for row in range(4)])
    errors, results = isolated(DIVIDED, prompts, 4, constraint=constraint)
    assert {number: type(error) for number, error in errors.items()} == dict.fromkeys(range(4), FormulaError)
    with pytest.raises(FormulaError):
        run(DIVIDED, 4, prompts=[[A]], constraint=ConstraintGuide(matcher_of(words_of([b"b"]))))


@pytest.mark.parametrize("decoder", [Importance(particles=4), Asap(samples=3)])
def test_particles_that_all_die_cost_no_other_prompt(decoder):
    """The likeliest token alone is kept; after a `b` the constraint does not allow it."""
    sampling = Sampling(seed=2, top_k=1)
    options = Options(sampling=sampling, max_tokens=4, decoder=decoder)
    table = np.full((ABC.rows + 1, ABC.rows), -1.0)
    table[A, A] = table[B, B] = 3.0
    model = TabularModel(ABC, table)
    constraint = ConstraintGuide(matcher_of(repeated(b"a", 1, 9)))
    errors, results = isolated(model, [[A], [B], [A], [B]], 100, options=options, constraint=constraint)
    assert [type(error) for error in errors.values()] == [ConstraintError] * 2
    assert "prompt 3: all" in str(errors[3])
    assert [one and one.text for one in results] == ["aaaa", None, "aaaa", None]
    with pytest.raises(ConstraintError, match="prompt 0: all"):
        run(model, 100, prompts=[[B]], options=options, constraint=constraint)
