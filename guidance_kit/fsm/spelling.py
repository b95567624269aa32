"""Restriction of networks to the bytes that a vocabulary can spell, so that no text runs into a dead end.

Byte-level and byte-fallback vocabularies spell everything and need none of this.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from guidance_kit.errors import UnspellableError
from guidance_kit.fsm.network import MARK, UNBOUNDED, Network, marked, numbered
from guidance_kit.fsm.opcodes import CALL, EPSILON, FINAL, FRESH, JUMP, LOOP, TURN, WITHIN
from guidance_kit.fsm.rule import Rule

if TYPE_CHECKING:
    from guidance_kit.vocabulary import Vocabulary

__all__ = ["Spelling", "productive_states", "restrict", "spelling_of", "unfinishable"]


@dataclass(frozen=True, slots=True)
class Spelling:
    """The characters that a vocabulary can spell, as an acyclic automaton over UTF-8.

    Attributes:
        edges: for each state, `{byte: next state}`; state 0 is both the start and the end of a character. Bytes
            that are tokens of their own lead from every state straight back to 0. Special tokens are there too.
    """

    edges: tuple[dict[int, int], ...]

    def spells(self, character: str) -> bool:
        """Test whether one character can be spelled."""
        state = 0
        for byte in character.encode():
            following = self.edges[state].get(byte)
            if following is None:
                return False
            state = following
        return state == 0

    def with_sets(self, count: int) -> Spelling:
        """The same, where so many sets of tokens can be read as well, see `network.numbered`."""
        edges = deepcopy(list(self.edges))
        for number in range(count):
            _add_word(edges, numbered(number))
        return Spelling(tuple(edges))


def spelling_of(vocabulary: Vocabulary) -> Spelling | None:
    """The characters that have tokens of their own; None if every byte is a token, so that all texts can be spelled.

    A character that occurs only inside longer tokens counts as one that cannot be spelled: whether such a token
    fits depends on what stands around it. Constraints then never use it, and never run into a dead end over it.
    """
    singles: set[int] = set()
    characters: set[bytes] = set()
    for token, text in enumerate(vocabulary.token_bytes):
        if not text or len(text) > 4 or token in vocabulary.special:
            continue
        if len(text) == 1:
            singles.add(text[0])
        elif text[0] >= 0xC2 and _is_character(text):
            characters.add(text)
    if len(singles) == 256:
        return None
    ascii_singles = {byte for byte in singles if byte < 0x80}
    if all(byte in singles for byte in range(0x80, 0x100)):
        edges: list[dict[int, int]] = [dict.fromkeys(singles, 0)]
    else:
        edges = [dict.fromkeys(ascii_singles, 0)]
        for text in sorted(characters):
            _add_word(edges, text)
    edges[0].pop(MARK, None)
    for name in sorted(set(vocabulary.special_names.values())):
        _add_word(edges, marked(name))
    return Spelling(tuple(edges))


def _add_word(edges: list[dict[int, int]], text: bytes) -> None:
    """Let a text lead from state 0 back to it, through states that are shared with others that begin alike."""
    state = 0
    for byte in text[:-1]:
        following = edges[state].get(byte)
        if following is None:
            following = edges[state][byte] = len(edges)
            edges.append({})
        state = following
    edges[state][text[-1]] = 0


def unfinishable(vocabulary: Vocabulary) -> set[int]:
    """The tokens that end within a character which no token finishes: to take one would be a dead end.

    There are none where all continuation bytes are tokens, as in every byte-level or byte-fallback vocabulary.
    """
    singles = {text[0] for text in vocabulary.token_bytes if len(text) == 1}
    if singles.issuperset(range(0x80, 0xC0)):
        return set()
    return {token for token, text in enumerate(vocabulary.token_bytes) if _ends_within_a_character(text)}


def _ends_within_a_character(text: bytes) -> bool:
    for length in range(1, min(len(text), 3) + 1):
        if text[-length] >= 0xC0:
            return length < (2 if text[-length] < 0xE0 else 3 if text[-length] < 0xF0 else 4)
    return False


def restrict(network: Network, spelling: Spelling) -> Network:
    """The part of `network` that can be spelled, all rules built, without states from which nothing can be completed.

    Raises:
        UnspellableError: if no text of the network can be spelled.
        LimitError: if the network is too large to be built as a whole.
    """
    source = network
    built: list[int] = []
    while len(built) < len(source.rules):  # building a rule may declare others
        keys = source.rules[len(built)].key_set
        built.append(keys.write_plainly() if keys else source.ensure_built(len(built)))
    source_edges = source.edges
    target = Network(max_states=source.max_states)
    pairs: dict[tuple[int, int], int] = {}
    todo: list[tuple[int, int]] = []

    def place(state: int, spelled: int) -> int:
        pair = (state, spelled)
        if pair not in pairs:
            pairs[pair] = target.state()
            todo.append(pair)
        return pairs[pair]

    starts = [place(start, 0) for start in built]
    while todo:
        state, spelled = todo.pop()
        here = pairs[state, spelled]
        for op, a, b in source_edges[state]:
            if op >= 0:
                ways = spelling.edges[spelled]
                for byte in range(op & 255, (op >> 8) + 1):
                    if byte in ways:
                        target.byte(here, byte, byte, place(a, ways[byte]))
            elif op == EPSILON:
                target.epsilon(here, place(a, spelled))
            elif spelled != 0:
                continue  # rules and turns begin and end between characters
            elif op == JUMP:
                target.epsilon(here, place(built[a] + b, 0))
            else:
                goes_on = op in (TURN, WITHIN, FRESH)
                target.flat.extend((here, op, place(a, 0) if goes_on else a, place(b, 0) if op == CALL else b))
    for rule, start in zip(source.rules, starts, strict=True):
        plain = replace(rule, start=start, build=None, is_free=False, is_absorbed=False, keys=0, full=0, key_set=None)
        target.add(plain)
    target.root = source.root
    alive, turns = _without_long_rules(target)
    root = target.rules[target.root]
    if not alive[root.start] and not root.nullable:
        missing = _missing_characters(source, spelling)
        raise UnspellableError((_needed_characters(source, spelling) if len(missing) >= _MANY else []) or missing)
    edges = [[left for edge in ways if (left := _pruned(edge, target, alive))] for ways in target.edges]
    slack = _ask_anew(edges, turns)
    pruned = Network(max_states=source.max_states)
    pruned.key_tracker, pruned.needs_names = source.key_tracker, source.needs_names
    # Few characters make few keys.
    pruned.has_exhaustible_keys = pruned.lacks_characters = source.key_tracker is not None
    pruned.needs_exhaustible_keys = source.needs_names
    pruned.has_many_sets = source.has_many_sets
    pruned.token_sets = source.token_sets
    pruned.root = target.root
    for rule in target.rules:
        pruned.add(replace(rule, slack=slack) if rule.slack >= 0 else rule)
    pruned.states(len(edges))
    for state, ways in enumerate(edges):
        for edge in ways:
            pruned.flat.extend((state, *edge))
    return pruned


def _ask_anew(edges: list[list[tuple[int, int, int]]], turns: list[int]) -> int:
    """Let each `within` ask for the turns that are needed now: what cannot be spelled may have been the shortest way.

    Where turns that begin at one state need different numbers of further turns, they begin at states of their own, so
    that no turn is begun after which there are too few.

    Args:
        edges: of each state; they are changed, and states are added.
        turns: see `least_turns`.
    Returns:
        The greatest number that is asked for.
    """
    needed: dict[int, set[int]] = {}
    parts: dict[tuple[int, int], int] = {}

    def numbers(state: int) -> set[int]:
        """Number of turns that are needed, with the one that begins at `state`."""
        if state not in needed:
            ways = [{1 + turns[a]} if op == TURN else numbers(b if op == CALL else a) for op, a, b in edges[state]]
            needed[state] = set().union(*ways)
        return needed[state]

    def part(state: int, number: int) -> int:
        """A copy of a state for the turns that need so many; -1 if there are none."""
        copy = parts.get((state, number))
        if copy is None:
            ways = []
            for op, a, b in edges[state]:
                if op == TURN:
                    ways += [(op, a, b)] if 1 + turns[a] == number else []
                elif (target := part(b if op == CALL else a, number)) >= 0:
                    ways.append((op, a, target) if op == CALL else (op, target, b))
            copy = parts[state, number] = len(edges) if ways else -1
            if ways:
                edges.append(ways)
        return copy

    slack = 0
    for state in range(len(edges)):
        anew = []
        for op, a, b in edges[state]:
            if op == WITHIN:
                slack = max(slack, *numbers(a))
                anew += [(op, part(a, number), number) for number in sorted(numbers(a))]
            else:
                anew.append((op, a, b))
        edges[state] = anew
    return slack


def _without_long_rules(network: Network) -> tuple[list[bool], list[int]]:
    """`productive_states` and `least_turns`, after counted rules whose texts are all too long have lost their start."""
    while True:
        alive = productive_states(network)
        turns = least_turns(network, alive)
        too_long = [
            number
            for number, rule in enumerate(network.rules)
            if rule.slack >= 0 and alive[rule.start] and turns[rule.start] > rule.maximum
        ]
        if not too_long:
            return alive, turns
        for number in too_long:
            network.rules[number] = replace(network.rules[number], start=network.state())


def least_turns(network: Network, alive: list[bool]) -> list[int]:
    """For each state the least number of turns to the end of its rule, or of the turn of its repetition.

    Args:
        network: with all rules built.
        alive: its productive states; the number of the others has no meaning.
    """
    before: list[list[tuple[int, int]]] = [[] for _ in network.edges]
    turns = [UNBOUNDED] * network.size
    todo: deque[tuple[int, int]] = deque()  # turns, state; the fewest turns first
    for state, ways in enumerate(network.edges):
        for edge in ways:
            op, a, b = edge
            if op in (FINAL, LOOP):
                todo.append((0, state))
            elif _pruned(edge, network, alive) is not None:
                following = b if op == CALL else network.rules[a].start + b if op == JUMP else a
                before[following].append((state, 1 if op == TURN else 0))
    while todo:
        count, state = todo.popleft()
        if turns[state] == UNBOUNDED:
            turns[state] = count
            for previous, more in before[state]:
                (todo.append if more else todo.appendleft)((count + more, previous))
    return turns


def productive_states(network: Network) -> list[bool]:
    """For each state whether the end of its rule can be reached, all rules being built."""
    return _productive(network.edges, network.rules)


def _productive(edges: Sequence[list[tuple[int, int, int]]], rules: Sequence[Rule]) -> list[bool]:
    """See `productive_states`."""
    alive = [False] * len(edges)
    below: list[list[int]] = [[] for _ in edges]  # states to look at again when this one turns out alive
    callers: list[list[int]] = [[] for _ in rules]
    rules_at: dict[int, list[int]] = {}
    for number, rule in enumerate(rules):
        rules_at.setdefault(rule.start, []).append(number)
    todo = []
    for state, ways in enumerate(edges):
        for op, a, b in ways:
            if op in (FINAL, LOOP):
                todo.append(state)
            elif op == CALL:
                below[b].append(state)
                callers[a].append(state)
            elif op == JUMP:
                below[rules[a].start + b].append(state)
            else:
                below[a].append(state)
    while todo:
        state = todo.pop()
        if alive[state] or not _is_alive(edges[state], rules, alive):
            continue
        alive[state] = True
        todo.extend(below[state])
        for rule in rules_at.get(state, ()):
            todo.extend(callers[rule])
    return alive


def _is_alive(ways: list[tuple[int, int, int]], rules: Sequence[Rule], alive: list[bool]) -> bool:
    """Test whether one of the edges of a state leads on."""
    for op, a, b in ways:
        if op in (FINAL, LOOP):
            return True
        if op == CALL:
            if alive[b] and (rules[a].nullable or alive[rules[a].start]):
                return True
        elif alive[rules[a].start + b if op == JUMP else a]:
            return True
    return False


def _pruned(edge: tuple[int, int, int], network: Network, alive: list[bool]) -> tuple[int, int, int] | None:
    """`edge` if it leads somewhere, what is left of it, or None."""
    op, a, b = edge
    if op in (FINAL, LOOP):
        return edge
    if op == CALL:
        if not alive[b]:
            return None
        if alive[network.rules[a].start]:
            return edge
        return (EPSILON, b, 0) if network.rules[a].nullable else None
    return edge if alive[network.rules[a].start + b if op == JUMP else a] else None


_NAMED = 3
"""Of a range of bytes so many are looked at for characters that an error message names, ..."""

_MANY = 12
"""Of so many missing characters those come to the fore without which there is no text at all."""

_MOST_NAMED = 24
"""... and no more characters than that are collected."""


def _missing_characters(network: Network, spelling: Spelling) -> list[str]:
    """Characters that the network reads and that cannot be spelled, sorted; not all of them if they are many."""
    missing: set[str] = set()
    for state in range(network.size):
        todo = deque([(b"", state)])  # short characters first
        seen: set[tuple[bytes, int]] = set()
        while todo and len(missing) < _MOST_NAMED:
            text, here = todo.popleft()
            if (text, here) in seen:
                continue
            seen.add((text, here))
            for op, a, _ in network.edges[here]:
                if op == EPSILON and text:
                    todo.append((text, a))
                elif op == CALL and text:
                    todo.append((text, network.rules[a].start))
                for byte in range(op & 255, min(op >> 8, (op & 255) + _NAMED - 1) + 1) if op >= 0 else ():
                    longer = text + bytes([byte])
                    if _is_character(longer):
                        if not spelling.spells(longer.decode()):
                            missing.add(longer.decode())
                    elif len(longer) < 4 and longer[0] >= 0xC2:
                        todo.append((longer, a))
    return sorted(missing)


def _needed_characters(network: Network, spelling: Spelling) -> list[str]:
    """Missing characters of ASCII without any of which there is no text, though there were all others; sorted."""
    edges, needed = list(network.edges), list[str]()
    read = {op & 255 for ways in edges for op, _, _ in ways if 0 <= op < 1 << 16 and op & 255 == op >> 8}
    for byte in sorted(read):
        if byte >= 0x80 or spelling.spells(chr(byte)):
            continue
        without = [[edge for edge in ways if edge[0] != byte | byte << 8] for ways in edges]
        if not _productive(without, network.rules)[network.rules[network.root].start]:
            needed.append(chr(byte))
    return needed


def _is_character(text: bytes) -> bool:
    try:
        return len(text.decode()) == 1
    except UnicodeDecodeError:
        return False
