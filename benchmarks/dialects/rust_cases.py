"""Grammars and texts in the tests of llguidance, which are written in Rust."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

__all__ = ["Case", "rust_cases"]

_CALL = re.compile(r"\b(lark_str_test_many(?:_quiet)?|lark_str_test|lark_ok|lark_err_test|check_lark_grammar)\s*\(")
_LITERAL = re.compile(r'r(?P<hashes>#*)"(?P<raw>.*?)"(?P=hashes)|"(?P<plain>(?:\\.|[^"\\])*)"', re.DOTALL)
_TEST = re.compile(r"\bfn (test_\w+)")


class Case(NamedTuple):
    """One question: whether a text belongs to a grammar, or a prefix of one does.

    Attributes:
        test: the test that it comes from.
        grammar: the grammar.
        text: the text; None where the test only reads the grammar.
    """

    test: str
    grammar: str
    text: str | None


def rust_cases(checkout: Path) -> Iterator[Case]:
    """Cases of the parser's tests. Traces are joined; those that take tokens back are left out."""
    for path in sorted((checkout / "parser" / "tests").glob("test_*.rs")):
        source = path.read_text()
        tests = [(found.start(), found[1]) for found in _TEST.finditer(source)]
        for call in _CALL.finditer(source):
            test = next((name for place, name in reversed(tests) if place < call.start()), None)
            strings = _arguments(source, call.end())
            if test is None or not strings:
                continue
            grammar, *texts = strings
            if call[1] in ("lark_ok", "lark_err_test"):
                yield Case(test, grammar, None)
            elif call[1] == "check_lark_grammar":
                yield from (Case(test, grammar, text) for text in _traced(texts))
            else:
                yield from (Case(test, grammar, text.removeprefix("FINAL_REJECT:")) for text in texts)


def _arguments(source: str, place: int) -> list[str]:
    """String literals of a call; none if one of them is made by `format!`."""
    depth, found = 1, list[str]()
    while depth and place < len(source):
        literal = _LITERAL.match(source, place)
        if literal is not None:
            plain = literal["plain"]
            found.append(literal["raw"] if plain is None else _unescaped(plain))
            place = literal.end()
            continue
        if source.startswith(("format!", "quote_str"), place):
            return []
        if source.startswith("//", place):
            place = source.index("\n", place)
        depth += {"(": 1, ")": -1}.get(source[place], 0)
        place += 1
    return found


def _unescaped(text: str) -> str:
    """Value of a string literal with escapes."""
    text = re.sub(r"\\\n\s*", "", text)
    text = re.sub(r"\\u\{([0-9a-fA-F]+)\}", lambda found: json.dumps(chr(int(found[1], 16)))[1:-1], text)
    text = re.sub(r"\\x([0-9a-fA-F]{2})", r"\\u00\1", text).replace("\\'", "'").replace("\\0", "\\u0000")
    return json.loads(f'"{text}"', strict=False)


def _traced(pieces: list[str]) -> Iterator[str]:
    """Texts of a trace: the whole one, and for each refused token the text before it with this token."""
    trace = "‧".join(pieces)
    if "↶" in trace:
        return
    done = ""
    for mark, token in re.findall(r"(✖?)([^‧✖]+)", trace.split("≺EOS≻")[0]):
        if mark:
            yield done + token
        else:
            done += token
    yield done
