"""How far from the model's distribution given a constraint are the texts of each decoder, and what do they cost?

    python benchmarks/aligned_sampling.py [--texts 300]

A random Markov chain over 16 tokens, whose texts can be enumerated, writes a month and a day. Distances are total
variation, half the sum of absolute differences, to the exact distribution given the constraint. Of several candidates
it is that of their expected shares, with which one of them is taken, averaged over texts with seeds of their own. The
rows of single texts (`local`, and the last sample, which Park et al. 2024 take) have the noise of so many draws: the
last row draws them from the exact distribution. `asked` is the number of prefixes that the model was asked about for a
text; those asked about together are one forward pass. `effective` is how many independent texts the candidates are
worth.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
import torch
from rich import box
from rich.console import Console
from rich.table import Table

import guidance_kit as gk
from guidance_kit.decoding.batching import generate_in_batches
from guidance_kit.decoding.decoder import Decoder
from guidance_kit.decoding.options import Options
from guidance_kit.decoding.tabular import TabularModel
from guidance_kit.guides.constraint import ConstraintGuide

PATTERN = r"(0[1-9]|1[0-2])-[0-3]\d"
TEXTS = (b"", *(str(digit).encode() for digit in range(10)), b"-", b"01", b"1-", b"12", b"-2")
EOS, PROMPT = 0, [1]

Tokens = tuple[int, ...]


class Asked:
    """A model that counts the prefixes that it is asked about."""

    def __init__(self, model: TabularModel) -> None:
        self.model, self.rows, self.room, self.count = model, model.rows, model.room, 0

    def logits(self, prefixes: Sequence[Sequence[int]], positions: int = 1, **others: object) -> torch.Tensor:
        self.count += len(prefixes)
        return self.model.logits(prefixes, positions)


def exact(model: TabularModel, index: object) -> dict[Tokens, float]:
    """The distribution given the constraint, by enumeration."""
    found: dict[Tokens, float] = {}

    def extend(tokens: Tokens, probability: float) -> None:
        matcher = gk.Matcher(index)
        matcher.advance_all(tokens)
        following = model.probabilities([*PROMPT, *tokens])
        for token in matcher.allowed_tokens().tolist():
            if token == EOS:
                found[(*tokens, token)] = probability * following[token]
            else:
                extend((*tokens, token), probability * following[token])

    extend((), 1.0)
    total = sum(found.values())
    assert all(re.fullmatch(PATTERN, model.vocabulary.text_of(tokens).decode()) for tokens in found)
    return {tokens: probability / total for tokens, probability in found.items()}


def distance(shares: dict[Tokens, float], target: dict[Tokens, float]) -> float:
    """Total variation."""
    return sum(abs(shares.get(tokens, 0) - target.get(tokens, 0)) for tokens in shares.keys() | target.keys()) / 2


def main() -> None:
    """Draw and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--texts", type=int, default=300, help="texts for each row")
    count = parser.parse_args().texts
    vocabulary = gk.Vocabulary(token_bytes=TEXTS, special=frozenset({EOS}), eos=(EOS,), rows=len(TEXTS))
    model = TabularModel.random(vocabulary, order=2, scale=2, seed=4)
    index = gk.regex(PATTERN).compile(vocabulary)
    target = exact(model, index)
    table = Table("decoder", "distance", "asked", "effective", box=box.SIMPLE)

    def measure(name: str, decoder: Decoder | str, *, has_last: bool = False) -> None:
        asked = Asked(model)
        options = Options.from_keywords({"decoder": decoder, "seed": 1, "max_tokens": 12})
        guide = ConstraintGuide(gk.Matcher(index))
        shares: Counter[Tokens] = Counter()
        last: Counter[Tokens] = Counter()
        effective = []
        for _, completion in generate_in_batches(
            asked, vocabulary, [PROMPT] * count, batch_size=4096, options=options, constraint=guide
        ):
            if completion.aligned is None:
                tokens = completion.tokens
                shares[tokens if tokens[-1] == EOS else (*tokens, EOS)] += 1 / count
                continue
            for candidate in completion.aligned.candidates:
                shares[candidate.tokens] += candidate.weight / count
            last[completion.aligned.candidates[-1].tokens] += 1 / count
            effective.append(completion.aligned.effective_size)
        size = f"{np.mean(effective):.1f}" if effective else ""
        table.add_row(name, f"{distance(shares, target):.3f}", f"{asked.count / count:.1f}", size)
        if has_last:
            table.add_row("- the last of them", f"{distance(last, target):.3f}", "", "")

    measure("sample", "sample")
    for particles in (4, 16, 64):
        for below, how in ((0.5, ""), (0.0, ", never resampled")):
            decoder = gk.Importance(particles=particles, resample_below=below)
            measure(f"importance, {particles} particles{how}", decoder)
    for samples in (4, 16, 64):
        measure(f"asap, {samples} samples", gk.Asap(samples=samples), has_last=True)
    generator = np.random.Generator(np.random.PCG64(0))
    drawn: Iterable[int] = generator.choice(len(target), count, p=list(target.values()))
    noise: Counter[Tokens] = Counter()
    for number in drawn:
        noise[list(target)[number]] += 1 / count
    table.add_row("exact", f"{distance(noise, target):.3f}", "", "")
    Console(width=100).print(table)


if __name__ == "__main__":
    main()
