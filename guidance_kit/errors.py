"""Exceptions of guidance_kit, as one tree.

    GuidanceKitError
    ├── OptionError            (TypeError)            an unknown option; names the nearest one
    ├── VocabularyError        (ValueError)           a tokenizer cannot be read, or two vocabularies disagree
    ├── ConstraintError        (ValueError)           a pattern, schema or grammar cannot be used
    │   ├── PatternError                              a regex is malformed: pattern, position
    │   ├── SchemaError                               a JSON Schema is malformed: JSON pointer
    │   ├── GrammarError                              a grammar is malformed: line, column
    │   ├── UnsupportedFeature (NotImplementedError)  valid, but not enforceable exactly here: feature, place
    │   ├── UnsatisfiableError                        no text at all satisfies the constraint
    │   ├── UnspellableError                          the vocabulary cannot spell it: characters
    │   ├── LimitError         (RuntimeError)         a hard limit was reached: limit, value
    │   └── BudgetError                               too few tokens to complete a text: tokens, needed
    ├── MatchError             (ValueError)           a token or text that the constraint does not allow: position
    ├── UndecidableError       (ValueError)           a text too short to decide on: tokens scored, and needed
    ├── IncompleteError        (ValueError)           a generated text that was cut short: text, finish reason
    ├── ModelError             (RuntimeError)         a model cannot be loaded or run
    │   ├── ContextLengthError (ValueError)           more tokens than the model's context holds
    │   └── FormulaError       (ValueError)           models add up to no distribution: term, row
    ├── PotentialError         (RuntimeError)         a potential failed on a text, or gave no number: text
    ├── DocumentError          (ValueError)           one input document cannot be read; the others go on
    └── BatchError             (RuntimeError)         some of several prompts failed: errors, results of the others

Each class stands for one thing that the caller can do differently; fields hold the data that the message shows.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

__all__ = [
    "BatchError",
    "BudgetError",
    "ConstraintError",
    "ContextLengthError",
    "DocumentError",
    "FormulaError",
    "GrammarError",
    "GuidanceKitError",
    "IncompleteError",
    "LimitError",
    "MatchError",
    "ModelError",
    "OptionError",
    "PatternError",
    "PotentialError",
    "SchemaError",
    "UndecidableError",
    "UnsatisfiableError",
    "UnspellableError",
    "UnsupportedFeature",
    "VocabularyError",
]


class GuidanceKitError(Exception):
    """Root of all errors that the library raises on purpose. They pickle with their fields and notes."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _made_again, (type(self), self.args, self.__dict__)


def _made_again(kind: type[GuidanceKitError], arguments: tuple[Any, ...], fields: dict[str, Any]) -> GuidanceKitError:
    """Unpickled error, built without calling the constructor of its class."""
    made = kind.__new__(kind, *arguments)
    made.args = arguments
    made.__dict__.update(fields)
    return made


class OptionError(GuidanceKitError, TypeError):
    """An option that does not exist, or a value that it does not take."""

    @classmethod
    def unknown(cls, name: str, known: Iterable[str], what: str = "option") -> OptionError:
        """Build the error for an unknown name, pointing to the nearest known one."""
        choices = sorted(known)
        near = difflib.get_close_matches(name, choices, n=1, cutoff=0.5)
        hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(choices)}"
        return cls(f"unknown {what} {name!r}; {hint}")


class VocabularyError(GuidanceKitError, ValueError):
    """A tokenizer whose tokens cannot be turned into bytes, or vocabularies that disagree."""


class ConstraintError(GuidanceKitError, ValueError):
    """A constraint that cannot be used: invalid, unsupported, unsatisfiable, or beyond a limit."""


class PatternError(ConstraintError):
    """A malformed regular expression.

    Args:
        message: description of the error, without its position.
        pattern: the whole pattern.
        position: index of the offending character in `pattern`, if known.
    """

    def __init__(self, message: str, *, pattern: str, position: int | None = None) -> None:
        self.pattern = pattern
        self.position = position
        where = "" if position is None else f" at position {position}"
        super().__init__(f"{message}{where} in pattern {_shorten(pattern)!r}")


class SchemaError(ConstraintError):
    """A malformed JSON Schema.

    Args:
        message: description of the error, without its location.
        pointer: JSON pointer (RFC 6901) to the offending part, "" for the root.
    """

    def __init__(self, message: str, *, pointer: str) -> None:
        self.message = message
        self.pointer = pointer
        super().__init__(f"{message} (at {pointer or 'the root of the schema'})")


