"""A decoder in one file: the best of n samples, over the walk, through the public API."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from small_models import small_llama

import guidance_kit as gk
from guidance_kit.decoding.decoder import Decoder
from guidance_kit.decoding.draw import Uniforms
from guidance_kit.decoding.options import Options
from guidance_kit.decoding.row import Piece, Row
from guidance_kit.decoding.sample import Sample
from guidance_kit.decoding.sampling import row_seeds
from guidance_kit.decoding.walk import Walk
from guidance_kit.errors import OptionError


@dataclass(frozen=True)
class BestOf:
    """The sample with the highest log-probability per token, of n that run at once."""

    n: int = 4

    @property
    def rows_per_prompt(self) -> int:
        return self.n

    def check(self, options: Options) -> None:
        if options.sampling.is_greedy:
            raise OptionError("decoder='best of n' draws texts, so it needs a temperature above 0")

    def decode(self, walk: Walk, options: Options) -> Iterator[Piece]:
        texts: list[Row] = []
        for row in walk.rows:
            for seed in row_seeds(row.seed, self.n):
                fork = row.fork()
                fork.draw_state = Uniforms(seed)
                texts.append(fork)
        ended: dict[int, list[Row]] = {}
        walk.keep(texts)
        while walk.rows:
            walk.settle()
            for row in walk.rows:
                if not row.is_running:
                    ended.setdefault(row.place, []).append(row)
                    if len(ended[row.place]) == self.n:
                        best = max(ended[row.place], key=mean_logprob)
                        piece = best.piece(walk.vocabulary, has_logprobs=True)
                        assert piece is not None
                        yield piece
            walk.keep([row for row in walk.rows if row.is_running])
            if walk.rows:
                walk.take(walk.draw(logprobs=0))


def mean_logprob(row: Row) -> float:
    return sum(one.guided_logprob for one in row.records) / max(1, len(row.records))


@pytest.fixture(scope="module")
def model() -> gk.Model:
    return gk.Model(small_llama())


PROMPTS = ["the cat", "a", "so it is"]
CONSTRAINT = gk.regex("[a-z ]{3,12}")


def test_the_best_of_n_is_the_best_of_the_samples(model):
    """The samples of the decoder are those of `n=`: both have seeds of their own."""
    best = model.generate(PROMPTS, CONSTRAINT, decoder=BestOf(n=5), seed=2, max_tokens=12)
    for prompt, chosen in zip(PROMPTS, best, strict=True):
        samples = [
            model.generate(prompt, CONSTRAINT, seed=seed, logprobs=0, max_tokens=12)
            for seed in row_seeds(chosen.seed, 5)
        ]
        scores = [sum(one.guided_logprob for one in text.logprobs) / len(text.logprobs) for text in samples]
        assert chosen.text == samples[scores.index(max(scores))].text


def test_batches_are_counted_in_rows(model, monkeypatch):
    widths = []
    logits = model.language_model.logits

    def counted(prefixes, positions=1, **options):
        widths.append(len(prefixes))
        return logits(prefixes, positions, **options)

    monkeypatch.setattr(model.language_model, "logits", counted)
    together = model.generate(PROMPTS, CONSTRAINT, decoder=BestOf(n=4), seed=2, max_tokens=6, batch_size=4)
    assert max(widths) == 4
    monkeypatch.undo()
    at_once = model.generate(PROMPTS, CONSTRAINT, decoder=BestOf(n=4), seed=2, max_tokens=6)
    assert [one.tokens for one in together] == [one.tokens for one in at_once]


def test_a_decoder_checks_options_when_they_are_made(model):
    with pytest.raises(OptionError, match="needs a temperature above 0"):
        model.generate("x", decoder=BestOf(), temperature=0)
    with pytest.raises(OptionError, match="decoder='bestof' has no pieces"):
        model.stream("x", decoder=BestOf())
    with pytest.raises(OptionError, match="unknown decoder"):
        model.generate("x", decoder=BestOf)
    with pytest.raises(OptionError, match="did you mean 'sample'"):
        model.generate("x", decoder="sampel")


def test_sampling_is_the_default(model):
    decoder: Decoder = Sample()
    assert model.generate("x", decoder=decoder, seed=1, max_tokens=5) == model.generate("x", seed=1, max_tokens=5)
