"""State graph of an automaton over characters, simplified for drawing.

An automaton reads bytes, and its states are built as texts need them. In the graph the bytes of a character are one
step, characters with the same target are one edge, a run of steps without a choice is one edge, and so are the escapes
of a JSON string.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from guidance_kit.fsm.automaton import Automaton
from guidance_kit.grammars.regular.character_edges import CharacterEdges
from guidance_kit.grammars.regular.charset import CharSet, digits, spaces, words

__all__ = ["AutomatonGraph", "graph_of", "label_of"]

_CONTROLS = CharSet.of([(0x00, 0x1F)])


@dataclass(slots=True)
class AutomatonGraph:
    """State graph. Nodes are configurations between two characters.

    Attributes:
        start: the initial node.
        place: the node after the given text, None without one.
        edges: for each explored node `{target: label}`.
        complete: accepting nodes.
        unexplored: reachable nodes whose edges were not computed.
    """

    start: int
    place: int | None
    edges: dict[int, dict[int, str]] = field(default_factory=dict)
    complete: set[int] = field(default_factory=set)
    unexplored: set[int] = field(default_factory=set)

    @property
    def nodes(self) -> list[int]:
        """All nodes, in the order of exploration."""
        found = dict.fromkeys([self.start, *self.edges])
        for targets in self.edges.values():
            found |= dict.fromkeys(targets)
        return list(found)


def graph_of(automaton: Automaton, text: str | None = None, *, most: int = 60) -> AutomatonGraph:
    """Explore the part of an automaton nearest to its start, and to the path of a text, breadth first.

    Args:
        text: prefix of a text; the nodes on its path are explored first.
        most: approximate number of drawn nodes.
    Raises:
        ValueError: the automaton does not allow `text`.
    """
    path = [automaton.start]
    for count, character in enumerate(text or ""):
        data = character.encode()
        after = automaton.advance(path[-1], data, (text or "")[:count].encode())
        if len(after) < len(data):
            raise ValueError(f"character {count} of the text, {character!r}, is not allowed there")
        path.append(int(after[-1]))
    graph = AutomatonGraph(start=path[0], place=path[-1] if text is not None else None)
    steps: dict[int, dict[int, CharSet]] = {}
    # Runs without a choice are drawn as one edge, so far more nodes are explored than drawn.
    queue = list(dict.fromkeys(path))
    kept = set(queue)
    drawn = 0
    edges = CharacterEdges(automaton)
    for config in queue:
        if drawn >= most:
            break
        steps[config] = edges.of(config)
        drawn += config in path or len(steps[config]) != 1 or _only(steps[config]) is None
        for target in steps[config]:
            if target not in kept:
                kept.add(target)
                queue.append(target)
    graph.unexplored = kept - steps.keys()
    graph.complete = {config for config in kept if automaton.is_complete(config)}
    graph.edges = _joined(steps, keep={path[0], path[-1]} | graph.complete | graph.unexplored)
    graph.unexplored &= set(graph.nodes)
    graph.complete &= set(graph.nodes)
    return graph


def label_of(characters: CharSet) -> str:
    """Label of a character set; large sets are abbreviated, or described by their complement."""
    if (name := _known().get(characters)) is not None:
        return name
    size = f"{len(characters):,} characters"
    if len(characters) > 0x8000:
        missing = ~characters
        shown = [_span(lo, hi) for lo, hi in (missing - _CONTROLS).ranges]
        if len(shown) > 6:
            return size
        if missing & _CONTROLS:
            shown.append("controls")
        return "any but " + " ".join(shown) if shown else "any"
    shown = [_span(lo, hi) for lo, hi in characters.ranges]
    return " ".join([*shown[:8], f"… ({size})"] if len(shown) > 8 else shown)


def _only(targets: Mapping[int, CharSet]) -> str | None:
    """Only character on the edges of a node, None if there are several."""
    return _single(next(iter(targets.values()))) if len(targets) == 1 else None


def _joined(steps: Mapping[int, Mapping[int, CharSet]], keep: set[int]) -> dict[int, dict[int, str]]:
    """Labelled edges, with escapes and runs without a choice as one edge each."""
    comes_from: dict[int, set[int]] = defaultdict(set)
    for source, targets in steps.items():
        for target in targets:
            comes_from[target].add(source)
    edges: dict[int, dict[int, str]] = {}
    todo = [next(iter(steps))]
    for source in todo:
        if source in edges or source not in steps:
            continue
        labels: dict[int, list[str]] = defaultdict(list)
        for target, characters in steps[source].items():
            label, end = label_of(characters), target
            escape_end = _escape_end(steps, source, target, keep) if label == "\\" else None
            if escape_end is not None:
                label, end = f"{label}…", escape_end
            else:
                word = _single(characters)
                seen = {source}
                while word is not None and end not in keep and len(comes_from[end]) == 1 and end not in seen:
                    seen.add(end)
                    following = _only(steps[end]) if end in steps else None
                    if following is None:
                        break
                    word += following
                    (end,) = steps[end]
                label = _quoted(word) if word is not None and len(word) > 1 else label
            labels[end].append(label)
            todo.append(end)
        edges[source] = {end: "\n".join(parts) for end, parts in labels.items()}
    return edges


_MOST_ESCAPES = 24
"""Maximum number of nodes after a backslash that are drawn as one edge."""


def _escape_end(steps: Mapping[int, Mapping[int, CharSet]], source: int, first: int, keep: set[int]) -> int | None:
    """Node at which all paths from `first` rejoin, if that is `source` or another target of it; else None."""
    homes = {source, *steps[source]} - {first}
    inside, todo, exits = {first}, [first], set()
    while todo:
        here = todo.pop()
        if here in keep or here not in steps or len(inside) > _MOST_ESCAPES:
            return None
        for target in steps[here]:
            if target in homes:
                exits.add(target)
            elif target not in inside:
                inside.add(target)
                todo.append(target)
    return exits.pop() if len(exits) == 1 else None


@cache
def _known() -> dict[CharSet, str]:
    """Names of the character classes of regular expressions."""
    classes = {digits(): "\\d", words(): "\\w", spaces(): "\\s"}
    return classes | {~members: name.upper() for members, name in classes.items()}


def _single(characters: CharSet) -> str | None:
    """Only member of a set, None if there are several."""
    return chr(characters.bounds[0]) if len(characters) == 1 else None


_NAMES = {" ": "␣", "\n": "⏎", "\t": "⇥", "\r": "␍"}


def _shown(code: int) -> str:
    character = chr(code)
    if character in _NAMES:
        return _NAMES[character]
    return character if character.isprintable() else f"U+{code:04X}"


def _span(lo: int, hi: int) -> str:
    return _shown(lo) if lo == hi else f"{_shown(lo)}{' ' if hi == lo + 1 else '–'}{_shown(hi)}"


def _quoted(word: str) -> str:
    return "".join(_shown(ord(character)) for character in word)