class GrammarError(ConstraintError):
    """A malformed grammar.

    Args:
        message: description of the error, without its position.
        source: the whole grammar; the message shows the line with a caret.
        line, column: of the offending character, from 1, if known.
        path: the file of the grammar.
    """

    def __init__(
        self, message: str, *, source: str = "", line: int | None = None, column: int | None = None, path: str = ""
    ) -> None:
        self.line = line
        self.column = column
        self.path = path
        where = [*([path] if path else []), *([] if line is None else [f"line {line}, column {column}"])]
        shown = ""
        lines = source.split("\n")
        if source and line is not None and column is not None and line <= len(lines):
            text = lines[line - 1]
            first = max(0, column - 60)
            shown = f"\n  {text[first : first + 100]}\n  {' ' * (column - 1 - first)}^"
        super().__init__(message + (f" (at {', '.join(where)})" if where else "") + shown)


class UnsupportedFeature(ConstraintError, NotImplementedError):
    """A valid constraint with a feature that is not enforced exactly, hence refused.

    Args:
        feature: name of the feature, e.g. "uniqueItems" or "backreference".
        where: JSON pointer, or description of the position in the pattern; "" for the whole.
        hint: alternative for the caller.
    """

    def __init__(self, feature: str, *, where: str, hint: str = "") -> None:
        self.feature = feature
        self.where = where
        self.hint = hint
        place = f" (at {where})" if where else ""
        super().__init__(f"{feature} is not supported{place}" + (f"; {hint}" if hint else ""))


class UnsatisfiableError(ConstraintError):
    """A constraint that no text satisfies.

    Args:
        where: location in the constraint; for a JSON Schema the JSON pointer of a subschema.
        keywords: for a JSON Schema, JSON pointers of the keywords that contradict each other.
    """

    def __init__(self, message: str, *, where: str = "", keywords: tuple[str, ...] = ()) -> None:
        self.where = where
        self.keywords = keywords
        super().__init__(message + (f" (at {where})" if where else ""))


class UnspellableError(ConstraintError):
    """A constraint that needs characters for which the vocabulary has no tokens.

    Args:
        characters: missing characters, e.g. "{" and "}"; some of them, if there are many.
    """

    def __init__(self, characters: Iterable[str]) -> None:
        self.characters = tuple(characters)
        shown = " ".join(repr(c) for c in self.characters[:20]) or "some of its characters"
        more = " and others" if len(self.characters) > 20 else ""
        instead = (
            ", or ask for texts without braces: an array of the values (prefixItems, a tuple in Python), labels, "
            "numbers, a pattern"
            if {"{", "}"} & {*self.characters}
            else ""
        )
        super().__init__(
            f"the vocabulary cannot spell any text of this constraint; it has no tokens for {shown}{more}. "
            f"Use a model whose tokenizer has byte-level or byte-fallback tokens{instead}"
        )


class LimitError(ConstraintError, RuntimeError):
    """A hard limit on time or memory was reached.

    Args:
        limit: name of the limit.
        value: its value.
        where: location in the constraint.
        is_adjustable: the limit is a field of `guidance_kit.Limits`.
    """

    def __init__(self, limit: str, value: float, *, where: str = "", is_adjustable: bool = False) -> None:
        self.limit = limit
        self.value = value
        super().__init__(
            f"limit {limit}={value} reached"
            + (f" (at {where})" if where else "")
            + "; simplify the constraint"
            + (f", or compile it with Limits({limit}=...)" if is_adjustable else "")
        )


class BudgetError(ConstraintError):
    """A token budget that does not suffice to complete a text.

    Args:
        tokens: the budget.
        needed: the least budget that suffices; None if none does.
    """

    def __init__(self, *, tokens: int, needed: int | None) -> None:
        self.tokens = tokens
        self.needed = needed
        what = "no tokens complete the text" if needed is None else f"it takes {needed} tokens to complete the text"
        super().__init__(
            f"{what}, and there are {tokens}; raise max_tokens, or shorten the prompt if the context is full"
        )


