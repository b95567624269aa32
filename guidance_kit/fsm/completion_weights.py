"""Number of the completions of a text under a constraint, and the model-free mass of them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

import numpy as np

from guidance_kit.errors import UnsupportedFeature

if TYPE_CHECKING:
    from guidance_kit.fsm.token_index import TokenIndex

__all__ = ["MOST_CONFIGURATIONS", "CompletionWeights", "Measure"]

Measure = Literal["count", "mass"]
"""Measure of a set of completions: "count", their number; "mass", the probability that a typist writes one who strikes
each of the 256 bytes equally often, and as often stops."""

MOST_CONFIGURATIONS = 50_000
"""Maximum number of configurations of a constraint whose completions are measured."""

_CLOSE = 1e-12
"""Change in nats at which the iteration ends."""

_HINT = "propose by masks"


class CompletionWeights:
    """Measures of the completions of all configurations of an index, texts counted by their bytes.

    A configuration with several transitions has w(c) = [c is complete] e + sum over the bytes of d w(after the byte),
    with e = d = 1 for the number, e = 1/2 and d = 1/512 for the mass. The equations are solved by iteration from 0, in
    logarithms: exact after as many steps as the longest text has bytes, and for the mass of endless languages with an
    error that halves in each step.

    Args:
        index: the constraint over a vocabulary.
        measure: see `Measure`.
    Raises:
        UnsupportedFeature: there are more than `MOST_CONFIGURATIONS` configurations, as with recursion; the texts are
            without number and "count" is asked for; a continuation depends on more than the configuration.
    """

    def __init__(self, index: TokenIndex, measure: Measure) -> None:
        if index.automaton.network.depends_on_texts or index.token_id_sets is not None:
            raise UnsupportedFeature(
                _named(measure), where="continuations that depend on earlier text, or sets of tokens", hint=_HINT
            )
        self._index = index
        self._measure: Measure = measure
        self._end = 0.0 if measure == "count" else -math.log(2)
        self._byte = 0.0 if measure == "count" else -math.log(512)
        self._places: dict[int, int] = {}
        self._edges: list[tuple[int, int, int]] = []
        self._explore(index.automaton.start)

    def of(self, config: int) -> float:
        """Ln of the measure of the completions of a configuration."""
        if config not in self._places:  # a key that came before has led there
            self._explore(config)
        return float(self._logs[self._places[config]])

    def after(self, config: int, tokens: np.ndarray) -> np.ndarray:
        """Ln of the measure after each of some allowed tokens: float64; 0 after an end of the sequence.

        Args:
            tokens: int64.
        """
        automaton, trie = self._index.automaton, self._index.trie
        is_end = np.isin(tokens, self._index.vocabulary.eos)
        configs = automaton.advance_tokens(trie.handle, config, tokens[~is_end])
        logs = np.zeros(len(tokens))
        logs[~is_end] = [self.of(after) for after in configs.tolist()]
        return logs

    def _explore(self, start: int) -> None:
        """Add a configuration and all that can be reached from it."""
        automaton = self._index.automaton
        classes = automaton.arena.byte_class
        configs = [start]
        first = self._places[start] = len(self._places)
        for place, config in enumerate(configs, first):  # grows meanwhile
            live = np.flatnonzero(automaton.live_bytes(config))
            _, firsts, counts = np.unique(classes[live], return_index=True, return_counts=True)
            for byte, count in zip(live[firsts].tolist(), counts.tolist(), strict=True):
                target = int(automaton.advance(config, bytes([byte]))[0])
                if target not in self._places:
                    if len(self._places) == MOST_CONFIGURATIONS:
                        where = f"a constraint with more than {MOST_CONFIGURATIONS:,} configurations, as by recursion"
                        raise UnsupportedFeature(_named(self._measure), where=where, hint=_HINT)
                    self._places[target] = len(self._places)
                    configs.append(target)
                self._edges.append((place, self._places[target], count))
        known = np.fromiter(self._places, dtype=np.int64, count=len(self._places))
        self._logs = self._solved(np.where(automaton.are_complete(known), self._end, -math.inf))

    def _solved(self, ends: np.ndarray) -> np.ndarray:
        """Solution of the equations.

        Args:
            ends: float64, (configurations,), nats: ln of e where a text may end, else -inf.
        Raises:
            UnsupportedFeature: endless texts have no number.
        """
        if not self._edges:
            return ends
        sources, targets, sizes = np.array(self._edges, dtype=np.int64).T
        nodes, firsts = np.unique(sources, return_index=True)  # the sources come in ascending order
        groups = np.repeat(np.arange(len(nodes)), np.diff([*firsts, len(sources)]))
        factors = np.log(sizes) + self._byte
        logs = ends
        with np.errstate(divide="ignore", invalid="ignore"):
            for _ in range(len(ends) + 64):
                added = logs[targets] + factors
                most = np.maximum.reduceat(added, firsts)
                parts = np.exp(added - most[groups])  # NaN where nothing is known to be reached yet
                sums = most + np.log(np.add.reduceat(np.nan_to_num(parts), firsts))
                after = ends.copy()
                after[nodes] = np.logaddexp(ends[nodes], np.where(most == -math.inf, -math.inf, sums))
                change = np.where(after == logs, 0.0, after - logs).max()
                logs = after
                if change <= _CLOSE:
                    return logs
        if self._measure == "count":
            raise UnsupportedFeature(_named("count"), where="a constraint with endless texts", hint='take "mass"')
        return logs


def _named(measure: Measure) -> str:
    """Name of the feature for messages."""
    return f"weighting by the {measure} of completions"
