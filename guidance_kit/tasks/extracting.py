"""Extraction of records from texts, with their confidence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, TypeVar, Unpack, cast, overload

from guidance_kit.decoding.batch_results import values_of
from guidance_kit.decoding.completion import Completion
from guidance_kit.decoding.field_confidence import GivenText, RecordConfidence
from guidance_kit.decoding.field_limit import record_options
from guidance_kit.decoding.options import GenerateOptions
from guidance_kit.decoding.sampling import require_integer
from guidance_kit.errors import ConstraintError
from guidance_kit.grammars.constraint import Constraint
from guidance_kit.prompt import Prompt, read_texts
from guidance_kit.tasks.generating import GeneratingModel
from guidance_kit.tasks.prompted import record_of
from guidance_kit.thinking import AnswerOptions, think_of

if TYPE_CHECKING:
    from guidance_kit.confidence import Confidence, Extraction

__all__ = ["ExtractingModel"]

T = TypeVar("T")


class ExtractingModel(GeneratingModel):
    """Model that reads records out of texts."""

    @overload
    def extract(
        self,
        texts: str,
        schema: type[T],
        *,
        confidence: Literal[True] | GivenText | Confidence,
        excerpts: bool = False,
        batch_size: int = 32,
        **options: Unpack[AnswerOptions],
    ) -> Extraction[T]: ...
    @overload
    def extract(
        self,
        texts: Iterable[str],
        schema: type[T],
        *,
        confidence: Literal[True] | GivenText | Confidence,
        excerpts: bool = False,
        batch_size: int = 32,
        **options: Unpack[AnswerOptions],
    ) -> list[Extraction[T]]: ...
    @overload
    def extract(
        self,
        texts: str,
        schema: type[T],
        *,
        excerpts: bool = False,
        batch_size: int = 32,
        **options: Unpack[AnswerOptions],
    ) -> T: ...
    @overload
    def extract(
        self,
        texts: Iterable[str],
        schema: type[T],
        *,
        excerpts: bool = False,
        batch_size: int = 32,
        **options: Unpack[AnswerOptions],
    ) -> list[T]: ...
    @overload
    def extract(
        self,
        texts: str | Iterable[str],
        schema: Any,
        *,
        confidence: bool | GivenText | Confidence = False,
        excerpts: bool = False,
        batch_size: int = 32,
        **options: Unpack[AnswerOptions],
    ) -> Any: ...
    def extract(
        self,
        texts: str | Iterable[str],
        schema: Any,
        *,
        confidence: bool | GivenText | Confidence = False,
        excerpts: bool = False,
        batch_size: int = 32,
        **options: Unpack[AnswerOptions],
    ) -> Any:
        """Read a record out of a text, or out of each of several.

        Args:
            texts: one text, or several, in a list or any other iterable.
            schema: schema of the record: a Pydantic model, dataclass, TypedDict or annotated type, a JSON Schema (a
                dict), or a `Constraint` from `json_schema`. Unless it is a constraint, numbers have at most 40 digits
                before the point and 40 after it, if the schema needs no more: see `max_digits` there.
            confidence: True, "before", "record" or `Confidence`: return each record with the probability of the value
                of each field; see `confidence`.
            excerpts: extractive mode: free strings must be spans of the text, so names and addresses, but no summaries;
                see `json_schema`.
            options: as in `generate`; by default decoding is greedy (`temperature=0`), a record may fill the context,
                and a field of it has at most 1,024 tokens (`max_field_tokens`, without default beside `complete` and
                `decoder`), so that a value that repeats itself ends the record there. `think` and `sketch` let the
                model think before each record.
        Returns:
            For a type a validated instance of it, for a JSON Schema the parsed JSON; with `confidence` an `Extraction`
            that has it as its `value`. A list of them for a list.
        Raises:
            IncompleteError: a record was cut short, by the length limit or in a field with too many tokens (named).
            MatchError: a record violates a condition of the type that its schema cannot express; `__cause__` is
                pydantic's error.
            BatchError: one of several texts fails, for these reasons or those of `generate`; it has the error of each,
                and the values of the others.
            GuidanceKitError: as `generate`.
        """
        constraint = record_of(schema)
        filled = cast(GenerateOptions, record_options(options))
        several, is_single = read_texts(texts)
        written = self.extraction_prompt if think_of(options)[0] is None else self.thinking_prompt
        prompts: list[Prompt] = [written(text, constraint) for text in several]
        constraints = _excerpts(constraint, several) if excerpts else constraint
        read = self._reader(confidence, batch_size)
        values = values_of(lambda: self.generate(prompts, constraints, batch_size=batch_size, **filled), read)
        return values[0] if is_single else values

    def confidence(
        self, completion: Completion, given: Literal[True] | GivenText | Confidence = True, *, batch_size: int = 32
    ) -> RecordConfidence:
        """Confidence in each field of a record: the probability of its value among those that the constraint allows.

        It is the probability under the formula, without guides and before masks, given the tokens before the field.
        Where the values are finite, it is exact: each is summed over all spellings and tokenisations that the
        constraint allows. See docs/confidence.md.

        Args:
            completion: a record of this model, under a type or a constraint of `json_schema`.
            given: "before" or True for the probability given the text before the field, "record" to weigh the rest of
                the record too, or all settings.
            batch_size: number of sequences that run at once.
        Raises:
            OptionError: the text is no record of a schema; an invalid setting.
            IncompleteError: the record was cut short.
            ModelError, FormulaError: as `generate`.
        """
        from guidance_kit.confidence import Confidence, ConfidenceEstimator, confidence_of  # which is rarely needed

        require_integer("batch_size", batch_size, least=1)
        settings = confidence_of(given) or Confidence()
        distribution = self._distribution([completion.prefix], [completion.prefix])
        spell = self.language_model.spell
        estimator = ConfidenceEstimator(distribution, self.vocabulary, spell, settings, batch_size=batch_size)
        return estimator.estimate(completion)

    def _reader(self, given: bool | GivenText | Confidence, batch_size: int) -> Callable[[Completion], Any]:
        """Function from a completion to the value that `extract` returns for it."""
        if given is False:
            return lambda completion: completion.value
        from guidance_kit.confidence import Extraction, confidence_of

        settings = confidence_of(given)

        def read(completion: Completion) -> Extraction[Any]:
            value = completion.value
            found = self.confidence(completion, settings or True, batch_size=batch_size)
            return Extraction(value=value, completion=replace(completion, confidence=found), confidence=found)

        return read


def _excerpts(constraint: Constraint, texts: Sequence[str]) -> list[Constraint]:
    """Extractive constraint of each text: free strings of its record are spans of the text.

    Raises:
        ConstraintError: a text is too short for the schema; a note has its number.
    """
    found: list[Constraint] = []
    for number, text in enumerate(texts):
        try:
            found.append(constraint.excerpts_of(text))
        except ConstraintError as error:
            error.add_note(f"of text {number}")
            raise
    return found