class MatchError(GuidanceKitError, ValueError):
    """A token, or text, that the constraint does not allow, or a text that has no value under it.

    Args:
        message: what does not match, with the place.
        position: of a text, the index of the first character that does not match, its length if it ends too early;
            None where no single place is at fault.
        expected: the characters that could follow there, in words; "" if they are not known.
    """

    def __init__(self, message: str, *, position: int | None = None, expected: str = "") -> None:
        self.position = position
        self.expected = expected
        super().__init__(message)


class UndecidableError(GuidanceKitError, ValueError):
    """A text that is too short, or has too little choice, for a test to decide on.

    Args:
        scored: number of tokens that can be scored.
        tokens: number of tokens of the text.
        needed: number of scored tokens that a test needs, about.
        significance: p-value that it is to reach.
    """

    def __init__(self, *, scored: int, tokens: int, needed: int, significance: float) -> None:
        self.scored = scored
        self.tokens = tokens
        self.needed = needed
        self.significance = significance
        super().__init__(
            f"undecidable: {scored} of {tokens} tokens can be scored, and a p-value of {significance:g} needs about "
            f"{needed}; take a longer text, or a greater significance"
        )


class IncompleteError(GuidanceKitError, ValueError):
    """A generated text that was cut short, and so has no value.

    Args:
        text: the text up to the cut.
        finish_reason: "length", "stop" or "field".
        tokens: number of generated tokens.
        pointer, limit: with "field", JSON pointer of the cut field of a record, and the token limit of a field.
    """

    def __init__(
        self, *, text: str, finish_reason: str, tokens: int, pointer: str | None = None, limit: int | None = None
    ) -> None:
        self.text = text
        self.finish_reason = finish_reason
        self.tokens = tokens
        self.pointer = pointer
        self.limit = limit
        why = "a stop string came up"
        if finish_reason == "length":
            why = (
                "there was no room for more; raise max_tokens, set complete=True to have texts completed within it, or "
                "shorten the prompt if the context is full"
            )
        elif finish_reason == "field":
            why = (
                f"the field {pointer or 'at the root'} took more than {limit:,} of them; raise max_field_tokens, or "
                "bound the field in the schema, as by maxLength or maxItems"
            )
        super().__init__(f"the text is incomplete: after {tokens} tokens {why} (it ends with …{text[-60:]!r})")


class ModelError(GuidanceKitError, RuntimeError):
    """A model that cannot be loaded or run as asked."""


class ContextLengthError(ModelError, ValueError):
    """More tokens than the model's context holds.

    Args:
        tokens: number of requested tokens.
        context_length: number of tokens that the context holds.
        model: name of the model, if there are several.
    """

    def __init__(self, *, tokens: int, context_length: int, model: str = "") -> None:
        self.tokens = tokens
        self.context_length = context_length
        self.model = model
        whose = f"context of {model}, which is" if model else "model's context of"
        super().__init__(f"{tokens} tokens do not fit the {whose} {context_length}; shorten the text or split it")


class FormulaError(ModelError, ValueError):
    """A formula over models that gives no distribution: a term is NaN, divides by 0, or no token is left.

    Args:
        message: description of the error, with the name of the term.
        term: the term.
        row: index of the prefix in the batch.
    """

    def __init__(self, message: str, *, term: str, row: int) -> None:
        self.term = term
        self.row = row
        super().__init__(message)


class PotentialError(GuidanceKitError, RuntimeError):
    """A potential of particles raised, or returned something else than a number or a truth value.

    Attributes:
        text: the text on which it failed.
    """

    def __init__(self, message: str, *, text: str) -> None:
        super().__init__(message)
        self.text = text


class DocumentError(GuidanceKitError, ValueError):
    """One input document that cannot be read or processed."""


def _shorten(text: str, length: int = 200) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"


class BatchError(GuidanceKitError, RuntimeError):
    """Some of several prompts, or texts, failed; the others have their results.

    Attributes:
        errors: errors by number of the prompt, or of the sample of a single prompt, at least one. A call for that
            prompt alone raises the same error.
        results: results of the call, with None for texts that failed.
    """

    def __init__(self, errors: Mapping[int, Exception], results: Sequence[Any]) -> None:
        self.errors = dict(sorted(errors.items()))
        self.results = list(results)
        first = next(iter(self.errors))
        super().__init__(
            f"{len(self.errors)} of {len(self.results)} failed; `errors` and `results` of this error have all. Number "
            f"{first}: {self.errors[first]}"
        )
