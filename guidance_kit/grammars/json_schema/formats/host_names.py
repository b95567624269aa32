"""The format `idn-hostname`: host names with labels beyond ASCII, as IDNA2008 has them (RFC 5890 to 5893).

Which characters a label may have is derived from the properties of Unicode as RFC 5892 says, in the version of the
running Python. What a regular language can only say at great cost is left out, so that all that is written is valid:

* labels in Punycode (`xn--`), whose validity is that of what they stand for (`recalled_labels.py` has them);
* labels so long that their Punycode could be longer than 63 octets: with more than 20 characters if all are below
  U+0600, with more than 13 otherwise;
* names of more than three labels, but for two short ones of ASCII at the end, so that none is longer than 253 octets;
* most of what could be outside normal form C: marks that compose with something, after characters that do too; and
  more than one mark after a character, but for nuktas, viramas, and vowels and tones of Thai and Lao;
* joiners at the end of a label, and hyphens side by side in labels beyond ASCII.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Literal

from guidance_kit.fsm.fragment import constant_rule
from guidance_kit.fsm.network import UNBOUNDED, Network
from guidance_kit.grammars.json_schema.formats.label_characters import label_characters
from guidance_kit.grammars.json_schema.formats.u_labels import (
    SEPARATORS,
    follows_bidi_rule,
    is_right_to_left,
    is_u_label,
    u_label_of,
)
from guidance_kit.grammars.regular.charset import ALL, CharSet, property_set, union
from guidance_kit.grammars.regular.encoding import Encoding
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

__all__ = [
    "LABEL", "LDH_LABEL", "PLAIN_LABEL", "LabelKind", "ascii_name", "idn_host_name_rule", "is_host_name",
    "is_idn_host_name", "most_characters", "u_labels", "write_names",
]  # fmt: skip

LabelKind = Literal["usual", "both"]
"""Labels without right-to-left characters; or labels that satisfy the Bidi rule, for names with such characters (RFC
5893, section 2)."""

LABEL = (
    "(?:[A-Za-z0-9]{1,2}|[A-Za-z0-9][A-Za-z0-9-][A-Za-z0-9]|[A-Za-z0-9][A-Za-z0-9-]"
    "(?:[A-Za-z0-9-][A-Za-z0-9]|(?:[A-Za-z0-9][A-Za-z0-9-]|-[A-Za-z0-9])[A-Za-z0-9-]{0,58}[A-Za-z0-9]))"
)
"""ASCII label without hyphens in third and fourth position, which are reserved (A-labels have them)."""

PLAIN_LABEL = f"(?:{LABEL}|(?:[A-WYZa-wyz0-9][A-Za-z0-9-]|[Xx][A-MO-Za-mo-z0-9-])--[A-Za-z0-9-]{{0,58}}[A-Za-z0-9])"
"""ASCII label without the prefix of A-labels."""

LDH_LABEL = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
"""Any label of letters, digits and hyphens."""

_LONGEST_NAME = 253
"""Octets (RFC 1035)."""

_LONGEST = ((CharSet.of([(0, 0x5FF)]), 20), (ALL, 13))
"""Set of characters, and the number of them whose Punycode has at most 59 octets in any combination."""

_NUKTA, _VIRAMA = 7, 9
_PAIRS = ((103, 107), (118, 122))
"""Canonical combining classes: those of the vowels below and the tones of Thai and of Lao."""

_JOINERS = CharSet.characters("\u200c\u200d")
_NON_JOINER = CharSet.characters("\u200c")
_MIDDLE_DOT, _KERAIA, _KATAKANA_DOT = map(CharSet.single, (0xB7, 0x375, 0x30FB))
_GERESH = CharSet.characters("\u05f3\u05f4")
_SMALL_L = CharSet.characters("l")

_HYPHEN = CharSet.characters("-")


class _Labels:
    """Labels over a character set: units of a letter with its marks, with single hyphens in between.

    Args:
        allowed: all characters that may stand in them.
    """

    def __init__(self, allowed: CharSet) -> None:
        tables = label_characters()
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
        """Labels with the Katakana middle dot and at least one character of Hiragana, Katakana or Han."""
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
        """Contextual rules of RFC 5892, appendix A, except those for joiners after viramas and for the Katakana middle
        dot."""
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
        """Marks that may follow a letter."""
        paired = {number for pair in _PAIRS for number in pair}
        single = union(found for number, found in marks.items() if number > _VIRAMA and number not in paired)
        ends = [concatenate([optional(characters(marks[number])) for number in pair]) for pair in _PAIRS]
        before = [optional(characters(marks[number])) for number in (_NUKTA, _VIRAMA)]
        return concatenate([*before, optional(alternate([characters(single), *ends]))])


def most_characters(label: str) -> int:
    """So many characters has a label whose Punycode surely is not too long."""
    return next(most for window, most in _LONGEST if all(ord(character) in window for character in label))


@cache
def u_labels(kind: LabelKind) -> tuple[Expression, ...]:
    """U-labels, up to the lengths at which Punycode is certain to fit."""
    tables = label_characters()
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


def idn_host_name_rule(network: Network, encoding: Encoding) -> int:
    """The rule of the names of `idn-hostname` that a regular language has."""

    def write(other: Network) -> int:
        def label_rule(kind: LabelKind, ascii_label: Expression) -> int:
            return _label_rule(other, kind, ascii_label, encoding)

        return write_names(other, encoding, SEPARATORS, LABEL, label_rule)

    return constant_rule(network, ("host name", encoding), write, name="host name")


def write_names(
    network: Network,
    encoding: Encoding,
    separators: str,
    ascii_label: str,
    label_rule: Callable[[LabelKind, Expression], int],
) -> int:
    """Write rules of ASCII names; names of one to three labels of any kind; and up to two short labels behind those.

    Args:
        separators: characters between labels of any kind.
        ascii_label: regular expression for labels of ASCII.
        label_rule: gives the rule of the labels of a kind, those of ASCII among them, which it is given.
    Returns:
        Where they begin.
    """
    start, end = network.states(2)
    network.final(end)
    add(network, start, ascii_name(ascii_label), end, encoding)
    kinds: tuple[tuple[LabelKind, str, str], ...] = (
        ("usual", ascii_label, "[A-Za-z0-9]{1,30}"),
        ("both", f"(?=[A-Za-z]){ascii_label}", "[A-Za-z][A-Za-z0-9]{0,29}"),
    )
    for kind, own, short in kinds:
        labels = label_rule(kind, parse(own))
        tail = parse(f"(?:\\.{short}){{0,2}}")
        source = start
        for turn in range(3):
            after = network.state()
            network.call(source, labels, after)
            add(network, after, tail, end, encoding)
            if turn < 2:
                source = network.state()
                encoding.add(network, after, CharSet.characters(separators), source)
    return start


def _label_rule(network: Network, kind: LabelKind, ascii_label: Expression, encoding: Encoding) -> int:
    def write(other: Network) -> int:
        start, end = other.states(2)
        other.final(end)
        for label in (ascii_label, *u_labels(kind)):
            add(other, start, label, end, encoding)
        return start

    return constant_rule(network, ("label", kind, encoding), write, name="label")


@cache
def ascii_name(label: str) -> Expression:
    """Names of labels of ASCII."""
    return intersect(parse(f"(?:{label}\\.)*{label}"), length(0, _LONGEST_NAME))


def is_host_name(text: str) -> bool:
    """Test whether a string is an ASCII host name whose A-labels, if any, decode to U-labels (RFC 1123, RFC 5890)."""
    return text.isascii() and _is_name(text.split("."), PLAIN_LABEL)


def is_idn_host_name(text: str) -> bool:
    """Test whether a string is an internationalised host name (IDNA2008)."""
    return _is_name(re.split(f"[{SEPARATORS}]", text), LABEL)


def _is_name(labels: list[str], ascii_label: str) -> bool:
    """Test whether each label is valid: an ASCII label by the pattern, an A-label or a U-label."""
    read: list[str | None] = []  # U-labels in place of A-labels
    for label in labels:
        if re.fullmatch(ascii_label, label):
            read.append(label)
        else:
            read.append(u_label_of(label) if label.isascii() else label if is_u_label(label) else None)
    known = [label for label in read if label is not None]
    written = (label if label.isascii() else f"xn--{label.encode('punycode').decode()}" for label in known)
    if len(known) < len(read) or len(".".join(written)) > _LONGEST_NAME:
        return False
    return not any(map(is_right_to_left, known)) or all(map(follows_bidi_rule, known))
