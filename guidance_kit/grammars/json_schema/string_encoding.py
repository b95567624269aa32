"""How characters are spelt inside JSON strings: raw, by a short escape, or by their code units in hexadecimal."""

from __future__ import annotations

from typing import Literal

from guidance_kit.fsm.fragment import shared_rule
from guidance_kit.fsm.network import Network
from guidance_kit.grammars.regular.charset import ALL, CharSet
from guidance_kit.grammars.regular.encoding import UTF8

__all__ = ["ALL_ESCAPES", "MINIMAL_ESCAPES", "Escapes", "JsonString"]

Escapes = Literal["all", "minimal"]

RAW = ALL - CharSet.of([(0x00, 0x1F), (0x22, 0x22), (0x5C, 0x5C)])
"""Characters that may stand in a JSON string as they are (RFC 8259, section 7: `unescaped`)."""

SHORT = {0x22: b'"', 0x5C: b"\\", 0x2F: b"/", 0x08: b"b", 0x0C: b"f", 0x0A: b"n", 0x0D: b"r", 0x09: b"t"}
"""Code point -> what follows the backslash in its short escape."""

NEEDS_ESCAPE = ALL - RAW

_QUOTE, _BACKSLASH = 0x22, 0x5C

# One state of a template: edges (byte, local target); local target 0 is the end, k the k-th state, 1 the start.
_Template = list[list[tuple[int, int]]]


class JsonString:
    """The spellings of characters between the quotes of a JSON string; an `Encoding` of the regular front end.

    With `escapes="all"` every character has its raw form (if RFC 8259 allows one), its short escape and its
    hexadecimal escapes in either case, surrogate pairs included. With "minimal" it has exactly the form that
    `json.dumps(text, ensure_ascii=False)` writes. Lone surrogates are never spelt.

    What follows a backslash is a rule of its own, one for each set of characters, built when a text gets there.
    """

    def __init__(self, escapes: Escapes) -> None:
        self.escapes: Escapes = escapes
        self._templates: dict[CharSet, _Template] = {}

    def add(self, network: Network, source: int, charset: CharSet, target: int) -> None:
        """Add paths from `source` to `target` that read exactly one character of the non-empty `charset`."""
        raw = charset & RAW
        if raw:
            UTF8.add(network, source, raw, target)
        escaped = charset if self.escapes == "all" else charset & NEEDS_ESCAPE
        if escaped:
            middle = network.state()
            network.byte(source, _BACKSLASH, _BACKSLASH, middle)
            network.call(middle, self._escape_rule(network, escaped), target)

    def literal(self, network: Network, source: int, text: str, target: int) -> None:
        """Add paths from `source` to `target` that read all spellings of `text`; for the empty text an epsilon edge."""
        if not text:
            network.epsilon(source, target)
            return
        for character in text[:-1]:
            following = network.state()
            self.character(network, source, character, following)
            source = following
        self.character(network, source, text[-1], target)

    def character(self, network: Network, source: int, character: str, target: int) -> None:
        """Add paths from `source` to `target` that read all spellings of one character."""
        code = ord(character)
        must_escape = code < 0x20 or code in (_QUOTE, _BACKSLASH)
        if code < 0x80:
            if not must_escape:
                network.byte(source, code, code, target)
        else:
            network.literal(source, character.encode(), target)
        if must_escape or self.escapes == "all":
            middle = network.state()
            network.byte(source, _BACKSLASH, _BACKSLASH, middle)
            network.call(middle, self._escape_rule(network, CharSet.single(code)), target)

    def _escape_rule(self, network: Network, charset: CharSet) -> int:
        """The rule that reads what follows the backslash in an escape of one character of `charset`."""
        key = "escape", self.escapes, charset
        return shared_rule(network, key, lambda other: self._build_escape(other, charset), name="escape")

    def _build_escape(self, network: Network, charset: CharSet) -> int:
        start, end = network.states(2)
        network.final(end)
        for part in (charset & _LATIN, charset - _LATIN):  # apart, since most sets have all or nothing of the second
            template = self._template(part) if part else [[]]
            base = network.states(len(template) - 1).start - 2
            for number, ways in enumerate(template, 1):
                source = base + number if number > 1 else start
                for byte, local in ways:
                    network.byte(source, byte, byte, base + local if local else end)
        return start

    def _template(self, charset: CharSet) -> _Template:
        template = self._templates.get(charset)
        if template is None:
            if len(self._templates) >= 4096:
                self._templates.clear()
            template = self._templates[charset] = _template(charset, every=self.escapes == "all")
        return template


