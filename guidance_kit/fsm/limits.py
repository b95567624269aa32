"""Hard limits on the time and memory that a constraint may take."""

from __future__ import annotations

from dataclasses import dataclass, fields

__all__ = ["DEFAULT_LIMITS", "Limits"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Bounds that turn a hang or an exhausted memory into a `LimitError` naming the bound.

    Args:
        max_states: states of one network, over all rules built so far.
        max_configurations: configurations of one automaton, distinct sets of items met so far.
        max_automaton_bytes: memory of one automaton, which all these configurations share.
        max_work: derivatives of patterns taken for one mask or one budget, each counted by its parts, i.e. how many
            states of lookarounds and conjunctions the tokens of a vocabulary lead to. Where the vocabulary has no
            token for some bytes, the network is built as a whole, and this bounds all derivatives.
        max_items: items of one configuration, i.e. how ambiguous a text may be at one point.
        mask_cache_bytes: memory for the masks that one token index keeps; when it is full, the index begins anew.
    """

    max_states: int = 5_000_000
    max_configurations: int = 2_000_000
    max_automaton_bytes: int = 2**30
    max_work: int = 400_000
    max_items: int = 65_536
    mask_cache_bytes: int = 64 * 2**20

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not isinstance(value, int) or value < 1:
                raise ValueError(f"{field.name} must be a positive integer, not {value!r}")


DEFAULT_LIMITS = Limits()
