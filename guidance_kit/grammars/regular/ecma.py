r"""Patterns of ECMA-262, as recommended by JSON Schema, translated for the parser of `re`.

The semantics are those of the flag `u`: patterns match code points. A pattern that is malformed under `u` but has one
meaning in browsers without it (a lone brace, `[\w-.]`) has that meaning; escapes of letters without meaning are
refused.
"""

from __future__ import annotations

import re

import regex

from guidance_kit.errors import LimitError, PatternError, UnsupportedFeature
from guidance_kit.grammars.regular.charset import ALL, ASCII_DIGIT, ASCII_WORD, CharSet, property_set, union
from guidance_kit.grammars.regular.substituted_pattern import MAX_STAND_INS, SubstitutedPattern, stand_in

__all__ = ["translate"]

_SPACE = CharSet.characters("\t\n\v\f\r \xa0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff") | CharSet.of(
    [(0x2000, 0x200A)]
)
_ANY = ~CharSet.characters("\n\r\u2028\u2029")
_SETS = {"d": ASCII_DIGIT, "D": ~ASCII_DIGIT, "w": ASCII_WORD, "W": ~ASCII_WORD, "s": _SPACE, "S": ~_SPACE}
_CONTROLS = {"t": 0x09, "n": 0x0A, "v": 0x0B, "f": 0x0C, "r": 0x0D}

_QUANTIFIER = re.compile(r"[*+?]|\{\d+(?:,\d*)?\}")
_GROUP = re.compile(r"\((?:\?(?::|=|!|<=|<!|<(?P<name>[^>]*)>))?")
_HEXADECIMAL = re.compile(
    r"x([0-9a-fA-F]{2})|u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|u([0-9a-fA-F]{4})"
    r"|u\{([0-9a-fA-F]+)\}"
)
_PROPERTY = re.compile(r"[pP]\{([^{}]*)\}")


def translate(pattern: str) -> SubstitutedPattern:
    """The pattern in the syntax of `re`, with stand-ins for its character classes.

    Raises:
        PatternError: malformed in a way that `re` accepts.
        UnsupportedFeature: a backreference.
    """
    return _EcmaTranslation(pattern).run()


