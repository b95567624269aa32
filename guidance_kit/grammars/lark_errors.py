"""Errors of lark about a grammar, translated, with their positions where these can be determined."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

from guidance_kit.errors import GrammarError
from guidance_kit.grammars.context_free.lalr_table import ReduceConflict
from guidance_kit.grammars.regular.parse import MALFORMED

__all__ = ["conflicting", "declared_in_terminal", "explained", "located", "without_width"]


def explained(error: Exception, message: str, text: str, start: str, path: str) -> GrammarError:
    """Translation of an error of lark about a grammar, with its position where that is known."""
    escape = _ECMA_ESCAPE.search(text) if "unicodeescape" in message else None
    if escape is not None:
        point = escape[1] or "1F600"
        hint = f"write \\U{point.zfill(8)}" if len(point) <= 6 else "write \\U and eight digits"
        return located(text, escape.start(), f"{escape[0]} is no escape of Python's re; {hint}", path)
    if isinstance(error, OSError):
        return GrammarError(f"%import: there is no grammar {error.filename or message}", path=path)
    if isinstance(error, MALFORMED):
        return located(text, _in_pattern(error, text), f"a pattern is malformed: {message}", path)
    width = re.search(r"zero-width regexps\", TerminalDef\('(\w+)', (.*)\)\)$", message)
    if width is not None:
        return without_width(width[1], width[2], path)
    if start not in _defined(text) and repr(start) in message:
        return GrammarError(f"the start rule {start!r} is not defined{_nearest(start, text)}", path=path)
    place = re.search(r"\s*,? at line (\d+),? column (\d+)(?: in ([^\s:]+))?", message)
    if place is not None:
        # of an imported grammar the line is another one
        context = message[place.end() :].strip(" :\n").split("\n")[0].strip()
        line, column = int(place[1]), int(place[2])
        is_here = line <= text.count("\n") + 1 and context in text.split("\n")[line - 1]
        what = message[: place.start()]
        return GrammarError(
            what[:1].lower() + what[1:],
            source=text if is_here else "",
            line=line,
            column=column,
            path=path if is_here else place[3] or path,
        )
    undefined = re.match(
        r"(?:Rule|Terminal|Template) '?([\w{}]+)'? used but not defined|Terminal used but .*: (\w+)", message
    )
    if undefined is not None:
        name = undefined[1] or undefined[2]
        used = re.search(rf"(?<![\w.]){re.escape(name)}(?!\w)", text)
        line, column = (None, None) if used is None else _place(text, used.start())
        return GrammarError(
            f"{name!r} is used but not defined{_nearest(name, text)}", source=text, line=line, column=column, path=path
        )
    named = _NAMED.search(message)
    uses = list(re.finditer(rf"(?<![\w.]){named[1]}(?!\w)", text)) if named is not None else []
    is_last = any(words in message for words in ("more than once", "arguments", "inside terminals"))
    return located(text, uses[-is_last].start() if uses else None, message[:1].lower() + message[1:], path)


_ECMA_ESCAPE = re.compile(r"(?<!\\)(?:\\\\)*\\u\{([0-9a-fA-F]*)\}?")
"""Escape of a code point in the syntax of ECMA-262."""

_NAMED = re.compile(r"(?i:nonterminal\(|terminals? |terminal\(|rule |used for )\{?'?([a-zA-Z_]\w*)")
"""The rule or terminal that lark speaks of."""


def _in_pattern(error: Exception, text: str) -> int | None:
    """Position in a grammar of an error in a pattern, if the pattern occurs there literally."""
    pattern, place = getattr(error, "pattern", None), getattr(error, "pos", None)
    if not isinstance(pattern, str) or not isinstance(place, int):
        return None
    flags = re.match(r"\(\?[a-z]+:", pattern)  # which lark puts around it
    for written, before in ((pattern, 0), (pattern[flags.end() : -1], flags.end()) if flags else (pattern, 0)):
        begin = text.find(f"/{written}/")
        if begin >= 0:
            return begin + 1 + min(place - before, len(written))
    return None


def located(text: str, place: int | None, message: str, path: str) -> GrammarError:
    """Error at a character of a grammar; None if the position is unknown."""
    if place is None:
        return GrammarError(message, path=path)
    line, column = _place(text, place)
    return GrammarError(message, source=text, line=line, column=column, path=path)


def conflicting(error: ReduceConflict, text: str, path: str) -> GrammarError:
    """Error about conflicts of rules in an LALR parser, at the first of them in the grammar."""
    shown = "; ".join(
        f"Reduce/Reduce collision in Terminal({terminal!r}) between the following rules: "
        + ", ".join(sorted(f"<{rule} : {' '.join(parts)}>" for rule, parts in productions))
        for terminal, productions in error.conflicts
    )
    rules = dict.fromkeys(rule for _, productions in error.conflicts for rule, _ in productions)
    places = (
        re.search(rf"(?m)^[ \t]*[?!]*{re.escape(rule)}\b(?:\.-?\d+)?\s*:", text)
        for rule in rules
        if re.fullmatch(r"\w+", rule)
    )
    place = min((found.start() for found in places if found is not None), default=None)
    line, column = (None, None) if place is None else _place(text, place)
    hint = "; a rule of a higher priority goes first, and lexers other than 'longest' need no decision"
    return GrammarError(
        shown[:1].lower() + shown[1:] + hint, source="" if line is None else text, line=line, column=column, path=path
    )


def declared_in_terminal(text: str, names: Iterable[str], path: str) -> GrammarError:
    """Error about a terminal defined by a declared one, or by a token, at the first such reference."""
    either = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    for terminal in re.finditer(r"(?m)^[ \t]*_*[A-Z]\w*(?:\.-?\d+)?[ \t]*:(?:[^\n]|\n\s*\|)*", text):
        found = re.compile(rf"(?<!\w)(?:{either})(?!\w)").search(
            text, text.index(":", terminal.start()), terminal.end()
        )
        if either and found:
            line, column = _place(text, found.start())
            message = f"{found[0]} cannot be a part of a terminal, since it has no pattern; let a rule be made of them"
            return GrammarError(message, source=text, line=line, column=column, path=path)
    return GrammarError("a terminal is made of one that is declared and has no pattern", path=path)


def without_width(name: str, pattern: str, path: str) -> GrammarError:
    return GrammarError(f"terminal {name} has the empty text, which no terminal may have: {pattern}", path=path)


def _defined(text: str) -> list[str]:
    """The names that a grammar defines itself, roughly."""
    return re.findall(r"(?m)^\s*(?:%(?:override|extend)\s+)?[?!]*(\w+)(?:\{[^}]*\})?(?:\.-?\d+)?\s*:", text)


def _nearest(name: str, text: str) -> str:
    near = difflib.get_close_matches(name, _defined(text), n=1, cutoff=0.5)
    return f"; did you mean {near[0]!r}?" if near else ""


def _place(text: str, index: int) -> tuple[int, int]:
    """Line and column of a character, from 1."""
    return text.count("\n", 0, index) + 1, index - (text.rfind("\n", 0, index) + 1) + 1
