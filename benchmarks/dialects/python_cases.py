"""Grammars, structural tags and texts in the tests of XGrammar, which are Python: they are run, and calls recorded."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmarks.dialects.rust_cases import Case

__all__ = ["grammar_cases", "tag_cases"]

_GRAMMARS = (
    "test_grammar_matcher_ebnf.py",
    "test_grammar_matcher_macro.py",
    "test_grammar_parser_macro.py",
    "test_grammar_parser.py",
    "test_grammar_regex_macro.py",
    "test_grammar_substring_macro.py",
    "test_max_chars.py",
)
_TAGS = ("test_structural_tag_converter.py",)


class _Recorder:
    """Plugin of pytest that notes what each test reads, and each text that it asks about.

    Args:
        constructor: name of the constructor of `Grammar` whose first argument is read.
        source_of: the text of this argument.
    """

    def __init__(self, constructor: str, source_of: Callable[[Any], str]) -> None:
        self.cases: list[Case] = []
        self._constructor = constructor
        self._source_of = source_of
        self._grammars: dict[int, tuple[Any, str]] = {}
        self._test = ""

    def pytest_runtest_setup(self, item: Any) -> None:
        self._test = item.name
        if hasattr(item.module, "check_stag_with_grammar"):  # the printed form, which depends on the version
            item.module.check_stag_with_grammar = lambda *_: None

    def patch(self) -> None:
        """Replace the functions that tests call."""
        import xgrammar
        from xgrammar import testing

        read, accepts = getattr(xgrammar.Grammar, self._constructor), testing._is_grammar_accept_string

        def reading(*arguments: Any, **options: Any) -> Any:
            if options.get("root_rule_name", "root") != "root" or len(arguments) != 1:
                return read(*arguments, **options)
            source = self._source_of(arguments[0])
            self.cases.append(Case(self._test, source, None))
            grammar = read(*arguments, **options)
            self._grammars[id(grammar)] = grammar, source
            return grammar

        def is_accepted(grammar: Any, text: Any, **options: Any) -> bool:
            known = grammar if isinstance(grammar, str) else self._grammars.get(id(grammar), (None, None))[1]
            if known is not None and isinstance(text, str):
                self.cases.append(Case(self._test, known, text))
            return accepts(grammar, text, **options)

        setattr(xgrammar.Grammar, self._constructor, staticmethod(reading))
        setattr(testing, "_is_grammar_accept_string", is_accepted)  # noqa: B010


def grammar_cases(checkout: Path) -> list[Case]:
    """Cases of the tests of grammars in EBNF."""
    return _recorded(_Recorder("from_ebnf", str), checkout, _GRAMMARS)


def tag_cases(checkout: Path) -> list[Case]:
    """Cases of the tests of structural tags, each as its JSON text."""
    return _recorded(_Recorder("from_structural_tag", _json_of), checkout, _TAGS)


def _json_of(tag: Any) -> str:
    if isinstance(tag, str):
        return tag
    return json.dumps(tag if isinstance(tag, dict) else json.loads(tag.model_dump_json()))


def _recorded(recorder: _Recorder, checkout: Path, names: tuple[str, ...]) -> list[Case]:
    recorder.patch()
    files = [str(checkout / "tests" / "python" / name) for name in names]
    pytest.main(["-q", "--no-header", "-p", "no:cacheprovider", "-m", "not hf_token_required", *files], [recorder])
    return recorder.cases