class _EcmaTranslation:
    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.at = 0
        self.pieces: list[str] = []
        self.length = 0
        self.offsets: list[tuple[int, int]] = []
        self.numbers: dict[CharSet, int] = {}

    def run(self) -> SubstitutedPattern:
        pattern = self.pattern
        while self.at < len(pattern):
            start, character = self.at, pattern[self.at]
            quantifier = _QUANTIFIER.match(pattern, start)
            if quantifier:
                self.at = quantifier.end()
                if pattern.startswith("?", self.at):
                    self.at += 1
                self.write(pattern[start : self.at])
                if _QUANTIFIER.match(pattern, self.at):
                    raise self.wrong("nothing to repeat", self.at)
            elif character == "(":
                self.group()
            elif character == "[":
                self.write(self.standing_for(self.character_class()))
            elif character == "\\":
                self.at += 1
                self.write(self.escape())
            else:
                self.at += 1
                if character == ".":
                    self.write(self.standing_for(_ANY))
                else:
                    self.write({"^": r"\A", "$": r"\Z", "|": "|", ")": ")"}.get(character) or re.escape(character))
        sets = {number: (charset, charset) for charset, number in self.numbers.items()}
        for point in sets:
            if chr(point) in pattern:
                where = f"position {pattern.index(chr(point))}"
                raise UnsupportedFeature(f"the character U+{point:X} beside character classes", where=where)
        return SubstitutedPattern(pattern, "".join(self.pieces), sets, self.offsets)

    def write(self, text: str) -> None:
        """Append the translation of the pattern up to `at`."""
        self.pieces.append(text)
        self.length += len(text)
        self.offsets.append((self.length, self.at))

    def wrong(self, message: str, position: int) -> PatternError:
        return PatternError(message, pattern=self.pattern, position=position)

    def standing_for(self, charset: CharSet) -> str:
        if charset not in self.numbers:
            if len(self.numbers) >= MAX_STAND_INS:
                raise LimitError("max_character_classes", MAX_STAND_INS, where=f"position {self.at}")
            self.numbers[charset] = stand_in(len(self.numbers))
        return chr(self.numbers[charset])

    def group(self) -> None:
        match = _GROUP.match(self.pattern, self.at)
        assert match is not None
        if match[0] == "(" and self.pattern.startswith("?", match.end()):
            raise self.wrong("unknown group", self.at)
        if match["name"] is not None and not match["name"]:
            raise self.wrong("missing group name", self.at)
        self.at = match.end()
        self.write("(" if match["name"] is not None else match[0])  # names have no bearing on what matches

    def escape(self) -> str:
        """Python's form of an escape outside a class; `at` is after the backslash."""
        pattern, start = self.pattern, self.at
        letter = pattern[start : start + 1]
        if letter in ("b", "B"):
            self.at += 1
            if letter == "b":
                return r"(?a:\b)"
            word = self.standing_for(ASCII_WORD)  # not (?a:\B), which `re` does not match in the empty text
            return f"(?:(?<={word})(?={word})|(?<!{word})(?!{word}))"
        if letter and letter in "k123456789":
            raise UnsupportedFeature(
                "backreference",
                where=f"position {start - 1}",
                hint="what it matches depends on more than a regular language",
            )
        found = self.escaped()
        return self.standing_for(found) if isinstance(found, CharSet) else re.escape(chr(found))

    def escaped(self) -> int | CharSet:
        """The code point or set of an escape; `at` is after the backslash before and after the escape afterwards."""
        pattern, start = self.pattern, self.at
        letter = pattern[start : start + 1]
        if not letter:
            raise self.wrong("bad escape (end of pattern)", start - 1)
        self.at = start + 1
        if letter in _SETS:
            return _SETS[letter]
        if letter in _CONTROLS:
            return _CONTROLS[letter]
        if letter == "0" and not pattern[self.at : self.at + 1].isdigit():
            return 0
        if letter == "c" and re.match("[a-zA-Z]", pattern[self.at :]):
            self.at += 1
            return ord(pattern[self.at - 1]) % 32
        match = _HEXADECIMAL.match(pattern, start)
        if match:
            self.at = match.end()
            if match[2]:
                return 0x10000 + (int(match[2], 16) - 0xD800) * 0x400 + int(match[3], 16) - 0xDC00
            point = int(match[1] or match[4] or match[5], 16)
            if point <= 0x10FFFF:
                return point
        match = _PROPERTY.match(pattern, start)
        if match:
            self.at = match.end()
            try:
                found = property_set(match[1])
            except regex.error as error:
                raise self.wrong(f"unknown property {match[1]!r} ({error})", start - 1) from None
            return ~found if letter == "P" else found
        if letter.isascii() and letter.isalnum():
            raise self.wrong(f"bad escape \\{letter}", start - 1)
        return ord(letter)

    def character_class(self) -> CharSet:
        """Set of the class at `at`, which is moved behind it."""
        pattern, start = self.pattern, self.at
        self.at += 1
        is_negated = pattern.startswith("^", self.at)
        self.at += is_negated
        ranges: list[tuple[int, int]] = []
        others: list[CharSet] = []
        while True:
            if self.at >= len(pattern):
                raise self.wrong("unterminated character class", start)
            if pattern[self.at] == "]":
                self.at += 1
                break
            begin = self.at
            low = self.class_atom()
            if not pattern.startswith("-", self.at) or pattern[self.at + 1 : self.at + 2] in ("", "]"):
                high = low
            else:
                dash = self.at
                self.at += 1
                high = self.class_atom()
                if isinstance(low, CharSet) or isinstance(high, CharSet):
                    self.at = dash  # then the dash is a character of its own
                    high = low
            if isinstance(low, CharSet):
                others.append(low)
            elif isinstance(high, int) and low <= high:
                ranges.append((low, high))
            else:
                raise self.wrong(f"bad character range {pattern[begin : self.at]}", begin)
            if pattern.startswith("-", self.at) and isinstance(low, CharSet):
                ranges.append((0x2D, 0x2D))
                self.at += 1
        members = union([CharSet.of(ranges), *others])
        return ALL - members if is_negated else members

    def class_atom(self) -> int | CharSet:
        character = self.pattern[self.at]
        self.at += 1
        if character != "\\":
            return ord(character)
        if self.pattern.startswith("b", self.at):
            self.at += 1
            return 0x08
        return self.escaped()
