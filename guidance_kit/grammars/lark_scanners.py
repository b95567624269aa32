"""Scanners of lark's contextual lexers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lark.lexer import PatternStr, TerminalDef

from guidance_kit.grammars.context_free.scanner import Scanner
from guidance_kit.grammars.regular.prefix_match import matcher_of

__all__ = ["LarkScanners", "by_priority"]


def by_priority(terminals: Iterable[TerminalDef]) -> list[TerminalDef]:
    """Terminals in the order in which lark's lexers look for them: by priority, then longer texts first."""
    return sorted(terminals, key=lambda one: (-one.priority, -one.pattern.max_width, -len(one.pattern.value), one.name))


class LarkScanners:
    """Scanners for sets of terminals, each as lark's lexer for these.

    A keyword is a terminal that is written as a text, which a pattern of the same priority matches: the lexer looks for
    the pattern, and replaces it by the keyword where it has that text. Keywords with flags that the pattern lacks are
    looked for, too.

    Args:
        terminals: of the grammar, by priority.
    Raises:
        regex.error: a pattern is malformed.
    """

    def __init__(self, terminals: Sequence[TerminalDef]) -> None:
        self._order = [one.name for one in terminals]
        texts = [one for one in terminals if isinstance(one.pattern, PatternStr)]
        self._keywords: dict[str, list[str]] = {}
        self._replaced: dict[str, set[str]] = {}
        for one in terminals:
            alike = [text for text in texts if text.priority == one.priority]
            if isinstance(one.pattern, PatternStr) or not alike:
                continue
            match = matcher_of(one.pattern.to_regexp())
            words = [text for text in alike if match(text.pattern.value) == text.pattern.value]
            if words:
                flags = frozenset(one.pattern.flags)
                self._keywords[one.name] = [word.name for word in words]
                self._replaced[one.name] = {word.name for word in words if flags.issuperset(word.pattern.flags)}

    def __call__(self, names: frozenset[str]) -> Scanner:
        """Scanner for some terminals."""
        keywords = {
            name: tuple(word for word in words if word in names)
            for name, words in self._keywords.items()
            if name in names
        }
        replaced = {word for name in keywords for word in self._replaced[name]}
        return Scanner(
            order=tuple(name for name in self._order if name in names and name not in replaced),
            keywords={name: words for name, words in keywords.items() if words},
        )
