"""The format `idn-hostname`: host names with labels beyond ASCII, as IDNA2008 has them (RFC 5890 to 5893).

Which characters a label may have is derived from the properties of Unicode as RFC 5892 says, in the version of the
running Python. What a regular language can only say at great cost is left out, so that all that is written is valid:

* labels in Punycode (`xn--`), whose validity is that of what they stand for;
* labels so long that their Punycode could be longer than 63 octets: with more than 20 characters if all are below
  U+0600, with more than 13 otherwise;
* names of more than three labels, but for two short ones of ASCII at the end, so that none is longer than 253 octets;
* most of what could be outside normal form C: marks that compose with something, after characters that do too; and
  more than one mark after a character, but for nuktas, viramas, and vowels and tones of Thai and Lao;
* joiners at the end of a label, and hyphens side by side in labels beyond ASCII.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import cache

from guidance_kit.fsm.fragment import shared_rule
from guidance_kit.fsm.network import UNBOUNDED, Network
from guidance_kit.grammars.regular.charset import ALL, CharSet, property_set, union
from guidance_kit.grammars.regular.encoding import UTF8, Encoding
from guidance_kit.grammars.regular.expression import (
    Expression,
    alternate,
    characters,
    concatenate,
    intersect,
    length,
    optional,
    repeat,
)
from guidance_kit.grammars.regular.lower import add
from guidance_kit.grammars.regular.parse import parse

__all__ = ["LABEL", "host_name_rule", "is_host_name"]

LABEL = (
    "(?:[A-Za-z0-9]{1,2}|[A-Za-z0-9][A-Za-z0-9-][A-Za-z0-9]|[A-Za-z0-9][A-Za-z0-9-]"
    "(?:[A-Za-z0-9-][A-Za-z0-9]|(?:[A-Za-z0-9][A-Za-z0-9-]|-[A-Za-z0-9])[A-Za-z0-9-]{0,58}[A-Za-z0-9]))"
)
"""A label of ASCII; without hyphens in third and fourth place, where Punycode and what may come has them."""

_LONGEST = ((CharSet.of([(0, 0x5FF)]), 20), (ALL, 13))
"""Characters of a label, and how many of these have a Punycode of at most 59 octets, whatever they are."""

_SEPARATOR = CharSet.characters(".\u3002\uff0e\uff61")
_NUKTA, _VIRAMA = 7, 9
_PAIRS = ((103, 107), (118, 122))
"""Canonical combining classes: those of the vowels below and the tones of Thai and of Lao."""

_JOINERS = CharSet.characters("\u200c\u200d")
_NON_JOINER = CharSet.characters("\u200c")
_MIDDLE_DOT, _KERAIA, _KATAKANA_DOT = map(CharSet.single, (0xB7, 0x375, 0x30FB))
_GERESH = CharSet.characters("\u05f3\u05f4")
_SMALL_L = CharSet.characters("l")

_VALID = "\xdf\u03c2\u06fd\u06fe\u0f0b\u3007"
_BY_CONTEXT = CharSet.characters("\xb7\u0375\u05f3\u05f4\u30fb") | CharSet.of([(0x660, 0x669), (0x6F0, 0x6F9)])
_DISALLOWED = CharSet.characters("\u0640\u07fa\u302e\u302f\u3031\u3032\u3033\u3034\u3035\u303b")
_IGNORABLE_BLOCKS = CharSet.of([(0x20D0, 0x20FF), (0x1D100, 0x1D24F)])
_OLD_JAMO = CharSet.of([(0x1100, 0x11FF), (0xA960, 0xA97C), (0xD7B0, 0xD7FB)])
_SYLLABLES = CharSet.of([(0xAC00, 0xD7A3)])
_HYPHEN = CharSet.characters("-")


class _Tables:
    """The classes of characters that the rules are about; PVALID is meant as in RFC 5892.

    Attributes:
        letters: PVALID but marks and the hyphen; and the digits of Arabic, which the rule for two directions keeps
            apart.
        spacing: marks of combining class 0.
        marks: combining class -> the other marks.
        bidi: bidirectional class -> all these, and what depends on its context.
        firsts: what composes with something behind it, or is composed: what it consists of may compose.
        seconds: what composes with something before it.
    """

    def __init__(self) -> None:
        candidates = (property_set("L") | property_set("Nd") | property_set("M")) - property_set("Me")
        candidates = candidates - property_set("Default_Ignorable_Code_Point") - _IGNORABLE_BLOCKS
        candidates = candidates - _OLD_JAMO - _DISALLOWED - _BY_CONTEXT
        codes = [code for lo, hi in candidates.ranges for code in range(lo, hi + 1) if _is_stable(chr(code))]
        codes += [*map(ord, _VALID), *range(0x660, 0x66A), *range(0x6F0, 0x6FA)]
        bidi: dict[str, list[int]] = {}
        marks: dict[int, list[int]] = {0: []}
        letters: list[int] = []
        for code in codes:
            character = chr(code)
            bidi.setdefault(unicodedata.bidirectional(character), []).append(code)
            if unicodedata.category(character)[0] == "M":
                marks.setdefault(unicodedata.combining(character), []).append(code)
            else:
                letters.append(code)
        for code in (0xB7, 0x375, 0x5F3, 0x5F4, 0x30FB, 0x200C, 0x200D, 0x2D):
            bidi.setdefault(unicodedata.bidirectional(chr(code)), []).append(code)
        self.bidi = {name: _set(found) for name, found in bidi.items()}
        self.letters = _set(letters)
        self.spacing = _set(marks.pop(0))
        self.marks = {number: _set(found) for number, found in marks.items()}
        composed = property_set("Decomposition_Type=Canonical")
        found = (_composition(chr(code)) for lo, hi in composed.ranges for code in range(lo, hi + 1))
        pairs = [pair for pair in found if pair]
        self.firsts = CharSet.characters(first for first, _ in pairs) | composed - _SYLLABLES
        self.seconds = CharSet.characters(second for _, second in pairs)

    def directed(self, *names: str) -> CharSet:
        """The characters of some bidirectional classes."""
        return union(self.bidi[name] for name in names if name in self.bidi)


def _is_stable(character: str) -> bool:
    """Whether it is assigned, and case folding and compatibility leave it as it is."""
    if not unicodedata.is_normalized("NFKC", character) or unicodedata.category(character) == "Cn":
        return False
    folded = character.casefold()
    return folded == character or unicodedata.normalize("NFKC", folded) == character


def _composition(character: str) -> tuple[str, str] | None:
    """The two characters of which it is composed in normal form C."""
    parts = unicodedata.decomposition(character).split()
    if len(parts) != 2 or not unicodedata.is_normalized("NFC", character):
        return None
    first, second = (chr(int(part, 16)) for part in parts)
    return first, second


def _set(codes: list[int]) -> CharSet:
    return CharSet.of((code, code) for code in codes)


@cache
def _tables() -> _Tables:
    return _Tables()


class _Labels:
    """Labels of some characters: units of a letter and what belongs to it, with single hyphens between them.

    Args:
        allowed: all characters that may stand in them.
    """

    def __init__(self, allowed: CharSet) -> None:
        tables = _tables()
        self.allowed = allowed
        bases = tables.letters | tables.spacing
        self._letters = tables.letters & allowed
        self._alone = (bases - tables.firsts - tables.seconds) & allowed
        self._composing = (bases & tables.firsts) - tables.seconds & allowed
        self._late = (bases & tables.seconds) - tables.firsts & allowed
        self._all_marks = {number: marks & allowed for number, marks in tables.marks.items()}
        self._other_marks = {number: marks - tables.seconds for number, marks in self._all_marks.items()}

    def between(self, first: CharSet, last: CharSet) -> Expression:
        """Labels whose first letter is in one set and whose last one, marks aside, is in another."""
        first = first & self._letters
        begin, middle, end = self._units(first, ALL), self._units(ALL, ALL), self._units(ALL, last)
        begin, middle = alternate([begin, self._joined(first)]), alternate([middle, self._joined(ALL)])
        hyphen = optional(characters(_HYPHEN & self.allowed))
        inner = repeat(concatenate([hyphen, middle]), 0, UNBOUNDED)
        return alternate([self._units(first, last), concatenate([begin, inner, hyphen, end])])

    def with_katakana_dots(self) -> Expression:
        """Labels with middle dots of Katakana, in which there is Hiragana, Katakana or Han."""
        japanese = union(map(property_set, ("Script=Hiragana", "Script=Katakana", "Script=Han"))) - _KATAKANA_DOT
        dot = characters(_KATAKANA_DOT & self.allowed)
        begin, any_unit = self._units(self._letters, ALL), self._units(ALL, ALL)
        others = repeat(alternate([any_unit, dot]), 0, UNBOUNDED)
        here = self._units(japanese & self._letters, japanese)
        return concatenate([optional(concatenate([alternate([begin, dot]), others])), here, others])

    def _units(self, first: CharSet, last: CharSet) -> Expression:
        both = first & last
        everything, others = self._marked(self._all_marks), self._marked(self._other_marks)
        ways = [
            concatenate([characters(self._alone & both), everything]),
            concatenate([characters(self._composing & both), others]),
            concatenate([characters(self._alone & first), everything, characters(self._late & last), everything]),
            *self._by_context(first, last),
        ]
        return alternate(ways)

    def _by_context(self, first: CharSet, last: CharSet) -> Iterator[Expression]:
        """The rules of RFC 5892, appendix A, but those for joiners behind viramas and for Katakana."""
        allowed = self.allowed
        dots = repeat(concatenate(map(characters, (_SMALL_L & allowed, _MIDDLE_DOT & allowed))), 1, UNBOUNDED)
        if 0x6C in first:
            yield concatenate([dots, characters(_SMALL_L & last)])
        greek = property_set("Script=Greek") & last
        keraia = characters(_KERAIA & allowed & first)
        yield concatenate([keraia, characters((self._alone | self._composing) & greek)])
        hebrew = property_set("Script=Hebrew") & first & self._letters
        yield concatenate([characters(hebrew), characters(_GERESH & allowed & last)])
        both, left, right = (property_set(f"Joining_Type={name}") & self._letters for name in ("D", "L", "R"))
        joint = characters(_NON_JOINER & allowed)
        inner = repeat(concatenate([joint, characters(both)]), 0, UNBOUNDED)
        yield concatenate([characters((both | left) & first), inner, joint, characters((both | right) & last)])

    def _joined(self, first: CharSet) -> Expression:
        """Units that end in a joiner behind a virama."""
        joiner = characters(_JOINERS & self.allowed)
        ways: list[Expression] = []
        for bases, marks in ((self._alone, self._all_marks), (self._composing, self._other_marks)):
            nukta, virama = optional(characters(marks[_NUKTA])), characters(marks[_VIRAMA])
            ways.append(concatenate([characters(bases & first), nukta, virama, joiner]))
        return alternate(ways)

    def _marked(self, marks: dict[int, CharSet]) -> Expression:
        """The marks that may follow a letter."""
        paired = {number for pair in _PAIRS for number in pair}
        single = union(found for number, found in marks.items() if number > _VIRAMA and number not in paired)
        ends = [concatenate([optional(characters(marks[number])) for number in pair]) for pair in _PAIRS]
        before = [optional(characters(marks[number])) for number in (_NUKTA, _VIRAMA)]
        return concatenate([*before, optional(alternate([characters(single), *ends]))])


@cache
def _labels(kind: str) -> tuple[Expression, ...]:
    """Labels beyond ASCII, each with its greatest length.

    Args:
        kind: "usual": of names without letters that are written from right to left; "both": that fulfil the rule for
            names with such letters (RFC 5893, section 2).
    """
    tables = _tables()
    directed = tables.directed
    right, left = directed("R", "AL"), directed("L")
    neutral = directed("ES", "CS", "ET", "ON", "BN", "NSM")
    found: list[Expression] = []
    for window, most in _LONGEST:
        ways: list[Expression] = []
        if kind == "usual":
            labels = _Labels(window - right - directed("AN"))
            ways += (labels.between(ALL, ALL), labels.with_katakana_dots())
        else:
            numbers = directed("EN")
            ways.append(_Labels(window & (left | neutral | numbers)).between(left, left | numbers))
            for digits in (numbers, directed("AN")):
                ways.append(_Labels(window & (right | neutral | digits)).between(right, right | digits))
        found.append(intersect(alternate(ways), length(1, most)))
    return tuple(found)


def host_name_rule(network: Network, encoding: Encoding) -> int:
    """The rule of all names."""

    def write(other: Network) -> int:
        start, end = other.states(2)
        other.final(end)
        for kind, ascii_label, short in (
            ("usual", LABEL, "[A-Za-z0-9]{1,30}"),
            ("both", f"(?=[A-Za-z]){LABEL}", "[A-Za-z][A-Za-z0-9]{0,29}"),
        ):
            _write_names(other, start, kind, ascii_label, short, end, encoding)
        add(other, start, _ascii_name(), end, encoding)
        return start

    return shared_rule(network, ("host name", encoding), write, name="host name")


def is_host_name(text: str) -> bool:
    """Whether a text is one of these names."""
    from guidance_kit.fsm.automaton import Automaton  # brings numba, for the few schemas that list such names

    network = Network()
    network.root = host_name_rule(network, UTF8)
    automaton = Automaton(network)
    path = automaton.advance(automaton.start, text.encode())
    return bool(text) and len(path) == len(text.encode()) and automaton.is_complete(int(path[-1]))


def _write_names(
    network: Network, source: int, kind: str, ascii_label: str, short: str, end: int, encoding: Encoding
) -> None:
    """One to three labels, and up to two short ones."""
    labels = _label_rule(network, kind, ascii_label, encoding)
    tail = parse(f"(?:\\.{short}){{0,2}}")
    for turn in range(3):
        after = network.state()
        network.call(source, labels, after)
        add(network, after, tail, end, encoding)
        if turn < 2:
            source = network.state()
            encoding.add(network, after, _SEPARATOR, source)


def _label_rule(network: Network, kind: str, ascii_label: str, encoding: Encoding) -> int:
    def write(other: Network) -> int:
        start, end = other.states(2)
        other.final(end)
        for label in (parse(ascii_label), *_labels(kind)):
            add(other, start, label, end, encoding)
        return start

    return shared_rule(network, ("label", kind, encoding), write, name="label")


@cache
def _ascii_name() -> Expression:
    return intersect(parse(f"{LABEL}(?:\\.{LABEL})*"), length(0, 253))
