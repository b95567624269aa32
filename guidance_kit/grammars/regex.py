"""`regex`: the constraint of the texts that a regular expression matches."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from numbers import Integral
from typing import Any, get_args

from guidance_kit.errors import OptionError, UnsatisfiableError
from guidance_kit.fsm.network import Network
from guidance_kit.grammars.argument_checks import described
from guidance_kit.grammars.constraint import Constraint
from guidance_kit.grammars.language import CaptureReader, Language
from guidance_kit.grammars.regular.expression import Expression
from guidance_kit.grammars.regular.lower import declare
from guidance_kit.grammars.regular.parse import Dialect, parse

__all__ = ["regex"]


def regex(pattern: str | re.Pattern[str], flags: int = 0, *, dialect: Dialect = "python") -> Constraint:
    r"""Texts that a regular expression matches as a whole, in the syntax of Python's `re`.

    In addition there are `\p{...}` and `\P{...}` with the properties of the `regex` package, and lookbehinds of any
    width.

    Args:
        pattern: the expression, or a compiled one, which brings its flags.
        flags: of `re`: IGNORECASE, MULTILINE, DOTALL, VERBOSE, ASCII.
        dialect: "python", or "ecma": the syntax and meaning of JavaScript's patterns with the flag `u`, as
            `(?<name>..)`, `\u{1F600}` and `\d` for the digits of ASCII. These have no flags and no captures.
    Raises:
        PatternError: the pattern is malformed.
        UnsupportedFeature: it does not describe a regular language (backreferences and the like).
        UnsatisfiableError: no text matches it.
        LimitError: it is too long, too deep or too involved.
        OptionError: the pattern is no str, the flags are none of `re`, there is no such dialect, or flags with "ecma".

    >>> regex(r"\d{3}-\d{4}")
    Constraint(kind='regex', source='\\d{3}-\\d{4}', options=())
    """
    if isinstance(pattern, re.Pattern):
        flags |= pattern.flags
        pattern = pattern.pattern
    if not isinstance(pattern, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise OptionError(f"a pattern must be a str, not {described(pattern)}")
    if not isinstance(flags, Integral) or isinstance(flags, bool):
        raise OptionError(f"flags must be an integer, not {described(flags)}")
    flags = int(flags) & ~int(re.UNICODE)  # the default
    if dialect not in get_args(Dialect):
        raise OptionError.unknown(str(dialect), get_args(Dialect), "dialect")
    expression = parse(pattern, flags, dialect)
    if dialect == "ecma":
        return Constraint(
            kind="regex",
            source=pattern,
            options=(("dialect", dialect),),
            language=_EcmaRegex(pattern, expression),
            origin=(regex, (pattern,), {"dialect": dialect}),
        ).checked()
    return Constraint(
        kind="regex",
        source=pattern,
        options=(("flags", flags),) if flags else (),
        language=_Regex(pattern, flags, expression),
        origin=(regex, (pattern, flags), {}),
    ).checked()


@dataclass(frozen=True, slots=True)
class _Regex(Language):
    """Texts that `re.fullmatch(pattern, text, flags)` matches, in UTF-8."""

    pattern: str
    flags: int
    expression: Expression
    has_captures = True

    def declare(self, network: Network) -> int:
        return _declare(network, self.pattern, self.expression)

    def capture(self, text: str, names: Iterable[str] | None) -> dict[str, str | None]:
        from guidance_kit.grammars.regular.captures import captures

        found = captures(self.pattern, self.flags, text)
        names = found if names is None else list(names)
        for name in names:
            if name not in found:
                raise OptionError.unknown(name, found, "group")
        return {name: found[name] for name in names}

    def make_capture_reader(self, names: Iterable[str] | None) -> CaptureReader:
        from guidance_kit.grammars.regex_captures import GroupReader

        return GroupReader(self.pattern, self.flags, names)

    def report(self) -> Any:
        from guidance_kit.grammars.regular.shorthands import PatternReport

        return PatternReport(self.pattern, self.flags)


@dataclass(frozen=True, slots=True)
class _EcmaRegex(Language):
    """Texts that a pattern of ECMA-262 matches as a whole, in UTF-8."""

    pattern: str
    expression: Expression

    def declare(self, network: Network) -> int:
        return _declare(network, self.pattern, self.expression)


def _declare(network: Network, pattern: str, expression: Expression) -> int:
    """Declare the rule of the texts of a pattern."""
    try:
        return declare(network, expression, name=pattern[:80])
    except UnsatisfiableError:
        raise UnsatisfiableError(f"no text matches the pattern {pattern[:200]!r}") from None
