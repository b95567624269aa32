"""Grammars and texts in the tests of XGrammar, which are written in Python: they are run, and their calls recorded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchmarks.dialects.rust_cases import Case

__all__ = ["python_cases"]

_FILES = (
    "test_grammar_matcher_ebnf.py",
    "test_grammar_matcher_macro.py",
    "test_grammar_parser_macro.py",
    "test_grammar_parser.py",
    "test_grammar_regex_macro.py",
    "test_grammar_substring_macro.py",
    "test_max_chars.py",
)


class _Recorder:
    """Plugin of pytest that notes each grammar that a test reads, and each text that it asks about."""

    def __init__(self) -> None:
        self.cases: list[Case] = []
        self._grammars: dict[int, tuple[Any, str]] = {}
        self._test = ""

    def pytest_runtest_setup(self, item: Any) -> None:
        self._test = item.name

    def patch(self) -> None:
        """Replace the functions that tests call."""
        import xgrammar
        from xgrammar import testing

        read, accepts = xgrammar.Grammar.from_ebnf, testing._is_grammar_accept_string

        def from_ebnf(text: str, **options: Any) -> Any:
            if options.get("root_rule_name", "root") == "root":
                self.cases.append(Case(self._test, text, None))
            grammar = read(text, **options)
            self._grammars[id(grammar)] = grammar, text
            return grammar

        def is_accepted(grammar: Any, text: Any, **options: Any) -> bool:
            known = grammar if isinstance(grammar, str) else self._grammars.get(id(grammar), (None, None))[1]
            if known is not None and isinstance(text, str):
                self.cases.append(Case(self._test, known, text))
            return accepts(grammar, text, **options)

        setattr(xgrammar.Grammar, "from_ebnf", staticmethod(from_ebnf))  # noqa: B010
        setattr(testing, "_is_grammar_accept_string", is_accepted)  # noqa: B010


def python_cases(checkout: Path) -> list[Case]:
    """Cases of the tests of grammars in EBNF."""
    recorder = _Recorder()
    recorder.patch()
    files = [str(checkout / "tests" / "python" / name) for name in _FILES]
    pytest.main(["-q", "--no-header", "-p", "no:cacheprovider", "-m", "not hf_token_required", *files], [recorder])
    return recorder.cases