def _template(charset: CharSet, *, every: bool) -> _Template:
    """A small automaton for what follows the backslash.

    Args:
        every: all escapes of each character; otherwise the one that `json.dumps` writes.
    """
    states: _Template = [[]]
    known: dict[tuple[tuple[int, int], ...], int] = {}
    wholes: dict[tuple[int, int], int] = {}
    digits = [b"%x" % digit + (b"%X" % digit if every and digit > 9 else b"") for digit in range(16)]

    def state(ways: list[tuple[int, int]]) -> int:
        key = tuple(ways)
        number = known.get(key)
        if number is None:
            states.append(ways)
            number = known[key] = len(states)
        return number

    def low_surrogates(offsets: list[tuple[int, int]]) -> int:
        """State before the `\\uDC00`-`\\uDFFF` that ends a pair, for inclusive ranges of its last ten bits."""
        units = [(lo + 0xDC00, hi + 0xDC00, 0) for lo, hi in offsets]
        return state([(_BACKSLASH, state([(0x75, unit(units, 0, 4096))]))])

    def unit(pieces: list[tuple[int, int, int]], base: int, size: int) -> int:
        """State that reads the hexadecimal digits of a code unit in base .. base + 16 * size - 1.

        `pieces` are inclusive ranges of units with the state to go to after them, in order.
        """
        whole = (size, pieces[0][2]) if pieces[0][:2] == (base, base + 16 * size - 1) else None
        if whole in wholes:
            return wholes[whole]
        ways: list[tuple[int, int]] = []
        for digit in range(16):
            lo, hi = base + digit * size, base + (digit + 1) * size - 1
            inside = [(max(a, lo), min(b, hi), then) for a, b, then in pieces if a <= hi and b >= lo]
            if inside:
                target = inside[0][2] if size == 1 else unit(inside, lo, size // 16)
                ways += [(byte, target) for byte in digits[digit]]
        number = state(ways)
        if whole is not None:
            wholes[whole] = number
        return number

    for code, byte in SHORT.items():
        if code in charset and (every or code != 0x2F):
            states[0].append((byte[0], 0))
    if not every:
        charset = charset - CharSet.of((code, code) for code in SHORT)
    pieces = [(lo, hi, 0) for lo, hi in (charset & _BASIC).ranges]
    partial: dict[int, list[tuple[int, int]]] = {}
    for lo, hi in (charset & _ASTRAL).ranges:
        (high, first), (end, last) = divmod(lo - 0x10000, 0x400), divmod(hi - 0x10000, 0x400)
        if first > 0 or (high == end and last < 0x3FF):
            partial.setdefault(high, []).append((first, 0x3FF if high < end else last))
            high += 1
        if high <= end and last < 0x3FF:
            partial.setdefault(end, []).append((0, last))
            end -= 1
        if high <= end:
            pieces.append((0xD800 + high, 0xD800 + end, low_surrogates([(0, 0x3FF)])))
    pieces += [(0xD800 + high, 0xD800 + high, low_surrogates(offsets)) for high, offsets in partial.items()]
    if pieces:
        states[0].append((0x75, unit(sorted(pieces), 0, 4096)))
    return states


_LATIN = CharSet.of([(0, 0xFF)])
_BASIC = CharSet.of([(0, 0xFFFF)])
_ASTRAL = CharSet.of([(0x10000, 0x10FFFF)])

ALL_ESCAPES = JsonString("all")
"""Every spelling that RFC 8259 allows; it keeps templates, so it is shared."""

MINIMAL_ESCAPES = JsonString("minimal")
"""The spelling of `json.dumps(text, ensure_ascii=False)`."""
