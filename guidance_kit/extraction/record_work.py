"""Documents to records, as the work of a batch job."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from guidance_kit.decoding.cut_field import cut_at
from guidance_kit.decoding.field_confidence import RecordConfidence
from guidance_kit.decoding.field_limit import record_options
from guidance_kit.decoding.partial_results import results_of
from guidance_kit.errors import BatchError, BudgetError, IncompleteError
from guidance_kit.extraction.careful_work import Explain, Work
from guidance_kit.extraction.documents import Document
from guidance_kit.extraction.entry import Entry, encodable, failed_entry, message_of, one_line
from guidance_kit.grammars.constraint import Constraint

__all__ = ["Extractor", "RecordWork"]

_DIGITS = 6
"""Of probabilities; what is beyond depends on which documents were in one batch."""


class Extractor(Protocol):
    """Model of a job; `guidance_kit.model.Model` is one."""

    def extraction_prompt(self, text: str, schema: Any) -> list[int]:
        """The tokens after which the model writes the record of `text`."""
        ...

    def thinking_prompt(self, text: str, schema: Any) -> Any:
        """Prompt after which the model thinks and writes the record of `text`."""
        ...

    def generate(self, prompts: Any, constraint: Any = None, *, batch_size: int = 32, **options: Any) -> Any:
        """A `Completion` for each prompt, or an error; see `Model.generate`."""
        ...

    def confidence(self, completion: Any, given: Any = True, *, batch_size: int = 32) -> RecordConfidence:
        """Probability of each field of a record; see `Model.confidence`."""
        ...

    def min_tokens_to_complete(self, constraint: Constraint) -> int | None:
        """Number of tokens of the shortest record; see `Model.min_tokens_to_complete`."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordWork:
    """Extraction of a record from each document, without the model; it can be sent to another process.

    Args:
        constraint: from `json_schema`.
        options: of `Model.generate`, with the defaults of `record_options`. With `seed`, what is drawn for a document
            depends on it and the document alone.
        excerpts: whether strings about which the schema says no more are copied from the document; see `json_schema`.
        confidence: settings of `Model.confidence`, by which lines have the probability of each field; None for none.
        minimum: lowest probability of a field of a sure record, in [0, 1].
        explain: the message of an error, for the line of its document.
    Raises:
        OptionError: an option is unknown.
    """

    constraint: Constraint
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    excerpts: bool = False
    confidence: Any = None
    minimum: float = 0.0
    explain: Explain = message_of

    def __post_init__(self) -> None:
        object.__setattr__(self, "options", record_options(dict(self.options)))

    def on(self, model: Extractor) -> Work:
        """Work of a model.

        Raises:
            BudgetError: with the option `complete`, `max_tokens` suffice for no record, whatever the documents are.
        """
        tokens = self.options["max_tokens"]
        if self.options.get("complete") and isinstance(tokens, int):
            needed = model.min_tokens_to_complete(self.constraint)
            if needed is None or needed > tokens:
                raise BudgetError(tokens=tokens, needed=needed)
        return _Extraction(model, self).entries


class _Extraction:
    """Documents to records by one model."""

    def __init__(self, model: Extractor, work: RecordWork) -> None:
        self.model = model
        self.work = work

    def entries(self, documents: Sequence[Document]) -> list[Entry]:
        """The entries of documents, all at once."""
        completions, errors = results_of(lambda: self._completions(documents))
        entries = [
            None if completion is None else self._entry(document, completion)
            for document, completion in zip(documents, completions, strict=True)
        ]
        if errors:
            raise BatchError(errors, entries)
        return [entry for entry in entries if entry is not None]

    def _entry(self, document: Document, completion: Any) -> Entry:
        """The line of a document for which the model has written something."""
        tokens = len(completion.tokens)
        try:
            _ = completion.value  # validated
        except Exception as error:  # a validator of the caller's type may raise anything
            message = self.work.explain(error)
            if isinstance(error, IncompleteError) and error.pointer is None:
                field, length = cut_at(completion.text)
                message += f"; it was cut in {field or 'the root'}, after {length:,} characters of it"
            return replace(failed_entry(document, error, message, text=completion.text), tokens=tokens)
        head = json.dumps({"source": document.source, "digest": document.digest}, ensure_ascii=False)
        others: dict[str, Any] = {"finish_reason": completion.finish_reason, "tokens": tokens}
        is_unsure = False
        if self.work.confidence is not None:
            found = self.model.confidence(completion, self.work.confidence)
            others["confidence"] = {
                pointer: {"probability": round(one.probability, _DIGITS), "method": one.method}
                for pointer, one in found.items()
            }
            is_unsure = found.least is not None and found.least.probability < self.work.minimum
        tail = json.dumps(others, ensure_ascii=False)
        return Entry(
            source=document.source,
            line=encodable(f'{head[:-1]}, "record": {one_line(completion.text)}, {tail[1:]}'),
            tokens=tokens,
            is_unsure=is_unsure,
        )

    def _completions(self, documents: Sequence[Document]) -> list[Any]:
        options = self.work.options
        thinks = any(options.get(name) for name in ("think", "sketch"))
        written = self.model.thinking_prompt if thinks else self.model.extraction_prompt
        prompts = [written(document.text, self.work.constraint) for document in documents]
        if options.get("seed") is None or (options["temperature"] == 0 and not thinks):
            return self.model.generate(prompts, self._constraint(documents), batch_size=len(prompts), **options)
        return [  # one by one, since a batch has one seed; so a document's record never depends on its neighbours
            self.model.generate(
                [prompt], self._constraint([document]), **{**options, "seed": _seed(options["seed"], document)}
            )[0]
            for document, prompt in zip(documents, prompts, strict=True)
        ]

    def _constraint(self, documents: Sequence[Document]) -> Constraint | list[Constraint]:
        """Constraint on the records of documents, one for all or one for each."""
        if not self.work.excerpts:
            return self.work.constraint
        return [self.work.constraint.excerpts_of(document.text) for document in documents]


def _seed(seed: int, document: Document) -> int:
    """The seed of one document: 63 bits."""
    text = f"{seed}\n{document.source}\n{document.digest}"
    return int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:8], "big") >> 1
