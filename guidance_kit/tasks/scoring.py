"""Scores of given texts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, cast, overload

from guidance_kit.decoding.generation import check_prompts, walk_of
from guidance_kit.decoding.options import Options
from guidance_kit.decoding.sampling import require_integer
from guidance_kit.decoding.scoring import TextScore, score_texts
from guidance_kit.errors import OptionError
from guidance_kit.grammars.argument import ConstraintArgument, constraints_of
from guidance_kit.guides.guide import Guide, guides_of
from guidance_kit.prompt import Prompt, is_conversation, read_prompts
from guidance_kit.tasks.prompted import PromptedModel

__all__ = ["ScoringModel"]


class ScoringModel(PromptedModel):
    """Model that scores given texts."""

    @overload
    def score(
        self,
        texts: str | Sequence[int],
        prompts: Prompt = "",
        constraint: ConstraintArgument | None = None,
        *,
        guides: Guide[Any] | Iterable[Guide[Any]] = (),
        end: bool = False,
        batch_size: int = 32,
    ) -> TextScore: ...
    @overload
    def score(
        self,
        texts: Iterable[str | Sequence[int]],
        prompts: Prompt | Iterable[Prompt] = "",
        constraint: ConstraintArgument | Iterable[ConstraintArgument] | None = None,
        *,
        guides: Guide[Any] | Iterable[Guide[Any]] = (),
        end: bool = False,
        batch_size: int = 32,
    ) -> list[TextScore]: ...
    def score(
        self,
        texts: str | Sequence[int] | Iterable[str | Sequence[int]],
        prompts: Prompt | Iterable[Prompt] = "",
        constraint: ConstraintArgument | Iterable[ConstraintArgument] | None = None,
        *,
        guides: Guide[Any] | Iterable[Guide[Any]] = (),
        end: bool = False,
        batch_size: int = 32,
    ) -> TextScore | list[TextScore]:
        """Log-probabilities of given texts after prompts, at temperature 1 without truncation.

        Args:
            texts: a text, or token ids; or several. A text has the tokens by which the tokenizer encodes it in the
                middle of another one: other tokenizations of it have probabilities of their own.
            prompts: one prompt for all texts, or a list with one a text; as in `generate`.
            constraint, guides: as in `generate`. The constraint need not allow the texts.
            end: score the end of the sequence after each text too, so that the probability is that of the whole text.
            batch_size: number of texts that run at once.
        Raises:
            OptionError: an invalid text or prompt; another number of prompts than of texts.
            UnspellableError: the vocabulary cannot spell a text.
            ContextLengthError: a prompt with its text does not fit; before the model runs.
            GuidanceKitError: as `generate`.
        """
        require_integer("batch_size", batch_size, least=1)
        several, is_single = read_prompts(texts)
        given, is_one = read_prompts(prompts)
        if is_one:
            given = given * len(several)
        if len(given) != len(several):
            raise OptionError(f"{len(given)} prompts for {len(several)} texts")
        tokens = [self._spelt(text) + ([self.vocabulary.eos[0]] if end else []) for text in several]
        starts = [self._tokens(prompt) for prompt in given]
        guide, _ = self._compile(constraints_of(constraint, len(several)), len(several), Options())
        distribution = self._distribution(given, starts)
        check_prompts(distribution, starts)
        found: list[TextScore] = []
        for first in range(0, len(several), batch_size):
            part = slice(first, first + batch_size)
            numbers = range(len(several))[part]
            walk = walk_of(
                distribution,
                self.vocabulary,
                starts[part],
                constraint=None if guide is None else guide.of_prompts(numbers),
                guides=guides_of(guides),
                numbers=numbers,
            )
            found += score_texts(walk, tokens[part])
        return found[0] if is_single else found

    def perplexity(self, texts: str | Iterable[str | Sequence[int]], prompts: Prompt | Iterable[Prompt] = "") -> float:
        """Perplexity of one text, or of several together: exp of the mean negative log-probability of a token.

        Args:
            texts, prompts: as in `score`.
        Raises:
            GuidanceKitError: as `score`.
        """
        scores = self.score(texts, prompts)
        several = [scores] if isinstance(scores, TextScore) else scores
        count = sum(len(one.tokens) for one in several)
        if not count:
            raise OptionError("the texts have no tokens, so no perplexity")
        return math.exp(-sum(one.log_probability for one in several) / count)

    def _spelt(self, text: Prompt) -> list[int]:
        """Token ids of a text that is scored."""
        if is_conversation(text):
            raise OptionError("a scored text is a text or token ids, not a conversation")
        return self.language_model.spell(text) if isinstance(text, str) else list(cast("Sequence[int]", text))
