"""Particles: sequential Monte Carlo with any predicate or score on partial texts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Literal, get_args

import torch
from torch import Tensor

from guidance_kit.decoding.adaptive_rejection import draw_accepted
from guidance_kit.decoding.draw import choose
from guidance_kit.decoding.population import Population, ResamplingName, check_resampling
from guidance_kit.decoding.potential import CachedPotential, PotentialFunction, partial_text, require_potential
from guidance_kit.decoding.row import Piece, Row
from guidance_kit.decoding.sampling import require_integer
from guidance_kit.decoding.walk import Walk
from guidance_kit.decoding.weighted_rows import check_weighted, choose_sample, take_possible
from guidance_kit.errors import OptionError, PotentialError
from guidance_kit.vocabulary import Vocabulary

if TYPE_CHECKING:
    from guidance_kit.decoding.options import Options

__all__ = ["Particles"]

Proposal = Literal["mask", "count", "mass", "rejection"]


@dataclass(frozen=True, slots=True)
class Particles:
    """Sequential Monte Carlo, twisted by a potential: texts in proportion to p(text) * potential(text).

    p is the model's distribution, of a formula and with guides, temperature and truncation, given the constraint if
    there is one. The potential of a partial text steers: particles whose text it calls bad are lost, those that it
    favours are copied. The weights correct for it, so that the potential of the whole text alone decides about the
    result: exact in the limit of many particles, and the estimate of the normalising constant,
    `Completion.aligned.probability`, is unbiased for any number. Tokens are proposed by the exact masks of the
    constraint, so no particle is lost to it.

        no_e = lambda texts: ["e" not in text for text in texts]
        model.generate("Once", gk.regex("[a-z ]{20,40}"), decoder=gk.Particles(32, potential=no_e))

    Args:
        particles: number of texts that run at once for a prompt, from 1 to `MOST_TEXTS`.
        potential: function from a list of generated texts, without the prompt and in whole characters, to a value for
            each: True or False, or ln of a factor in nats, -inf for 0. It must depend on the text alone: every text is
            evaluated once in a call. False, and -inf, mean that no continuation of the text is good. None for no
            potential: `Importance`.
        final: the potential of whole texts, if it is another one.
        proposal: "mask" draws from what the constraint allows and evaluates the drawn tokens. "count" and "mass" weight
            the masks: the probability of a token is multiplied by the number of the texts of the constraint that it can
            still lead to, or by their model-free mass, the probability that a random sequence of bytes is one of them
            (see `fsm.CompletionWeights`). The weights correct for that, so the target is the same; particles are lost
            less often where a mask leads into prefixes with few completions. For constraints of finitely many texts, or
            for "mass" finitely many states: `UnsupportedFeature` for others. "rejection" draws until
            the potential is True, and estimates the mass of such tokens without evaluating the others (adaptive
            weighted rejection sampling): fewer particles are lost, for more evaluations; for predicates alone.
        max_rejections: maximum number of rejected tokens of a particle in a step, at least 1; one that reaches it may
            be lost, and estimates remain unbiased. None for no limit. For "rejection" alone.
        resample_below, resampling: see `Importance`.
    Raises:
        OptionError: a value is out of range; options that exclude each other.
    Source: Lew et al. 2023, Sequential Monte Carlo Steering of Large Language Models using Probabilistic Programs;
        Loula et al. 2025, Syntactic and Semantic Control of Large Language Models via Sequential Monte Carlo; Lipkin
        et al. 2025, Fast Controlled Generation from Language Models with Adaptive Weighted Rejection Sampling.
    """

    particles: int = 16
    _: KW_ONLY
    potential: PotentialFunction | None = None
    final: PotentialFunction | None = None
    proposal: Proposal = "mask"
    max_rejections: int | None = None
    resample_below: float = 0.5
    resampling: ResamplingName = "systematic"

    def __post_init__(self) -> None:
        check_resampling(self)
        require_potential("potential", self.potential)
        require_potential("final", self.final)
        if self.proposal not in get_args(Proposal):
            raise OptionError.unknown(str(self.proposal), get_args(Proposal), "proposal")
        if self.proposal == "rejection" and self.potential is None:
            raise OptionError('proposal="rejection" needs a potential: it draws tokens until the potential is True')
        if self.max_rejections is not None:
            require_integer("max_rejections", self.max_rejections, least=1)
            if self.proposal != "rejection":
                raise OptionError('max_rejections is for proposal="rejection", and the proposal rejects no token')

    @property
    def rows_per_prompt(self) -> int:
        """See `Decoder`."""
        return self.particles

    @property
    def needs_constraint(self) -> bool:
        """See `Decoder`."""
        return self.proposal in ("count", "mass")

    def check(self, options: Options) -> None:
        """See `Decoder.check`."""
        check_weighted(options)

    def decode(self, walk: Walk, options: Options) -> Iterator[Piece]:
        """See `Decoder.decode`. All particles of all prompts are one batch, and a step evaluates all new texts at once.

        Yields:
            One piece a prompt, the whole of its text; or the error of the prompt: a PotentialError of the first text on
            which the potential failed, a ConstraintError if no particle is left. Other prompts go on.
        """
        step = _Step(self, walk.vocabulary)
        populations = [Population(row, self) for row in walk.rows]
        while populations:
            walk.keep([row for population in populations for row in population.rows if row.is_running])
            rows = list(walk.rows)
            tokens, failures = step.propose(rows, walk.log_probabilities(), self._completions(walk))
            for place, error in failures.items():
                yield Piece(place, "", error=error)
            populations = [population for population in populations if population.rows[0].place not in failures]
            for row in rows:
                if row.place in failures:
                    row.log_weight = -math.inf
            take_possible(walk, tokens)
            for population in populations:
                population.finish_step()
                if not population.is_running:
                    yield choose_sample(
                        population.rows,
                        population.uniforms[0],
                        vocabulary=walk.vocabulary,
                        is_constrained=walk.is_constrained,
                    )
            populations = [population for population in populations if population.is_running]

    def _completions(self, walk: Walk) -> tuple[Tensor, Tensor] | None:
        """Measures of the completions of each row and after its next tokens, nats; None for proposals without them."""
        return walk.completion_weights(self.proposal) if self.proposal in ("count", "mass") else None


class _Step:
    """Proposal and weights of the tokens of one step, with the potentials of a call."""

    def __init__(self, how: Particles, vocabulary: Vocabulary) -> None:
        is_predicate = how.proposal == "rejection"
        self._how = how
        self._vocabulary = vocabulary
        partial = how.potential
        self._partial = None if partial is None else CachedPotential(partial, "potential", is_predicate=is_predicate)
        self._final = self._partial
        if how.final is not None:
            self._final = CachedPotential(how.final, "final", is_predicate=is_predicate)

    def propose(
        self, rows: Sequence[Row], allowed: Tensor, completions: tuple[Tensor, Tensor] | None
    ) -> tuple[list[int], dict[int, PotentialError]]:
        """Draw a token a row and update the weights.

        The measure of completions is a twist: a particle with n of them has n times the weight, until it ends.

        Args:
            allowed: float64, (batch, rows), nats: log-probabilities, see `Walk.log_probabilities`.
            completions: see `Walk.completion_weights`; None for none.
        Returns:
            The tokens; and the errors, by place of the prompt.
        """
        failures: dict[int, PotentialError] = {}
        uniforms = [row.draw_state[row.length] for row in rows]
        if self._how.proposal != "rejection":
            twists = torch.zeros(len(rows), dtype=allowed.dtype)
            if completions is not None:
                here, after = completions
                twists = here * torch.tensor([row.length > 0 for row in rows])  # a whole text begins and ends with none
                allowed = allowed + after.to(allowed.device)
            tokens, _ = choose(allowed, uniforms)
            masses = (allowed.logsumexp(-1).cpu() - twists).tolist()
            places = [place for place, mass in enumerate(masses) if mass > -math.inf]
            found = self._values([(rows[place], tokens[place]) for place in places], failures)
            values = dict(zip(places, found, strict=True))
            for place, (row, mass) in enumerate(zip(rows, masses, strict=True)):
                value = values.get(place, -math.inf)
                row.log_weight += mass + value - row.log_potential
                row.log_potential = value
            return tokens, failures

        def accepts(pairs: list[tuple[int, int]]) -> list[bool]:
            found = self._values([(rows[place], token) for place, token in pairs], failures)
            return [value > -math.inf for value in found]

        seeds = [int(uniform * 2**53) for uniform in uniforms]
        drawn = draw_accepted(allowed, accepts, seeds, max_rejections=self._how.max_rejections)
        for row, (_, log_mass) in zip(rows, drawn, strict=True):
            row.log_weight += log_mass
        return [token for token, _ in drawn], failures

    def _values(self, pairs: Sequence[tuple[Row, int]], failures: dict[int, PotentialError]) -> list[float]:
        """Potential of each row after a token, in nats; 0 for a row whose potential failed, now or before."""
        values: list[float] = [0.0] * len(pairs)
        for potential, is_end in ((self._partial, False), (self._final, True)):
            chosen = [place for place, (_, token) in enumerate(pairs) if (token in self._vocabulary.eos) == is_end]
            chosen = [place for place in chosen if pairs[place][0].place not in failures]
            if potential is None or not chosen:
                continue
            texts = [
                partial_text(self._vocabulary, [*row.tokens, token], is_end=is_end)
                for row, token in (pairs[place] for place in chosen)
            ]
            for place, value in zip(chosen, potential.values(texts), strict=True):
                if isinstance(value, PotentialError):
                    failures.setdefault(pairs[place][0].place, value)
                else:
                    values[place] = value
        return values
