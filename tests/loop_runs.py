"""The generation loop run on toy models, its pieces checked against its completions. Tests only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from networks import repeated, words_of
from toy_models import ABC, A, matcher_of

from guidance_kit.decoding.completion import Completion
from guidance_kit.decoding.generation import generate
from guidance_kit.decoding.options import Options
from guidance_kit.decoding.sampling import Sampling
from guidance_kit.decoding.tabular import TabularModel
from guidance_kit.guides.constraint import ConstraintGuide
from guidance_kit.guides.guide import Stage

MODEL = TabularModel.random(ABC, order=2, seed=1)
GREEDY = Sampling(temperature=0)

NETWORKS = {
    "finite": lambda: words_of([b"ab", b"abb", b"b", b"bbbbb"]),
    "counted": lambda: repeated(b"ab", 2, 3),
    "unbounded": lambda: repeated(b"ab", 1),
}


def run(distribution, prompts: Sequence[Sequence[int]], *, network=None, guides=(), seeds=None, **options):
    """The completions, in the order of the prompts, and the pieces of each."""
    vocabulary = getattr(distribution, "inner", distribution).vocabulary
    constraint = None if network is None else ConstraintGuide(matcher_of(network, vocabulary))
    completions: dict[int, Completion] = {}
    pieces: list[list[str]] = [[] for _ in prompts]
    for piece in generate(
        distribution,
        vocabulary,
        prompts,
        options=Options(**options),
        constraint=constraint,
        guides=guides,
        seeds=seeds,
    ):
        assert piece.row not in completions, "a piece after the last one"
        pieces[piece.row].append(piece.text)
        if piece.completion is not None:
            completions[piece.row] = piece.completion
    assert sorted(completions) == list(range(len(prompts)))
    for row, completion in completions.items():
        assert "".join(pieces[row]) == completion.text
    return [completions[row] for row in range(len(prompts))], pieces


def complete(distribution, prompts, **options) -> list[Completion]:
    return run(distribution, prompts, **options)[0]


@dataclass(frozen=True)
class Note:
    """A guide that notes when it is called, and adds a fixed bias."""

    stage: Stage
    calls: list
    token: int = A
    bias: float = 0.0

    def start(self, prompts):
        return [tuple(prompt) for prompt in prompts]

    def adjust(self, logits, state):
        self.calls.append((self.stage, bool((logits == -torch.inf).any()), list(state)))
        adjusted = logits.clone()
        adjusted[:, self.token] = adjusted[:, self.token].clamp(min=-1e9) + self.bias
        return adjusted

    def advance(self, state, tokens):
        return [(*taken, *new) for taken, new in zip(state, tokens, strict=True)]

    def select(self, state, rows):
        return [state[row] for row in rows]

    def join(self, states):
        return [row for state in states for row in state]
