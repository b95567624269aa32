"""Matchers of the structured outputs that a request to vLLM asks for."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, Literal, cast, get_args

from pydantic import BaseModel

from guidance_kit.errors import ConstraintError
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.grammars.choice import choice
from guidance_kit.grammars.constraint import Constraint
from guidance_kit.grammars.grammar import grammar
from guidance_kit.grammars.json_schema import json_schema
from guidance_kit.grammars.regex import regex
from guidance_kit.grammars.region import require_no_regions
from guidance_kit.grammars.structural_tag import structural_tag
from guidance_kit.vocabulary import Vocabulary

__all__ = ["SWITCH", "BackendOptions", "Kind", "engine_options", "request_matcher"]

SWITCH = "GUIDANCE_KIT_VLLM"
"""Environment variable that turns the backend on: "1", or a JSON object of `BackendOptions`."""

Kind = Literal["json", "json_object", "regex", "grammar", "choice", "structural_tag"]
"""Fields of a request: names of `vllm.v1.structured_output.backend_types.StructuredOutputOptions` in lower case."""


class BackendOptions(BaseModel, frozen=True, extra="forbid"):
    """Settings of all requests to an engine.

    Attributes:
        order, whitespace, escapes, formats: of JSON, see `json_schema`.
    """

    order: Literal["declared", "any"] = "declared"
    whitespace: Literal["flexible", "compact", "json", "any"] = "flexible"
    escapes: Literal["minimal", "ascii", "all"] = "minimal"
    formats: Literal["assert", "recall", "annotate"] = "assert"


def engine_options(structured_outputs_config: Any) -> BackendOptions:
    """Settings of this engine, from the environment and vLLM's own option of compact JSON.

    Raises:
        ValueError: a setting that does not exist, or a value that it does not take.
    """
    value = os.environ.get(SWITCH, "1")
    options = BackendOptions() if value == "1" else BackendOptions.model_validate_json(value)
    if structured_outputs_config.disable_any_whitespace:
        options = options.model_copy(update={"whitespace": "compact"})
    return options


def request_matcher(
    kind: Kind, source: str, options: BackendOptions, vocabulary: Vocabulary, eos: Iterable[int] = ()
) -> Matcher:
    """Matcher of a request at the start of its text, with the first mask known.

    Args:
        kind: the field of the request.
        source: its text; of "json" a schema, of "choice" a list as JSON, of "json_object" anything.
        options: settings of the engine.
        vocabulary: of the model.
        eos: ends of sequence of the request; none: those of the vocabulary.
    Raises:
        ConstraintError: the constraint cannot be used, or not be enforced exactly, or not be spelled.
        VocabularyError: the vocabulary lacks a special token that the constraint names.
        OptionError: choices that are no texts; a grammar that may be GBNF or EBNF; one with budgets or temperatures of
            rules; an end of sequence that does not exist.
    """
    ends = tuple(sorted(eos)) or vocabulary.eos
    if any(token < len(vocabulary) and vocabulary.token_bytes[token] for token in ends):
        vocabulary = _with_eos(vocabulary, ends)
    matcher = Matcher(_constraint(kind, source, options).compile(vocabulary), eos=ends)
    matcher.allowed()
    return matcher


@lru_cache(maxsize=8)
def _with_eos(vocabulary: Vocabulary, eos: tuple[int, ...]) -> Vocabulary:
    return vocabulary.with_eos(eos)


@lru_cache(maxsize=256)
def _constraint(kind: Kind, source: str, options: BackendOptions) -> Constraint:
    constraint = _READERS[kind](source, options)
    require_no_regions(constraint)
    return constraint


def _json(source: str, options: BackendOptions) -> Constraint:
    return json_schema(
        source,
        order=options.order,
        whitespace=options.whitespace,
        escapes=options.escapes,
        formats=options.formats,
    )


def _choice(source: str) -> Constraint:
    try:
        texts = json.loads(source)
    except ValueError as error:
        raise ConstraintError(f"the choices are not a list in JSON: {error}") from None
    if not isinstance(texts, list):
        raise ConstraintError(f"the choices are of the type {type(texts).__name__}, not a list")
    return choice(cast("list[str]", texts))


_READERS: dict[Kind, Callable[[str, BackendOptions], Constraint]] = {
    "json": _json,
    "json_object": lambda _, options: _json('{"type": "object"}', options),
    "regex": lambda source, _: regex(source),
    "grammar": lambda source, _: grammar(source),
    "choice": lambda source, _: _choice(source),
    "structural_tag": lambda source, _: structural_tag(source),
}
assert set(_READERS) == set(get_args(Kind))
