"""GBNF as text: literals, classes of characters, names of rules, and the rules that depend on no schema."""

from __future__ import annotations

from collections.abc import Iterator

from guidance_kit.grammars.regular.charset import CharSet

__all__ = ["FIXED", "char_class", "quoted", "rule_names"]

FIXED = {
    "ws": '| " " | "\\n" [ \\t]{0,20}',
    "char": '[^"\\\\\\x00-\\x1F] | escaped',
    "escaped": '"\\\\" ["\\\\/bfnrt] | "\\\\u00" [01] [0-9a-fA-F]',
    "ending": 'char* "\\""',
    "string": '"\\"" char* "\\""',
    "integer": '"-"? whole',
    "whole": '"0" | [1-9] [0-9]*',
    "number": "integer fraction? exponent?",
    "fraction": '"." [0-9]+',
    "exponent": "[eE] [-+]? [0-9]+",
    "boolean": '"true" | "false"',
    "null": '"null"',
    "value": "null | boolean | number | string | anyarray | anyobject",
    "anyarray": '"[" ws anyitems? "]"',
    "anyitems": "value ws anymore*",
    "anymore": '"," ws value ws',
    "anyobject": '"{" ws anymembers? "}"',
    "anymembers": "anymember othermember*",
    "othermember": '"," ws anymember',
    "anymember": 'string ws ":" ws value ws',
}
"""Rules that depend on no schema."""


def rule_names(body: str) -> Iterator[str]:
    """Names of rules in a body."""
    word = ""
    closing = ""
    is_escaped = False
    for sign in f"{body} ":
        if closing:
            if is_escaped:
                is_escaped = False
            elif sign == "\\":
                is_escaped = True
            elif sign == closing:
                closing = ""
        elif sign.isalnum() or sign == "-":
            word += sign
        else:
            if word and not word.isdigit():
                yield word
            word = ""
            closing = {'"': '"', "[": "]"}.get(sign, "")


def quoted(text: str) -> str:
    """A text as a literal."""
    return f'"{"".join(_escaped(sign) for sign in text)}"'


def char_class(characters: CharSet) -> str:
    """A set of characters as a class of the notation."""
    ranges = [
        _escaped(chr(lo), is_in_class=True) + ("" if lo == hi else f"-{_escaped(chr(hi), is_in_class=True)}")
        for lo, hi in characters.ranges
    ]
    return f"[{''.join(ranges)}]"


def _escaped(sign: str, *, is_in_class: bool = False) -> str:
    """A character in a literal, or in a class."""
    special = '"\\[]^-' if is_in_class else '"\\'
    point = ord(sign)
    if point > 0xFFFF:
        return f"\\U{point:08X}"
    if point > 0x7E:
        return f"\\u{point:04X}"
    if point < 0x20 or (sign in special and sign not in '"\\'):
        return f"\\x{point:02X}"
    return f"\\{sign}" if sign in special else sign
