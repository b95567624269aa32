"""Exact scores of all texts of a tabular model, for the decoders that rank texts. Tests only."""

from __future__ import annotations

import math
from collections.abc import Sequence

from loop_runs import MODEL
from toy_models import ABC, EOS, unconstrained

from guidance_kit.decoding.batching import generate_in_batches
from guidance_kit.decoding.completion import Completion
from guidance_kit.decoding.options import Options
from guidance_kit.decoding.sampling import Sampling
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.grammars.regex import regex
from guidance_kit.guides.constraint import ConstraintGuide


def matcher_of(pattern: str) -> Matcher:
    return Matcher(regex(pattern).compile(ABC))


def all_texts(pattern: str | None, prompt: Sequence[int], length: int) -> dict[tuple[int, ...], float]:
    """Log-probability of each sequence that ends within `length` tokens and satisfies the pattern."""
    found: dict[tuple[int, ...], float] = {}
    for tokens, probability in unconstrained(MODEL, prompt, length).items():
        if tokens[-1] != EOS:
            continue
        if pattern is not None:
            matcher = matcher_of(pattern)
            if not all(token in matcher.allowed_tokens() and (matcher.advance(token), True)[1] for token in tokens):
                continue
        found[tokens] = math.log(probability)
    return found


def best_of_all(scores: dict[tuple[int, ...], float]) -> list[tuple[str, float]]:
    """Each text with the score of its best sequence, in descending order."""
    texts: dict[str, float] = {}
    for tokens, score in scores.items():
        text = ABC.text_of(tokens).decode()
        texts[text] = max(score, texts.get(text, -math.inf))
    return sorted(texts.items(), key=lambda pair: -pair[1])


def ranked(decoder, pattern: str | None, prompts, n: int, *, model=MODEL, **options) -> list[list[Completion]]:
    """The n best texts of each prompt."""
    chosen = {"sampling": Sampling(temperature=0), "max_tokens": 5, **options}
    guide = None if pattern is None else ConstraintGuide(matcher_of(pattern))
    pairs = generate_in_batches(
        model, ABC, prompts, batch_size=64, options=Options(decoder=decoder, **chosen), samples=n, constraint=guide
    )
    found = dict(pairs)
    return [[found[text] for text in range(row * n, row * n + n) if text in found] for row in range(len(prompts))]
