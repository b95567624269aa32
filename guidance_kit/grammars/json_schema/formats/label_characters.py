"""Characters of host name labels beyond ASCII (RFC 5892), with their contextual rules.

All is derived from the properties of Unicode, in the version of the running Python.
"""

from __future__ import annotations

import unicodedata
from functools import cache

from guidance_kit.grammars.regular.charset import CharSet, property_set, union

__all__ = ["LabelCharacters", "label_characters"]

_VALID = "\xdf\u03c2\u06fd\u06fe\u0f0b\u3007"
_BY_CONTEXT = CharSet.characters("\xb7\u0375\u05f3\u05f4\u30fb") | CharSet.of([(0x660, 0x669), (0x6F0, 0x6F9)])
_DISALLOWED = CharSet.characters("\u0640\u07fa\u302e\u302f\u3031\u3032\u3033\u3034\u3035\u303b")
_IGNORABLE_BLOCKS = CharSet.of([(0x20D0, 0x20FF), (0x1D100, 0x1D24F)])
_OLD_JAMO = CharSet.of([(0x1100, 0x11FF), (0xA960, 0xA97C), (0xD7B0, 0xD7FB)])
_SYLLABLES = CharSet.of([(0xAC00, 0xD7A3)])


class LabelCharacters:
    """Character classes of IDNA2008; PVALID as in RFC 5892.

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
    """Test whether a character is assigned, and unchanged by NFKC normalisation and by case folding."""
    if not unicodedata.is_normalized("NFKC", character) or unicodedata.category(character) == "Cn":
        return False
    folded = character.casefold()
    return folded == character or unicodedata.normalize("NFKC", folded) == character


def _composition(character: str) -> tuple[str, str] | None:
    """Canonical decomposition of a character into two; None if there is none, or NFC does not compose it again."""
    parts = unicodedata.decomposition(character).split()
    if len(parts) != 2 or not unicodedata.is_normalized("NFC", character):
        return None
    first, second = (chr(int(part, 16)) for part in parts)
    return first, second


def _set(codes: list[int]) -> CharSet:
    return CharSet.of((code, code) for code in codes)


@cache
def label_characters() -> LabelCharacters:
    """The classes, worked out once."""
    return LabelCharacters()
