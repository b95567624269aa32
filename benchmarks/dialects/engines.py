"""Verdicts on texts: of the engines installed, and of guidance_kit."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, Literal

import guidance_kit as gk
from guidance_kit.fsm.token_index import TokenIndex

__all__ = ["Verdict", "llguidance_verdict", "our_verdict", "xgrammar_verdict"]

Verdict = Literal["refused", "no prefix", "prefix", "whole"]
"""Of a grammar that cannot be read, and of a text under one that can."""


_SPECIAL = re.compile(r"<\|\w+\|>")


def _specials(grammar: str) -> tuple[str, ...]:
    """Special tokens that a grammar names; the tests take them from the tokenizer of a model."""
    return tuple(sorted({*_SPECIAL.findall(grammar), "<|end|>", "<|system|>", "<|user|>"}))


def _tokens(text: str | None, specials: tuple[str, ...]) -> list[int]:
    """Text as bytes and special tokens."""
    found: list[int] = []
    for part in re.split(f"({_SPECIAL.pattern})", text or ""):
        found += [257 + specials.index(part)] if part in specials else part.encode()
    return found


class _Bytes:
    """Tokenizer of bytes, with some special tokens."""

    eos_token_id = 256
    bos_token_id = None

    def __init__(self, specials: tuple[str, ...]) -> None:
        self.tokens = [*(bytes([byte]) for byte in range(256)), b"<eos>", *(name.encode() for name in specials)]
        self.special_token_ids = list(range(256, len(self.tokens)))

    def __call__(self, text: str | bytes) -> list[int]:
        return list(text.encode() if isinstance(text, str) else text)


@lru_cache(maxsize=64)
def _tokenizer(specials: tuple[str, ...]) -> Any:
    from llguidance import LLTokenizer, TokenizerWrapper

    return LLTokenizer(TokenizerWrapper(_Bytes(specials)))


def llguidance_verdict(grammar: str, text: str | None) -> tuple[Verdict, str]:
    """Verdict of llguidance, and its reason where it refuses the grammar."""
    from llguidance import LLMatcher

    specials = _specials(grammar)
    written = grammar if grammar.lstrip().startswith("{") else LLMatcher.grammar_from_lark(grammar)
    matcher = LLMatcher(_tokenizer(specials), written, log_level=0)
    if matcher.is_error():
        return "refused", matcher.get_error()
    tokens = _tokens(text, specials)
    if matcher.try_consume_tokens(tokens) < len(tokens):
        return "no prefix", ""
    return "whole" if matcher.is_accepting() else "prefix", ""


def xgrammar_verdict(grammar: str, text: str | None) -> tuple[Verdict, str]:
    """Verdict of XGrammar, and its reason where it refuses the grammar, or the JSON of a structural tag."""
    import xgrammar
    from xgrammar.testing import _get_matcher_from_grammar

    read = xgrammar.Grammar.from_structural_tag if _is_tag(grammar) else xgrammar.Grammar.from_ebnf
    try:
        matcher = _get_matcher_from_grammar(read(grammar))
    except (RuntimeError, ValueError) as error:
        return "refused", str(error)
    if not matcher.accept_string(text or ""):
        return "no prefix", ""
    return "whole" if matcher.is_terminated() else "prefix", ""


def _is_tag(source: str) -> bool:
    """Test for the JSON of a structural tag."""
    return source.lstrip().startswith("{") and '"format"' in source


@lru_cache(maxsize=64)
def _index(grammar: str, dialect: Any) -> TokenIndex | str:
    specials = _specials(grammar)
    names = dict(enumerate(("<eos>", *specials), 256))
    vocabulary = gk.Vocabulary(
        token_bytes=(*(bytes([byte]) for byte in range(256)), *(b"" for _ in names)),
        special=frozenset(names),
        eos=(256,),
        rows=256 + len(names),
        special_names=names,
    )
    try:
        is_tag = dialect == "structural_tags"
        read = gk.structural_tag(grammar) if is_tag else gk.grammar(grammar, dialect=dialect)
        return read.compile(vocabulary)
    except gk.GuidanceKitError as error:
        return f"{type(error).__name__}: {error}"


def our_verdict(grammar: str, dialect: str, text: str | None) -> tuple[Verdict, str]:
    """Verdict of guidance_kit, and its reason where it refuses the grammar."""
    index = _index(grammar, dialect)
    if isinstance(index, str):
        return "refused", index
    matcher = gk.Matcher(index)
    if not all(map(matcher.try_advance, _tokens(text, _specials(grammar)))):
        return "no prefix", ""
    return "whole" if matcher.is_complete else "prefix", ""
