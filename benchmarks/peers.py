"""The constraint engines that benchmarks compare us with, behind one small interface.

Each engine is loaded with a vocabulary once; `compile` turns a JSON Schema or a regex into a session, and a session
gives a mask and takes a token. What the interface of a peer needs beyond that is counted as the peer's time only where
a user of the peer would need it too.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

import guidance_kit as gk
from guidance_kit.fsm import bitmask
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.fsm.token_index import TokenIndex

__all__ = ["ENGINES", "Engine", "Session"]


class Session(Protocol):
    """One text in one constraint."""

    def mask(self) -> Any:
        """Compute the mask of the next token."""
        ...

    def take(self, token: int) -> bool:
        """Take a token; False if it is refused."""
        ...

    def ends(self, eos: int) -> bool:
        """Test whether the text may end here; nothing is asked of the engine after that."""
        ...

    def again(self) -> None:
        """Go back to the beginning of the text, with all that was computed so far."""
        ...


class Engine(Protocol):
    """A constraint engine with a vocabulary."""

    name: str

    def schema(self, schema: dict) -> Session: ...

    def regex(self, pattern: str) -> Session: ...


class OurSession:
    def __init__(self, constraint: gk.Constraint, vocabulary: gk.Vocabulary, out: np.ndarray) -> None:
        # Not `constraint.compile`, which would find the index of an equal constraint that was used before.
        self.matcher = Matcher(TokenIndex.build(constraint.network(), vocabulary))
        self.out = out

    def mask(self) -> np.ndarray:
        return self.matcher.allowed(self.out)

    def take(self, token: int) -> bool:
        try:
            self.matcher.advance(token)
        except gk.MatchError:
            return False
        return True

    def ends(self, eos: int) -> bool:
        return self.take(eos)

    def again(self) -> None:
        self.matcher = Matcher(self.matcher.index)


class Ours:
    name = "guidance_kit"

    def __init__(self, vocabulary: gk.Vocabulary, tokenizer: Any) -> None:
        self.vocabulary = vocabulary
        self.out = np.zeros(bitmask.words(vocabulary.rows), dtype=np.int32)
        gk.warm_up(vocabulary, escapes="all")  # as a server does when it starts

    def schema(self, schema: dict) -> Session:
        constraint = gk.json_schema(schema, escapes="all")  # as the other engines have it
        return OurSession(constraint, self.vocabulary, self.out)

    def regex(self, pattern: str) -> Session:
        return OurSession(gk.regex(pattern), self.vocabulary, self.out)

    def choice(self, texts: list[str]) -> Session:
        return OurSession(gk.choice(texts), self.vocabulary, self.out)


class LLGuidanceSession:
    def __init__(self, engine: LLGuidance, grammar: str) -> None:
        self.matcher = engine.module.LLMatcher(engine.tokenizer, grammar, log_level=0)
        if self.matcher.is_error():
            raise ValueError(self.matcher.get_error())
        self.fill, self.out = engine.fill, engine.out

    def mask(self) -> np.ndarray:
        self.fill(self.matcher, self.out, 0)
        return self.out

    def take(self, token: int) -> bool:
        return self.matcher.consume_token(token)

    def ends(self, eos: int) -> bool:
        return self.take(eos)

    def again(self) -> None:
        self.matcher.reset()


class LLGuidance:
    name = "llguidance"

    def __init__(self, vocabulary: gk.Vocabulary, tokenizer: Any) -> None:
        import llguidance
        import llguidance.hf
        import llguidance.numpy

        self.module = llguidance
        self.fill = llguidance.numpy.fill_next_token_bitmask
        self.tokenizer = llguidance.hf.from_tokenizer(tokenizer, n_vocab=vocabulary.rows)
        self.out = llguidance.numpy.allocate_token_bitmask(1, vocabulary.rows)

    def schema(self, schema: dict) -> Session:
        return LLGuidanceSession(self, self.module.LLMatcher.grammar_from_json_schema(json.dumps(schema)))

    def regex(self, pattern: str) -> Session:
        return LLGuidanceSession(self, self.module.LLMatcher.grammar_from_regex(pattern))


class XGrammarSession:
    def __init__(self, engine: XGrammar, grammar: Any) -> None:
        self.matcher = engine.module.GrammarMatcher(grammar)
        self.out = engine.out

    def mask(self) -> Any:
        self.matcher.fill_next_token_bitmask(self.out)
        return self.out

    def take(self, token: int) -> bool:
        return self.matcher.accept_token(token)

    def ends(self, eos: int) -> bool:
        return self.take(eos)

    def again(self) -> None:
        self.matcher.reset()


class XGrammar:
    name = "xgrammar"

    def __init__(self, vocabulary: gk.Vocabulary, tokenizer: Any) -> None:
        import xgrammar

        self.module = xgrammar
        self.info = xgrammar.TokenizerInfo.from_huggingface(tokenizer, vocab_size=vocabulary.rows)
        self.compiler = xgrammar.GrammarCompiler(self.info, max_threads=1, cache_enabled=False)
        self.out = xgrammar.allocate_token_bitmask(1, vocabulary.rows)

    def schema(self, schema: dict) -> Session:
        return XGrammarSession(self, self.compiler.compile_json_schema(json.dumps(schema), strict_mode=False))

    def regex(self, pattern: str) -> Session:
        return XGrammarSession(self, self.compiler.compile_regex(pattern))


class OutlinesSession:
    def __init__(self, engine: Outlines, pattern: str) -> None:
        self.guide = engine.module.Guide(engine.module.Index(pattern, engine.vocabulary))
        self.fill, self.out = engine.fill, engine.out

    def mask(self) -> Any:
        self.fill(self.guide, self.out)
        return self.out

    def take(self, token: int) -> bool:
        if not self.guide.accepts_tokens([token]):
            return False
        self.guide.advance(token)
        return True

    def ends(self, eos: int) -> bool:
        return self.guide.is_finished()

    def again(self) -> None:
        self.guide.reset()


class Outlines:
    name = "outlines-core"

    def __init__(self, vocabulary: gk.Vocabulary, tokenizer: Any) -> None:
        import outlines_core
        import outlines_core.json_schema
        import outlines_core.kernels.numpy as kernel

        self.module = outlines_core
        tokens: dict[bytes, list[int]] = {}
        for token, text in enumerate(vocabulary.token_bytes):
            if text and token not in vocabulary.special:
                tokens.setdefault(text, []).append(token)
        self.vocabulary = outlines_core.Vocabulary(vocabulary.eos[0], tokens)
        self.fill = kernel.fill_next_token_bitmask
        self.out = kernel.allocate_token_bitmask(vocabulary.rows)

    def schema(self, schema: dict) -> Session:
        return OutlinesSession(self, self.module.json_schema.build_regex_from_schema(json.dumps(schema)))

    def regex(self, pattern: str) -> Session:
        return OutlinesSession(self, pattern)


ENGINES: Sequence[type] = (Ours, LLGuidance, XGrammar, Outlines)
