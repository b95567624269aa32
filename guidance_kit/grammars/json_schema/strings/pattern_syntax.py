"""Format `regex`: network rules of ECMA-262 patterns (section 22.2.1, flag `u`), whose groups nest.

What hangs together over any distance is left out, or read from the text. So one group may have a name, which is not
within another group; where the text is read, others may have names behind it that differ, and `\\k<name>` refers to
them. Backreferences by number are left out. In `{n,m}`, n is at most m, which is seen from the digits: there are more
of them in m, at most nine, or as many and no more than two. A range in a class ends no lower than it begins, which is
seen between two ASCII characters, an ASCII character and one beyond, and two escapes `\\uXXXX` that differ in the first
two digits.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from functools import cache, partial
from typing import NamedTuple

from guidance_kit.errors import PatternError, UnsupportedFeature
from guidance_kit.fsm.fragment import constant_rule
from guidance_kit.fsm.network import Network
from guidance_kit.grammars.json_schema.strings.last_value import string_so_far
from guidance_kit.grammars.regular.charset import CharSet
from guidance_kit.grammars.regular.complements import complement
from guidance_kit.grammars.regular.encoding import Encoding
from guidance_kit.grammars.regular.expression import Expression, alternate, characters, intersect, literal
from guidance_kit.grammars.regular.lower import add, declare
from guidance_kit.grammars.regular.parse import parse, parse_search

__all__ = ["is_pattern", "pattern_rule", "recalling_pattern_rule"]

_SYNTAX = r"\^$\\.*+?()\[\]{}|"
_HEX = "[0-9A-Fa-f]"
_CATEGORIES = (
    "L Lu Ll Lt LC Lm Lo M Mn Mc Me N Nd Nl No P Pc Pd Ps Pe Pi Pf Po S Sm Sc Sk So Z Zs Zl Zp C Cc Cf Cs Co Cn"
)
_ESCAPED = (
    rf"(?:[dDsSwWfnrtv{_SYNTAX}/]|c[A-Za-z]|x{_HEX}{{2}}|u{_HEX}{{4}}|u\{{0*(?:10{_HEX}{{4}}|{_HEX}{{1,5}})\}}"
    rf"|[pP]\{{(?:{_CATEGORIES.replace(' ', '|')})\}})"
)

_FIRST_OF_RANGE = "[ -,.-[^-~]"
"""An ASCII character that stands for itself in a class."""

_NOT_IN_CLASS = CharSet.characters("-\\]")
"""Characters that do not stand for themselves in a class."""

_BEYOND_ASCII = rf"(?:00[89A-Fa-f]{_HEX}|0[1-9A-Fa-f]{_HEX}{{2}}|[1-9A-Fa-f]{_HEX}{{3}})"
"""Four hexadecimal digits of a greater number than those of ASCII characters."""

_NAME = r"[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*"
_PIECE = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]|\(\?<(?![=!])([^>]*)>|.", re.DOTALL)
"""Escape, class, opening of a named group, or other character of a pattern."""


def pattern_rule(network: Network, encoding: Encoding) -> int:
    """Rule of the patterns with at most one named group, the empty pattern included."""

    def write(other: Network) -> int:
        inside = _nameless_rule(other, encoding)
        return _write_named(other, encoding, inside, _write_terms(other, encoding, inside))

    return constant_rule(network, ("pattern", encoding), write, nullable=True, name="pattern")


def recalling_pattern_rule(network: Network, encoding: Encoding) -> int:
    """Rule of the patterns in JSON strings, with the names of groups read back from the text."""

    def write() -> int:
        inside = network.rule(lambda: terms().before, nullable=True, name="part of a pattern")

        def terms() -> _Terms:
            return _write_terms(network, encoding, inside, _Names(network, encoding))

        return _write_named(network, encoding, inside, terms())

    return network.rule(write, nullable=True, name="pattern")


def _nameless_rule(network: Network, encoding: Encoding) -> int:
    """Rule of the patterns without named groups."""

    def write(other: Network) -> int:
        return _write_terms(other, encoding, _nameless_rule(other, encoding)).before

    return constant_rule(network, ("pattern without names", encoding), write, nullable=True, name="part of a pattern")


def is_pattern(text: str) -> bool:
    """Test whether a string is a valid pattern, unsupported ones and those without the flag `u` included."""
    try:
        parse_search(text, dialect="ecma")
    except PatternError:
        return False
    except UnsupportedFeature:
        return True  # it is refused for what it means
    return True


class _Terms(NamedTuple):
    """States between terms: before a term, after `\\0`, after a term that may be repeated."""

    before: int
    nul: int
    atom: int


class _Names:
    """Rules of group names, chosen by the text so far.

    Args:
        network, encoding: where and how to write.
    """

    def __init__(self, network: Network, encoding: Encoding) -> None:
        self._network = network
        self._encoding = encoding
        self._rules: dict[tuple[bool, frozenset[str]], int] = {}
        self.new = network.rule(lambda: self._read(is_new=True), nullable=False, name="name of a group")
        self.known = network.rule(lambda: self._read(is_new=False), nullable=False, name="name of a group")

    def _read(self, *, is_new: bool) -> int:
        state = self._network.state()
        self._network.recall(state, lambda text: self._rule(is_new, _names_in(string_so_far(text))))
        return state

    def _rule(self, is_new: bool, names: frozenset[str]) -> int:
        rule = self._rules.get((is_new, names))
        if rule is None:
            found = alternate(map(literal, sorted(names)))
            found = intersect(_parsed(_NAME), complement(found)) if is_new else found
            rule = self._rules[is_new, names] = declare(self._network, found, self._encoding, name="name of a group")
        return rule


def _names_in(pattern: str) -> frozenset[str]:
    """Names of the groups in a prefix of a pattern."""
    return frozenset(name for name in _PIECE.findall(pattern) if name)


def _write_named(network: Network, encoding: Encoding, inside: int, after: _Terms) -> int:
    """Write patterns without named groups, and patterns with one, continued in `after`.

    Args:
        inside: the rule of what stands in that group.
    """
    terms = _write_terms(network, encoding, _nameless_rule(network, encoding))
    opened, closed = network.states(2)
    for source in (terms.before, terms.nul):
        add(network, source, _parsed(rf"\(\?<{_NAME}>"), opened, encoding)
    network.call(opened, inside, closed)
    add(network, closed, _parsed(r"\)"), after.atom, encoding)
    return terms.before


def _write_terms(network: Network, encoding: Encoding, inside: int, names: _Names | None = None) -> _Terms:
    """Write terms and the bars between them; each alternative is a sequence of terms.

    Args:
        inside: the rule of what stands in groups.
        names: of groups; None where none has one.
    """
    before, nul, atom, term, escaped, classed, counted, closed = network.states(8)

    def read(source: int, pattern: str, target: int) -> None:
        add(network, source, _parsed(pattern), target, encoding)

    for source, first in ((before, ""), (nul, "0-9")):  # no digit follows \0
        network.final(source)
        read(source, f"[^{_SYNTAX}{first}]", atom)
        network.epsilon(source, term)
    read(term, "[|^$]", before)
    read(term, r"\.", atom)
    read(term, r"\\", escaped)
    read(escaped, "[bB]", before)
    read(escaped, "0", nul)
    network.call(escaped, _escape_rule(network, encoding), atom)
    read(term, r"\[", classed)
    network.call(classed, _class_rule(network, encoding), atom)
    for opening, after in ((r"\((?:\?:)?", atom), (r"\(\?<?[=!]", before)):
        begun, ended = network.states(2)
        read(term, opening, begun)
        network.call(begun, inside, ended)
        read(ended, r"\)", after)
    if names is not None:
        begun, named, opened, ended, referred, known = network.states(6)
        read(term, r"\(\?<", begun)
        network.call(begun, names.new, named)
        read(named, ">", opened)
        network.call(opened, inside, ended)
        read(ended, r"\)", atom)
        read(escaped, "k<", referred)
        network.call(referred, names.known, known)
        read(known, ">", atom)
    for source in (nul, atom):
        read(source, r"[*+?]\??", before)
        read(source, r"\{", counted)
    network.call(counted, _counts_rule(network, encoding), closed)
    read(closed, r"\}\??", before)
    network.epsilon(atom, before)
    return _Terms(before, nul, atom)


def _rule_of(network: Network, encoding: Encoding, kind: str, texts: Callable[[], Expression]) -> int:
    """Rule with the texts of an expression, which is written when a text gets there."""

    def write(other: Network) -> int:
        start, end = other.states(2)
        other.final(end)
        add(other, start, texts(), end, encoding)
        return start

    return constant_rule(network, (kind, encoding), write, name=kind)


def _escape_rule(network: Network, encoding: Encoding) -> int:
    """Rule of what follows the backslash of an escape, in a class or outside."""
    return _rule_of(network, encoding, "escape in a pattern", lambda: parse(_ESCAPED))


def _counts_rule(network: Network, encoding: Encoding) -> int:
    """Rule of `n`, `n,` or `n,m`."""

    def write(other: Network) -> int:
        start, end = other.states(2)
        other.final(end)
        longer = (f"[1-9][0-9]{{{count}}},[1-9][0-9]{{{count + 1},8}}" for count in range(1, 5))
        add(other, start, _parsed("|".join(["[0-9]{1,9},?", *longer])), end, encoding)
        for digit in range(10):
            begun = other.state()
            add(other, start, literal(str(digit)), begun, encoding)
            rest = _rule_of(other, encoding, f"counts from {digit}", partial(_counts_from, digit))
            other.call(begun, rest, end)
        return start

    return constant_rule(network, ("counts in a pattern", encoding), write, name="counts")


def _class_rule(network: Network, encoding: Encoding) -> int:
    """Rule of a character class after its opening bracket."""

    def write(other: Network) -> int:
        start, body, escaped, number, end = other.states(5)

        def read(source: int, pattern: str, target: int) -> None:
            add(other, source, _parsed(pattern), target, encoding)

        other.final(end)
        read(start, r"\^?-?", body)
        read(body, r"[^\\\]\-]", body)
        read(body, rf"{_FIRST_OF_RANGE}-\\u{_BEYOND_ASCII}", body)
        for character in filter(re.compile(_FIRST_OF_RANGE).fullmatch, map(chr, range(0x80))):
            first, begun = other.states(2)
            add(other, body, literal(character), first, encoding)
            add(other, first, literal("-"), begun, encoding)
            last = _rule_of(other, encoding, f"range from {character}", partial(_last_of_range, character))
            other.call(begun, last, body)
        read(body, r"\\", escaped)
        read(escaped, r"[b\-]", body)
        other.call(escaped, _escape_rule(other, encoding), body)
        read(escaped, "u", number)
        for digit in range(16):
            begun = other.state()
            read(number, _one_digit(digit), begun)
            rest = _rule_of(other, encoding, f"range from \\u{digit:x}", partial(_ranges_from, digit))
            other.call(begun, rest, body)
        read(body, r"-?\]", end)
        return start

    return constant_rule(network, ("class of a pattern", encoding), write, name="class")


@cache
def _parsed(pattern: str) -> Expression:
    return parse(pattern)


def _counts_from(digit: int) -> Expression:
    """Rest of `n,m` after its first digit, where n has one digit, or m no more than n."""
    ways = [f",[{digit}-9]", ",[1-9][0-9]{1,8}"]
    if digit:
        for second in range(10):
            ways.append(f"{second},{digit}[{second}-9]")
            if digit < 9:
                ways.append(f"{second},[{digit + 1}-9][0-9]")
    return parse("|".join(ways))


def _last_of_range(first: str) -> Expression:
    """The characters, and not escapes, that a range from an ASCII character may end in."""
    return characters(CharSet.of([(ord(first), sys.maxunicode)]) - _NOT_IN_CLASS)


def _ranges_from(digit: int) -> Expression:
    """A range between two escapes `\\uXXXX`, after the first digit of the first."""
    ways: list[str] = []
    for second in range(16):
        high = 16 * digit + second
        if high < 255 and not 0xD8 <= high < 0xE0:  # halves of surrogate pairs
            ways.append(rf"{_one_digit(second)}{_HEX}{{2}}-\\u{_beyond(high)}{_HEX}{{2}}")
    return parse("|".join(ways))


def _hexadecimal(number: int) -> str:
    """Two hexadecimal digits, in either case."""
    return _one_digit(number // 16) + _one_digit(number % 16)


def _one_digit(number: int) -> str:
    """One hexadecimal digit, in either case."""
    digit = f"{number:x}"
    return f"[{digit}{digit.upper()}]" if digit.isalpha() else digit


def _beyond(number: int) -> str:
    """Two hexadecimal digits of a greater number."""
    first, second = divmod(number, 16)
    ways = [f"{_one_of(first + 1)}{_HEX}"] if first < 15 else []
    if second < 15:
        ways.append(f"{_hexadecimal(16 * first)[:-1]}{_one_of(second + 1)}")
    return f"(?:{'|'.join(ways)})"


def _one_of(least: int) -> str:
    """Hexadecimal digit of at least `least`."""
    digits = "0123456789abcdef"[least:]
    return f"[{digits}{''.join(filter(str.isupper, digits.upper()))}]"
