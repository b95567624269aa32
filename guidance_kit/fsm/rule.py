"""Rules of a network: where they start, and how they are built."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Protocol

from guidance_kit.fsm.kernels.columns import RULE
from guidance_kit.fsm.key_set import KeySet

if TYPE_CHECKING:
    from guidance_kit.fsm.network import Network

__all__ = ["BEGUN", "PLAIN_ROWS", "UNBUILT", "Rule", "SharedRule", "row"]


class SharedRule(Protocol):
    """Rule that is the same in every network, see `fragment.shared_rule`."""

    @property
    def key(self) -> Hashable:
        """Key of the rule: no other one has the same."""
        ...

    @property
    def nullable(self) -> bool:
        """See `Rule`."""
        ...

    @property
    def name(self) -> str:
        """See `Rule`."""
        ...

    @property
    def group(self) -> str:
        """Name of the rules that it is copied with, see `fragment.joint_rule`; empty if there are none."""
        ...

    def build(self, network: Network) -> int:
        """Make the states of the rule in a network; return its start."""
        ...


UNBUILT, BEGUN = -1, -2
"""`start` of rules that are not built, and of those that are being built."""


@dataclass(slots=True)
class Rule:
    """One rule: where it starts, and how to build it if that has not happened yet.

    `start` is -1 until the rule is built, and -2 meanwhile. `minimum` and `maximum` are 1 for a plain rule; for a
    repetition they bound the number of turns (`maximum` may be UNBOUNDED). For a counted rule, `minimum` is 0, and no
    edge asks for more than `slack` turns at once; `slack` is -1 for the others. `is_free` promises that every text of
    the slice's characters (see `fsm.slices`) can be read from the start without leaving the rule. `is_absorbed`
    promises of a repetition that whatever can follow it can also follow any one turn more. A rule that is `shared`,
    or copied when it was built, has no `build`. `key_set` is that of a keyed rule, `keys` their number, else 0, and
    `full` the first of their words in `Network.full_sets`.
    """

    nullable: bool
    build: Callable[[], int] | None
    start: int = UNBUILT
    minimum: int = 1
    maximum: int = 1
    slack: int = -1
    is_free: bool = False
    is_absorbed: bool = False
    name: str = ""
    shared: SharedRule | None = None
    keys: int = 0
    full: int = 0
    key_set: KeySet | None = None

    def copied(self, start: int) -> Rule:
        """The same rule, built, in another network; as `dataclasses.replace` makes it, but six times as fast."""
        bounds = self.minimum, self.maximum, self.slack
        return Rule(self.nullable, None, start, *bounds, self.is_free, self.is_absorbed, self.name)


row = attrgetter(*RULE._fields)
"""Columns of RULE of a rule."""

PLAIN_ROWS = {
    (nullable, is_free): array("i", row(Rule(nullable, None, is_free=is_free))).tobytes()
    for nullable in (False, True)
    for is_free in (False, True)
}
"""Rows of plain rules, by `nullable` and `is_free`."""
