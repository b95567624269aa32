r"""Patterns of pydantic's strings, translated to the dialect of ECMA-262 in JSON Schema.

pydantic matches a `str` with Rust's crate `regex`, or with Python's `re` (`regex_engine="python-re"`, or a compiled
pattern). Both search for a pattern anywhere in a string, as JSON Schema does, and differ from ECMA-262 in the meaning
of `.`, `$`, `\d`, `\w`, `\s` and `\b`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Literal

from guidance_kit.grammars.regular.charset import CharSet, digits, property_set, spaces, union, words

__all__ = ["Engine", "PatternRefusal", "ecma_pattern"]

Engine = Literal["rust-regex", "python-re"]


class PatternRefusal(Exception):
    """A part of a pattern without counterpart in ECMA-262; the message names it."""


_RUST_SPACE = CharSet.characters("\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000") | CharSet.of(
    [(0x2000, 0x200A)]
)
_RUST_WORD = ("Alphabetic", "M", "Nd", "Pc", "Join_Control")

_TOKEN = re.compile(
    r"""(?P<class>\[\^?)
    | (?P<named>\(\?P?<(?P<name>[A-Za-z_]\w*)>) | (?P<open>\((?:\?(?::|<?[=!]))?(?!\?))
    | (?P<atomic>\(\?>|[*+?}]\+) | (?P<other_group>\(\?)
    | \\x\{(?P<braced>[0-9A-Fa-f]{1,6})\} | (?P<point>\\(?:x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}))
    | (?P<property>\\[pP](?:\{\^?\w+\}|[A-Z])) | \\(?P<letter>[A-Za-z0-9<>]) | (?P<escaped>\\.)
    | (?P<quantifier>\{[0-9]+(?:,[0-9]*)?\}) | (?P<brace>[{}]) | (?P<plain>.)""",
    re.VERBOSE | re.DOTALL,
)


def ecma_pattern(pattern: str, engine: Engine) -> str:
    """Pattern of ECMA-262 with flag `u` that finds the same matches.

    Raises:
        PatternRefusal: there is none, or none is known.
    """
    return _PythonTranslation(pattern, engine).run()


class _PythonTranslation:
    def __init__(self, pattern: str, engine: Engine) -> None:
        self.pattern = pattern
        self.is_rust = engine == "rust-regex"
        self.at = 0

    def run(self) -> str:
        pieces = []
        while self.at < len(self.pattern):
            match = self.token()
            self.at = match.end()
            pieces.append(self.translated(match))
        return "".join(pieces)

    def token(self) -> re.Match[str]:
        match = _TOKEN.match(self.pattern, self.at)
        if match is None:  # a backslash at the end
            raise PatternRefusal("a lone backslash")
        return match

    def translated(self, match: re.Match[str]) -> str:
        if match["class"]:
            return self.character_class(match["class"])
        if match["named"]:
            return f"(?<{match['name']}>"
        if match["other_group"] or match["atomic"] or match["brace"]:
            raise PatternRefusal(f"{match[0]!r} of a pattern")
        if match["letter"]:
            return self.letter(match["letter"])
        if match["plain"] == ".":
            return r"[^\n]"
        if match["plain"] == "$" and not self.is_rust:
            return r"(?=\n?$)"
        return self.same(match)

    def same(self, match: re.Match[str]) -> str:
        """A token of the same meaning in all dialects, with its spelling in ECMA-262."""
        if match["braced"]:
            return f"\\u{{{match['braced']}}}"
        if match["property"]:
            if not self.is_rust or "^" in match[0]:
                raise PatternRefusal(f"{match[0]!r} of a pattern")
            return match[0] if "{" in match[0] else f"{match[0][:2]}{{{match[0][2:]}}}"
        if match["escaped"] and not match[0].isascii():
            return match[0][1:]
        return match[0]

    def letter(self, letter: str) -> str:
        """An escape of a letter outside a class."""
        word = f"[{_inside(self.shorthand('w'))}]"
        if letter == "b" and not re.match(r"\{", self.pattern[self.at :]):
            return f"(?:(?<={word})(?!{word})|(?<!{word})(?={word}))"
        if letter == "A":
            return "^"
        if letter == ("z" if self.is_rust else "Z"):
            return "$"
        return self.common(letter, "[{}]".format)

    def common(self, letter: str, as_set: Callable[[str], str]) -> str:
        """Escape of a letter with the same meaning in a class."""
        if letter in "dws":
            return as_set(_inside(self.shorthand(letter)))
        if letter in "DWS":
            return as_set(_inside(~self.shorthand(letter.lower())))
        if letter in "nrtfv":
            return f"\\{letter}"
        if letter == "a":
            return r"\x07"
        raise PatternRefusal(f"'\\{letter}' of a pattern")

    def shorthand(self, letter: str) -> CharSet:
        if letter == "d":
            return digits()
        if letter == "s":
            return _RUST_SPACE if self.is_rust else spaces()
        return _rust_words() if self.is_rust else words()

    def character_class(self, opening: str) -> str:
        """A class; `at` is behind its opening, and behind its end afterwards."""
        pieces = [opening]
        if self.pattern.startswith("]", self.at):
            pieces.append(r"\]")
            self.at += 1
        while not self.pattern.startswith("]", self.at):
            if self.at >= len(self.pattern):
                raise PatternRefusal("an unterminated class of a pattern")
            if self.pattern[self.at] == "[" or self.pattern[self.at : self.at + 2] in ("&&", "--", "~~", "||"):
                raise PatternRefusal("a class within a class of a pattern")
            if self.pattern[self.at] != "\\":
                pieces.append(self.pattern[self.at])
                self.at += 1
                continue
            match = self.token()
            self.at = match.end()
            if match["letter"] == "b":
                raise PatternRefusal("'\\b' in a class of a pattern")
            pieces.append(self.common(match["letter"], str) if match["letter"] else self.same(match))
        self.at += 1
        return "".join([*pieces, "]"])


@cache
def _rust_words() -> CharSet:
    return union([property_set(name) for name in _RUST_WORD])


@cache
def _inside(charset: CharSet) -> str:
    """Spelling of a set between brackets."""
    if charset == digits():
        return r"\p{Nd}"
    return "".join(
        f"\\u{{{low:x}}}" if low == high else f"\\u{{{low:x}}}-\\u{{{high:x}}}" for low, high in charset.ranges
    )
