"""Patterns in the syntax of Rust's `regex`, translated for the parser of `re`."""

from __future__ import annotations

import re

from guidance_kit.errors import PatternError, UnsupportedFeature

__all__ = ["translate_rust"]

_POSIX = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "ascii": r"\x00-\x7f",
    "blank": r"\t ",
    "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": r"!-/:-@\[-`{-~",
    "space": r"\t\n\v\f\r ",
    "upper": "A-Z",
    "word": "0-9A-Za-z_",
    "xdigit": "0-9A-Fa-f",
}

_PARTS = re.compile(
    r"""\\(?:[xuU]\{(?P<digits>[0-9A-Fa-f]+)\}|(?P<end>z)|.)
    |\[:(?P<posix>\w+):\]
    |(?P<look>\(\?<?[=!])
    |(?P<named>\(\?<)
    |(?P<set>&&|--|~~|\[)
    |(?P<close>\])""",
    re.VERBOSE | re.DOTALL,
)


def translate_rust(pattern: str) -> str:
    r"""The pattern in the syntax of `re`: `(?<n>..)`, `\x{..}`, `\u{..}`, `\z` and `[:alpha:]` are rewritten.

    Raises:
        PatternError: an escape is beyond Unicode, or a class is unknown.
        UnsupportedFeature: a lookaround, a class within a class, or an operation on classes.
    """
    is_class = False
    opened = -1

    def rewritten(part: re.Match[str]) -> str:
        nonlocal is_class, opened
        if part["digits"]:
            point = int(part["digits"], 16)
            if point > 0x10FFFF or 0xD800 <= point < 0xE000:
                raise PatternError(f"U+{point:X} is no character", pattern=pattern, position=part.start())
            return f"\\U{point:08X}"
        if part["end"]:
            return "\\Z"
        if part["posix"] and is_class:
            if part["posix"] not in _POSIX:
                raise PatternError(f"unknown class {part[0]}", pattern=pattern, position=part.start())
            return _POSIX[part["posix"]]
        if part["named"]:
            return part[0] if is_class else "(?P<"
        if part["look"] and not is_class:
            hint = "Rust's regex refuses it, too; write it as rules"
            raise UnsupportedFeature("a lookaround", where=f"pattern {pattern}", hint=hint)
        if part["set"] == "[" and not is_class:
            is_class, opened = True, part.end()
        elif part["set"] and is_class:
            hint = "write the characters out, or \\[ for the character"
            raise UnsupportedFeature(f"{part[0]!r} in a class of characters", where=f"pattern {pattern}", hint=hint)
        elif part["close"] and is_class and part.start() > opened + (pattern[opened : opened + 1] == "^"):
            is_class = False
        return part[0]

    return _PARTS.sub(rewritten, pattern)
