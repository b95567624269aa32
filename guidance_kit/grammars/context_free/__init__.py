"""Context-free grammars: a tree that every notation is read into, and its network."""

from __future__ import annotations

from guidance_kit.grammars.context_free.lalr import LexedGrammar
from guidance_kit.grammars.context_free.lexeme import Lexeme
from guidance_kit.grammars.context_free.tree import (
    Choice,
    EbnfRepetition,
    Grammar,
    Node,
    RuleReference,
    Sequence,
    Terminal,
)
from guidance_kit.grammars.context_free.writer import CompiledGrammar

__all__ = [
    "Choice",
    "CompiledGrammar",
    "EbnfRepetition",
    "Grammar",
    "LexedGrammar",
    "Lexeme",
    "Node",
    "RuleReference",
    "Sequence",
    "Terminal",
]
