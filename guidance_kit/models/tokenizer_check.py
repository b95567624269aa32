"""Check of the token ids in a tokenizer's files, before the tokenizers library makes room for all ids up to them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from transformers.utils.hub import cached_file

from guidance_kit.errors import ModelError
from guidance_kit.models.config_check import GREATEST_VOCABULARY

__all__ = ["check_tokenizer"]

_FILES = ("tokenizer.json", "vocab.json", "added_tokens.json")
_LONG = re.compile(rb":\s*\d{7,}")
"""An integer of seven digits as a value of an object; one of fewer digits is no id that is too large."""


def check_tokenizer(source: str, config: Mapping[str, Any], place: Mapping[str, Any]) -> None:
    """Refuse a tokenizer with token ids that no vocabulary has.

    Args:
        source: a folder or a name on the model hub.
        config: its tokenizer_config.json.
        place: revision, token, ... as `configuration_file` takes them.
    Raises:
        ModelError: names the file, the token and its id.
    """
    added = config.get("added_tokens_decoder")
    if isinstance(added, Mapping):
        ids = ((str(name), int(name)) for name in cast("Mapping[str, Any]", added) if str(name).isdecimal())
        _require_small(source, "tokenizer_config.json", ids)
    for file in _FILES:
        path: str | None = cached_file(source, file, **place, _raise_exceptions_for_missing_entries=False)
        if path is None or _LONG.search(written := Path(path).read_bytes()) is None:
            continue
        try:
            found = json.loads(written)
        except (ValueError, RecursionError) as error:
            raise ModelError(f"cannot load {source!r}: {file} is not JSON: {error}") from error
        _require_small(source, file, _ids(found))


def _ids(found: Any) -> Iterator[tuple[str, int]]:
    """Tokens with their ids: of a vocabulary, or of a tokenizer.json, which has one in its model, and added tokens."""
    parts = cast("dict[str, Any]", found) if isinstance(found, dict) else {}
    model = parts.get("model")
    vocabulary = cast("dict[str, Any]", model).get("vocab") if isinstance(model, dict) else parts
    if isinstance(vocabulary, dict):
        pairs = cast("dict[str, Any]", vocabulary).items()
        yield from ((token, number) for token, number in pairs if isinstance(number, int))
    added = parts.get("added_tokens")
    for entry in cast("list[Any]", added) if isinstance(added, list) else ():
        if isinstance(entry, dict) and isinstance(number := cast("dict[str, Any]", entry).get("id"), int):
            yield str(cast("dict[str, Any]", entry).get("content")), number


def _require_small(source: str, file: str, ids: Iterator[tuple[str, int]]) -> None:
    for token, number in ids:
        if number > GREATEST_VOCABULARY:
            raise ModelError(
                f"cannot load {source!r}: {file} gives the token {token!r:.40} the id {number}, and an id is at most "
                f"{GREATEST_VOCABULARY:,}; correct the file"
            )
