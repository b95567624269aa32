"""Labels of host names beyond ASCII, judged one by one: U-labels and A-labels (RFC 5890 to 5893)."""

from __future__ import annotations

import unicodedata
from functools import cache, lru_cache

from guidance_kit.grammars.json_schema.formats.label_characters import label_characters
from guidance_kit.grammars.regular.charset import CharSet, property_set, union

__all__ = ["SEPARATORS", "follows_bidi_rule", "is_right_to_left", "is_u_label", "u_label_of"]

SEPARATORS = ".\u3002\uff0e\uff61"
"""Separators of the labels of an internationalised name; an ASCII name has the first only."""

_LONGEST = 59
"""Octets of Punycode behind the prefix `xn--`: a label has at most 63 (RFC 1035)."""

_VIRAMA = 9
_RIGHT_TO_LEFT = frozenset({"R", "AL", "AN"})
_NEUTRAL = frozenset({"EN", "ES", "CS", "ET", "ON", "BN", "NSM"})


def is_u_label(text: str) -> bool:
    """Test whether a string is a U-label (RFC 5891, section 4.2)."""
    return len(text) <= _LONGEST and _follows_rules(text) and len(text.encode("punycode")) <= _LONGEST


@lru_cache(maxsize=1024)
def u_label_of(label: str) -> str | None:
    """U-label of an A-label (`xn--` and Punycode, in any case); None if it decodes to none."""
    encoded = label.lower().removeprefix("xn--")
    if not label.isascii() or not 0 < len(encoded) <= min(_LONGEST, len(label) - 1) or encoded[-1] == "-":
        return None
    try:
        text = encoded.encode().decode("punycode")
    except UnicodeError:
        return None
    return text if _follows_rules(text) and text.encode("punycode") == encoded.encode() else None


def is_right_to_left(text: str) -> bool:
    """Test whether a label has right-to-left characters, so that the Bidi rule applies to all labels of the name."""
    return any(unicodedata.bidirectional(character) in _RIGHT_TO_LEFT for character in text)


def follows_bidi_rule(text: str) -> bool:
    """The Bidi rule for one label (RFC 5893, section 2)."""
    classes = [unicodedata.bidirectional(character) for character in text]
    last = next((name for name in reversed(classes) if name != "NSM"), "")
    if classes[:1] == ["L"]:
        return _NEUTRAL.issuperset(set(classes) - {"L"}) and last in ("L", "EN")
    if classes[:1] not in (["R"], ["AL"]) or {"EN", "AN"}.issubset(classes):
        return False
    return (_NEUTRAL | _RIGHT_TO_LEFT).issuperset(classes) and last in ("R", "AL", "EN", "AN")


def _follows_rules(text: str) -> bool:
    """Test whether a string is a U-label, apart from its length."""
    if text.isascii() or not all(_has_place(text, index) for index in range(len(text))):
        return False
    if "-" in (text[0], text[-1]) or text[2:4] == "--" or unicodedata.category(text[0])[0] == "M":
        return False
    return unicodedata.is_normalized("NFC", text) and (not is_right_to_left(text) or follows_bidi_rule(text))


def _has_place(text: str, index: int) -> bool:
    """Test whether a character is valid at its position (RFC 5892, with the contextual rules of appendix A)."""
    before, character, after = text[index - 1] if index else "", text[index], text[index + 1 : index + 2]
    match character:
        case "\u200c" | "\u200d":
            is_behind_virama = bool(before) and unicodedata.combining(before) == _VIRAMA
            return is_behind_virama or (character == "\u200c" and _is_between_joined(text, index))
        case "\xb7":
            return before == after == "l"
        case "\u0375":
            return _is_in(after, "Script=Greek")
        case "\u05f3" | "\u05f4":
            return _is_in(before, "Script=Hebrew")
        case "\u30fb":
            return any(_is_in(other, "Script=Hiragana", "Script=Katakana", "Script=Han") for other in text)
    if "\u0660" <= character <= "\u0669":
        return not any("\u06f0" <= other <= "\u06f9" for other in text)
    return character == "-" or ord(character) in _valid()


def _is_between_joined(text: str, index: int) -> bool:
    """Test whether the letters on both sides of `index`, transparent ones skipped, would join across it."""
    left = next((other for other in reversed(text[:index]) if not _is_in(other, "Joining_Type=T")), "")
    right = next((other for other in text[index + 1 :] if not _is_in(other, "Joining_Type=T")), "")
    return _is_in(left, "Joining_Type=L", "Joining_Type=D") and _is_in(right, "Joining_Type=R", "Joining_Type=D")


def _is_in(character: str, *properties: str) -> bool:
    return bool(character) and any(ord(character) in property_set(name) for name in properties)


@cache
def _valid() -> CharSet:
    """PVALID, and the digits of Arabic."""
    found = label_characters()
    return union([found.letters, found.spacing, *found.marks.values()])
