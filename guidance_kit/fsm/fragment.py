"""Fragments: rules that are written once in a process and copied into every network that needs them.

Many networks contain the same rules: what follows a backslash, the numbers without bounds, the format `date`. Writing
one edge by edge in Python takes longer than a mask may; a copy is one addition over an array.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from guidance_kit.fsm.caches import BoundedCache, caches
from guidance_kit.fsm.kernels.columns import ALIKE, FLAT, RULE, width
from guidance_kit.fsm.network import Network
from guidance_kit.fsm.opcodes import CALL, EPSILON, FRESH, JUMP, LOOP, NONE_LEFT, SOME_LEFT, TAKE, TURN, WITHIN
from guidance_kit.fsm.rule import Rule, row

__all__ = ["Fragment", "Mark", "constant_rule", "copy_in_a_row", "joint_rule", "ready_rule", "shared_rule"]

_MOST_EDGES, _MOST_OF_CONSTANTS = 8192, 65_536
_MOST_RULES = 2
"""Rules with more edges, or constant rules with more, or that declare more rules, are written anew each time, and what
they declare is left until a text gets there. Strings with several conditions declare hundreds, of which a text meets
few, and hardly occur twice: of 735 rules kept for 284 schemas of MaskBench, none declared more than 2."""


@dataclass(frozen=True)
class Fragment:
    """Arrays of one rule, its states numbered from `base` on, and the rules that it declares from 0.

    Attributes:
        edges: int32 (n, FLAT), as in `Network.flat`.
        alike: int32 (m, ALIKE), as in `Network.alike`.
        size: number of states.
        start: where the rule begins.
        rules: the rules that it declares, built ones and shared ones, of which those of its group are built too.
        base: number of the first state: that which it has in the network for which it was written.
    """

    edges: np.ndarray
    alike: np.ndarray
    size: int
    start: int
    rules: tuple[Rule, ...] = ()
    base: int = 0

    @classmethod
    def of(cls, network: Network, start: int, base: int = 0) -> Fragment:
        """Fragment of all of a network from the state `base` on, whose own rules have been built."""
        edges = np.array(network.flat, dtype=np.int32).reshape(-1, width(FLAT))
        alike = np.array(network.alike, dtype=np.int32).reshape(-1, width(ALIKE))
        return cls(edges, alike, network.size - base, start, tuple(network.rules), base)

    @cached_property
    def references(self) -> RuleReferences:
        """Places at which the edges refer to rules."""
        return RuleReferences.of(self)

    @cached_property
    def numbers(self) -> np.ndarray:
        """Concatenation of the edges, `alike` and the rows of its own rules: what a copy shifts at once; int32 (k,)."""
        rest = [self.alike.reshape(-1), self.references.rows.reshape(-1)] if self.rules else [self.alike.reshape(-1)]
        return np.concatenate([self.edges.reshape(-1), *rest])

    @cached_property
    def states(self) -> np.ndarray:
        """1 where `numbers` has a state, else 0; int32 (k,)."""
        alike = self.edges.size
        rows = alike + self.alike.size
        states = np.zeros(len(self.numbers), dtype=np.int32)
        states[:alike] = _states_in(self.edges).reshape(-1)
        states[alike + ALIKE.source : rows : width(ALIKE)] = 1
        states[rows + RULE.start :: width(RULE)] = 1
        return states

    @property
    def nbytes(self) -> int:
        """Memory, estimated, in bytes, once it was copied."""
        return 3 * (self.edges.nbytes + self.alike.nbytes) + 200 * len(self.rules)

    def paste(self, network: Network) -> int:
        """Copy it into a network; return the start."""
        shift = network.states(self.size).start - self.base
        numbers = self.numbers + self.states * shift if shift else self.numbers.copy()
        alike = self.edges.size
        rows = alike + self.alike.size
        if self.rules:
            found = self.references
            rules = [_declared(network, rule, shift) for rule in found.shared]
            if found.own:
                own = [rule.copied(shift + rule.start) for rule in found.own]
                first = network.extend(own, numbers[rows:].tobytes())
                rules.extend(range(first, len(network.rules)))
            numbers[found.places] = np.array(rules, dtype=np.int32)[found.numbers]
        network.flat.frombytes(numbers[:alike].tobytes())
        if rows > alike:
            network.alike.frombytes(numbers[alike:rows].tobytes())
        return shift + self.start


def _declared(network: Network, rule: Rule, shift: int) -> int:
    """Number of a shared rule of a fragment in a network, where it is built if it is in the fragment."""
    assert rule.shared is not None
    number = network.declare_shared(rule.shared)
    if rule.start >= 0 and network.rules[number].start < 0:
        network.note_built(number, shift + rule.start)
    return number


class RuleReferences(NamedTuple):
    """Places at which the edges of a fragment refer to rules, and these rules.

    Args:
        places: int64, places in the flat edges.
        numbers: int32, which rule is at each: the shared ones come first.
        shared: the shared rules.
        own: the others.
        rows: int32 (n, RULE), columns of these.
    """

    places: np.ndarray
    numbers: np.ndarray
    shared: list[Rule]
    own: list[Rule]
    rows: np.ndarray

    @classmethod
    def of(cls, fragment: Fragment) -> RuleReferences:
        """References of a fragment."""
        edges, rules = fragment.edges, fragment.rules
        places = np.flatnonzero(_REFERS[_kinds_of(edges)]) * width(FLAT) + FLAT.rule
        shared = [rule for rule in rules if rule.shared is not None]
        own = [rule for rule in rules if rule.shared is None]
        numbers = edges.reshape(-1)[places]
        if shared and own:
            order = sorted(range(len(rules)), key=lambda number: rules[number].shared is None)
            numbers = np.argsort(order).astype(np.int32)[numbers]
        rows = np.array([row(rule.copied(rule.start)) for rule in own], dtype=np.int32).reshape(-1, width(RULE))
        return cls(places, numbers, shared, own, rows)


def _kinds_of(edges: np.ndarray) -> np.ndarray:
    """Kinds of edges, as numbers from 0 on: 0 for one that reads a byte, else the negated op code."""
    return np.maximum(-edges[:, FLAT.op], 0)


_ALIKE_STATES = np.array(ALIKE._replace(source=1, slices=0), dtype=np.int32)
"""1 where a row of ALIKE has a state, else 0."""

_REFERS = np.zeros(1 - NONE_LEFT, dtype=bool)
_REFERS[[-CALL, -JUMP, -LOOP]] = True
"""True for edges that refer to a rule, by their kind."""

_EDGE_STATES = np.zeros((1 - NONE_LEFT, width(FLAT)), dtype=np.int32)
_EDGE_STATES[:, FLAT.source] = 1
_EDGE_STATES[[0, -EPSILON, -TURN, -WITHIN, -FRESH, -SOME_LEFT, -TAKE, -NONE_LEFT], FLAT.target] = 1
_EDGE_STATES[-CALL, FLAT.after] = 1
"""1 where an edge has a state, else 0, by its kind."""


def _states_in(edges: np.ndarray) -> np.ndarray:
    """int32 (n, FLAT), 1 where edges have a state, else 0."""
    return _EDGE_STATES[_kinds_of(edges)]


class Mark(NamedTuple):
    """Sizes of a network when a part was begun."""

    edges: int
    alike: int
    states: int
    rules: int

    @classmethod
    def of(cls, network: Network) -> Mark:
        """The mark of a network as it is now."""
        return cls(len(network.flat), len(network.alike), network.size, len(network.rules))


def copy_in_a_row(network: Network, begun: Mark, source: int, end: int, times: int) -> int | None:
    """Add copies of the part that was written last, each from where the one before it ends.

    Args:
        begun: the network before the part, which has no `recall` edges.
        source, end: states between which the part leads; `end` is its own.
        times: number of copies.
    Returns:
        The end of the last copy; None, and nothing is added, if the part declared rules.
    """
    if len(network.rules) > begun.rules:
        return None
    size = network.size - begun.states
    network.states(size * times)
    shifts = size * np.arange(1, times + 1, dtype=np.int32)[:, None, None]
    edges = np.array(network.flat[begun.edges :], dtype=np.int32).reshape(-1, width(FLAT))
    alike = np.array(network.alike[begun.alike :], dtype=np.int32).reshape(-1, width(ALIKE))
    for part, is_state, out in ((edges, _states_in(edges), network.flat), (alike, _ALIKE_STATES, network.alike)):
        copies = part + is_state * (part >= begun.states) * shifts
        copies += is_state * (part == source) * (end - source - size + shifts)
        out.frombytes(copies.tobytes())
    return end + size * times


_Fragments = BoundedCache[Hashable, Fragment]


def _cache(most: int, most_bytes: int) -> _Fragments:
    return BoundedCache(most, most_bytes, lambda fragment: fragment.edges.nbytes, has_fixed_sizes=True)


_FRAGMENTS: _Fragments = caches.register("fragments", _cache(1024, 32 * 2**20))

_CONSTANTS = _cache(4096, 8 * 2**20)
"""Fragments of constant rules: they are few and small, and clearing all caches leaves them."""


def shared_rule(
    network: Network, key: Hashable, write: Callable[[Network], int], *, nullable: bool = False, name: str = ""
) -> int:
    """Declare a rule that is the same in every network, once; it is built when a text gets there.

    Args:
        key: what the rule depends on, and what kind of rule it is, so that no other one has the same key.
        write: makes the states of the rule in the network that it is given, see `Network.rule`.
        nullable: whether the empty text belongs to the rule, exactly.
        name: for drawings and error messages.
    Returns:
        The number of the rule.
    """
    return network.declare_shared(_Shared(key, write, nullable, name, _FRAGMENTS))


def constant_rule(
    network: Network, key: Hashable, write: Callable[[Network], int], *, nullable: bool = False, name: str = ""
) -> int:
    """Declare a rule like `shared_rule` that depends on no constraint, as that of all numbers: it is kept for good."""
    return network.declare_shared(_Shared(key, write, nullable, name, _CONSTANTS))


def ready_rule(
    network: Network,
    key: Hashable,
    make: Callable[[], Fragment],
    *,
    is_constant: bool = False,
    nullable: bool = False,
    name: str = "",
) -> int:
    """Declare a rule like `shared_rule` or `constant_rule` of which `make` gives the fragment, without a network."""
    fragments = _CONSTANTS if is_constant else _FRAGMENTS
    return network.declare_shared(_Shared(key, lambda other: make().paste(other), nullable, name, fragments, make=make))


def joint_rule(
    network: Network,
    group: str,
    key: Hashable,
    write: Callable[[Network], int],
    *,
    nullable: bool = False,
    name: str = "",
) -> int:
    """Declare a constant rule that is copied together with all rules that writing it declares.

    Left out of the copy are constant and shared rules, and joint rules of other groups. So rules that a text nearly
    always needs at once, as those of any JSON value, are there after one copy. Joint rules may call each other and
    themselves.

    Args:
        group: name of the rules that are copied together.
    """
    return network.declare_shared(_Shared(key, write, nullable, name, _CONSTANTS, group))


class _Shared(NamedTuple):
    """Arguments of `shared_rule`, the cache of the fragment, the group of a joint rule, what makes a ready one."""

    key: Hashable
    write: Callable[[Network], int]
    nullable: bool
    name: str
    fragments: _Fragments
    group: str = ""
    make: Callable[[], Fragment] | None = None

    @property
    def most_edges(self) -> int:
        """Number of edges from which on the rule is not kept."""
        return _MOST_OF_CONSTANTS if self.fragments is _CONSTANTS else _MOST_EDGES

    def build(self, network: Network) -> int:
        """See `SharedRule`: a copy of the fragment, which is written for the first of all networks."""
        if isinstance(network, _Recording) and network.is_own(network.rules[network.shared[self.key]]):
            return self.write(network)
        fragment = self.fragments.find(self.key)
        if fragment is None:
            fragment = _record(self, network) if self.make is None else self.make()
            if fragment is None:
                return self.write(network)
            if len(fragment.edges) <= self.most_edges:
                fragment = self.fragments.add(self.key, fragment)
        return fragment.paste(network)


class _Recording(Network):
    """Network in which a rule is written alone, or with its group: by the numbers of states of that which needs it."""

    def __init__(self, shared: _Shared, wanted_by: Network) -> None:
        super().__init__(max_states=wanted_by.max_states)
        self.is_constant = shared.fragments is _CONSTANTS
        self.size = wanted_by.size
        self.work = wanted_by.work
        self._group = shared.group

    def is_own(self, rule: Rule) -> bool:
        """Test whether a rule is copied with the one that is recorded."""
        return rule.shared is None or bool(self._group and rule.shared.group == self._group)


def _record(shared: _Shared, wanted_by: Network) -> Fragment | None:
    """Write a rule alone, with all that it declares but shared rules; None if that is too much."""
    network = _Recording(shared, wanted_by)
    start = network.ensure_built(network.declare_shared(shared)) if shared.group else shared.write(network)
    number = seen = own = 0
    most = width(FLAT) * shared.most_edges
    while number < len(network.rules) and len(network.flat) <= most:
        own += sum(map(network.is_own, network.rules[seen:]))
        seen = len(network.rules)
        if not shared.group and own > _MOST_RULES:
            break
        if network.is_own(network.rules[number]):
            network.ensure_built(number)  # which may declare others
        number += 1
    if any(rule.start < 0 and network.is_own(rule) for rule in network.rules):
        return None
    return Fragment.of(network, start, wanted_by.size)
