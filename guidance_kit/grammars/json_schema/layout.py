"""White space between the tokens of a JSON text."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal, Protocol
from weakref import WeakKeyDictionary

from guidance_kit.errors import OptionError
from guidance_kit.fsm.fragment import constant_rule
from guidance_kit.fsm.network import Network
from guidance_kit.fsm.opcodes import CALL, EPSILON

__all__ = ["BoundedWhitespace", "Fixed", "Free", "Indent", "Layout", "Separators", "Whitespace", "layout_of"]

_SPACE, _TAB, _NEWLINE, _RETURN = 0x20, 0x09, 0x0A, 0x0D
_COMMA, _COLON = 0x2C, 0x3A


class Layout(Protocol):
    """Adds the structural tokens of arrays and objects, with the white space around them, to a network.

    Each method adds paths from `source` to `target`. `depth` is 0 for the outermost value.
    """

    @property
    def has_depth(self) -> bool:
        """True if white space depends on the nesting depth."""
        ...

    def open(self, network: Network, source: int, target: int, bracket: str, depth: int) -> None:
        """From before a value to before its first item; `bracket` is "[" or "{"."""
        ...

    def separate(self, network: Network, source: int, target: int, depth: int) -> None:
        """From after an item to before the next one."""
        ...

    def close(self, network: Network, source: int, target: int, bracket: str, depth: int) -> None:
        """From after the last item to after the value; `bracket` is "]" or "}"."""
        ...

    def empty(self, network: Network, source: int, target: int, brackets: str) -> None:
        """A whole value without items; `brackets` is "[]" or "{}"."""
        ...

    def colon(self, network: Network, source: int, target: int) -> None:
        """From after a key to before its value."""
        ...


@dataclass(frozen=True, slots=True)
class Fixed:
    """One fixed layout: separators as in `json.dumps`, and line breaks if `indent` is at least 0."""

    comma: str
    colon_text: str
    indent: int = -1

    @property
    def has_depth(self) -> bool:
        """See `Layout`."""
        return self.indent >= 0

    def _break(self, depth: int) -> str:
        return "\n" + " " * (self.indent * depth) if self.indent >= 0 else ""

    def open(self, network: Network, source: int, target: int, bracket: str, depth: int) -> None:
        """See `Layout`."""
        network.literal(source, (bracket + self._break(depth + 1)).encode(), target)

    def separate(self, network: Network, source: int, target: int, depth: int) -> None:
        """See `Layout`."""
        network.literal(source, (self.comma + self._break(depth + 1)).encode(), target)

    def close(self, network: Network, source: int, target: int, bracket: str, depth: int) -> None:
        """See `Layout`."""
        network.literal(source, (self._break(depth) + bracket).encode(), target)

    def empty(self, network: Network, source: int, target: int, brackets: str) -> None:
        """See `Layout`."""
        network.literal(source, brackets.encode(), target)

    def colon(self, network: Network, source: int, target: int) -> None:
        """See `Layout`."""
        network.literal(source, self.colon_text.encode(), target)


@dataclass(slots=True)
class _SharedRules:
    """Parts of one network: gaps and opened brackets, by their first state, and the rule of the spaces of a line."""

    gaps: dict[int, int] = field(default_factory=dict)
    opened: dict[tuple[int, str], int] = field(default_factory=dict)
    margin: int = -1


class Free:
    """White space around every structural token, as the writer likes.

    What follows the same white space shares it, so that few things have to be kept in mind while it is read.

    Args:
        columns: with a number, a gap is empty, one space, or one line break and up to so many spaces or tabs; with
            None it is any mix of space, tab, line feed and carriage return.
        most: characters of such a mix; None: any number.
    """

    has_depth = False

    def __init__(self, columns: int | None, most: int | None = None) -> None:
        self.columns = columns
        self.most = most
        self._written: WeakKeyDictionary[Network, _SharedRules] = WeakKeyDictionary()

    def open(self, network: Network, source: int, target: int, bracket: str, depth: int) -> None:
        """See `Layout`."""
        network.epsilon(self._inside(network, source, bracket), target)

    def separate(self, network: Network, source: int, target: int, depth: int) -> None:
        """See `Layout`."""
        comma = network.state()
        network.byte(self._behind(network, source), _COMMA, _COMMA, comma)
        self._gap(network, comma, target)

    def close(self, network: Network, source: int, target: int, bracket: str, depth: int) -> None:
        """See `Layout`."""
        network.byte(self._behind(network, source), ord(bracket), ord(bracket), target)

    def empty(self, network: Network, source: int, target: int, brackets: str) -> None:
        """See `Layout`."""
        network.byte(self._inside(network, source, brackets[0]), ord(brackets[1]), ord(brackets[1]), target)

    def colon(self, network: Network, source: int, target: int) -> None:
        """See `Layout`."""
        before, after = network.states(2)
        self._gap(network, source, before)
        network.byte(before, _COLON, _COLON, after)
        self._gap(network, after, target)

    def _inside(self, network: Network, source: int, bracket: str) -> int:
        """The state after a bracket and a gap."""
        opened = self._of(network).opened
        state = opened.get((source, bracket))
        if state is None:
            state = opened[source, bracket] = network.state()
            network.byte(source, ord(bracket), ord(bracket), state)
        return self._behind(network, state)

    def _behind(self, network: Network, source: int) -> int:
        """The state after a gap."""
        gaps = self._of(network).gaps
        state = gaps.get(source)
        if state is None:
            state = gaps[source] = network.state()
            self._gap(network, source, state)
        return state

    def _gap(self, network: Network, source: int, target: int) -> None:
        if self.most is not None:
            states = [source, *network.states(self.most)]
            for here in states:
                network.epsilon(here, target)
            for here, there in pairwise(states):
                self._space(network, here, there)
        elif self.columns is None:
            network.epsilon(source, target)
            run = network.state()
            for here in (source, run):
                self._space(network, here, run)
            network.epsilon(run, target)
        else:
            written = self._of(network)
            if written.margin < 0:
                written.margin = self._margin(network, self.columns)
                network.build_soon(written.margin)  # a token may have the line break and what follows it
            line = network.state()
            empty, space = (source, EPSILON, target, 0), (source, _SPACE | _SPACE << 8, target, 0)
            begun, indented = (source, _NEWLINE | _NEWLINE << 8, line, 0), (line, CALL, written.margin, target)
            network.flat.extend((*empty, *space, *begun, *indented))  # at once: most edges of an object are in gaps

    @staticmethod
    def _space(network: Network, source: int, target: int) -> None:
        """One character of white space."""
        network.byte(source, _TAB, _NEWLINE, target)
        network.byte(source, _RETURN, _RETURN, target)
        network.byte(source, _SPACE, _SPACE, target)

    def _of(self, network: Network) -> _SharedRules:
        written = self._written.get(network)
        if written is None:
            written = self._written[network] = _SharedRules()
        return written

    @staticmethod
    def _margin(network: Network, columns: int) -> int:
        """The rule that reads up to `columns` spaces or tabs: a chain, since counting in frames takes longer."""

        def write(network: Network) -> int:
            states = network.states(columns + 1)
            for here in states:
                network.final(here)
            for here, there in pairwise(states):
                network.byte(here, _TAB, _TAB, there)
                network.byte(here, _SPACE, _SPACE, there)
            return states.start

        return constant_rule(network, ("margin", columns), write, nullable=True, name="margin")


@dataclass(frozen=True, slots=True)
class Indent:
    """White space exactly as `json.dumps(value, indent=spaces)` writes it.

    Args:
        spaces: number of spaces for each level, 0 to 40.
    """

    spaces: int

    def __post_init__(self) -> None:
        if not isinstance(self.spaces, int) or isinstance(self.spaces, bool) or not 0 <= self.spaces <= 40:
            raise OptionError(f"Indent takes a number of spaces from 0 to 40, not {self.spaces!r}")


@dataclass(frozen=True, slots=True)
class Separators:
    """Separators between items and after keys, as in `json.dumps(separators=(item, key), indent=indent)`.

    Args:
        item: a comma with white space around it.
        key: a colon with white space around it.
        indent: number of spaces for each level, 0 to 40; None for everything in one line.
    """

    item: str = ", "
    key: str = ": "
    indent: int | None = None

    def __post_init__(self) -> None:
        for text, sign in ((self.item, ","), (self.key, ":")):
            if not isinstance(text, str) or text.strip(" \t\n\r") != sign:
                raise OptionError(f"a separator is {sign!r} with white space of JSON around it, not {text!r}")
        if self.indent is not None:
            Indent(self.indent)


@dataclass(frozen=True, slots=True)
class BoundedWhitespace:
    """Any mix of spaces, tabs and line breaks around each token, of bounded length.

    Args:
        most: characters between two tokens, 0 to 1,000.
    """

    most: int

    def __post_init__(self) -> None:
        if not isinstance(self.most, int) or isinstance(self.most, bool) or not 0 <= self.most <= 1_000:
            raise OptionError(f"BoundedWhitespace takes a number of characters from 0 to 1000, not {self.most!r}")


Whitespace = Literal["flexible", "compact", "json", "any"] | Indent | Separators | BoundedWhitespace

FLEXIBLE = Free(40)
_NAMED: dict[str, Layout] = {
    "flexible": FLEXIBLE,
    "compact": Fixed(",", ":"),
    "json": Fixed(", ", ": "),
    "any": Free(None),
}


def layout_of(whitespace: Whitespace) -> Layout:
    """The layout that an option names.

    Raises:
        OptionError: if there is no such layout.
    """
    if isinstance(whitespace, Indent):
        return Fixed(",", ": ", whitespace.spaces)
    if isinstance(whitespace, Separators):
        return Fixed(whitespace.item, whitespace.key, -1 if whitespace.indent is None else whitespace.indent)
    if isinstance(whitespace, BoundedWhitespace):
        return Free(None, whitespace.most)
    layout = _NAMED.get(whitespace) if isinstance(whitespace, str) else None
    if layout is None:
        raise OptionError.unknown(str(whitespace), _NAMED, "whitespace")
    return layout
