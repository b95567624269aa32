"""Warm-up: kernels and modules are loaded before the first request, not while it waits.

Modules are imported, and kernels read from the disk, when something first needs them, which is what a program that
runs for a second wants. A process that serves pays for it at its start instead. What is here touches every kernel
once, so that Numba compiles those that no earlier process on this machine has compiled.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from guidance_kit.errors import ConstraintError, MatchError
from guidance_kit.fsm import bitmask
from guidance_kit.fsm.kernels.compiling import KERNELS
from guidance_kit.fsm.mask_batch import fill_masks
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.fsm.token_index import TokenIndex
from guidance_kit.fsm.token_trie import TokenTrie
from guidance_kit.grammars.any_token import any_token
from guidance_kit.grammars.choice import choice
from guidance_kit.grammars.composition import sequence
from guidance_kit.grammars.constraint import Constraint
from guidance_kit.grammars.json_schema import json_schema
from guidance_kit.grammars.json_schema.formats.table import FORMATS
from guidance_kit.grammars.regex import regex
from guidance_kit.vocabulary import Vocabulary

__all__ = ["compiled_kernels", "steps", "warm_up"]

_EVERYDAY = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "minLength": 1, "maxLength": 40},
        "size": {"type": "number", "minimum": 0.5, "maximum": 20},
        "count": {"type": "integer", "minimum": 0, "maximum": 99},
        "kind": {"enum": ["a", "b", None]},
        "code": {"type": "string", "pattern": "^[A-Z]{2}[0-9]+$"},
        "time": {"type": "string", "format": "date-time"},
        "tags": {"type": "array", "items": {"$ref": "#/$defs/tag"}, "uniqueItems": True},
    },
    "patternProperties": {"^x-": True},
    "required": ["name"],
    "$defs": {"tag": {"anyOf": [{"type": "string"}, {"type": "boolean"}]}},
}
"""A schema of the usual keywords."""

_INSTANCE = {
    "name": "a",
    "size": 1.5,
    "count": 7,
    "kind": None,
    "code": "AB1",
    "time": "2026-01-02T03:04:05Z",
    "tags": ["a", True],
    "x-a": {"any": [0, "b"]},
}
"""An instance of it."""


def warm_up(vocabulary: Vocabulary | None = None, **options: Any) -> int:
    """Load all kernels into this process, and what the usual constraints need besides, as the rules of formats.

    Without it, the first constraints and masks of a process wait for what they need to be loaded. Kernels that no
    process on this machine has compiled are compiled, which takes half a minute.

    Args:
        vocabulary: the vocabulary to load too, with its masks of usual texts.
        options: those of `json_schema` that the schemas to come have, as `escapes`.
    Returns:
        Number of kernels that were compiled.
    Raises:
        OptionError: as `json_schema` does.
    """
    before = compiled_kernels()
    for _, step in steps():
        step()
    vocabulary = vocabulary or Vocabulary.from_bytes()
    orders = (options["order"],) if "order" in options else ("declared", "any")
    for order, separators in itertools.product(orders, ((",", ":"), (", ", ": "))):
        constraint = json_schema(_EVERYDAY, **{**options, "order": order})
        _follow(constraint, vocabulary, json.dumps(_INSTANCE, separators=separators))
    for name in FORMATS:
        _follow(json_schema({"type": "string", "format": name}, **options), vocabulary, '""')
    return compiled_kernels() - before


def _follow(constraint: Constraint, vocabulary: Vocabulary, text: str) -> None:
    """Compute the masks along a text, as far as it is allowed."""
    try:
        matcher = Matcher(TokenIndex.build(constraint.network(), vocabulary))
    except ConstraintError:  # a vocabulary without braces, say, serves other constraints
        return
    for byte in text.encode():
        matcher.allowed()
        try:
            matcher.advance_bytes(bytes([byte]))
        except MatchError:
            return


def compiled_kernels() -> int:
    """Number of kernels that this process has compiled so far, not found on the disk."""
    return sum(len(kernel.stats.cache_misses) for kernel in KERNELS.values())


def steps() -> Iterator[tuple[str, Callable[[], object]]]:
    """Calls that make Numba compile each kernel: name of a part, and a call that uses it for the first time."""
    small = Vocabulary.from_bytes()
    matchers: list[Matcher] = []

    def begin(constraint: Constraint) -> None:
        matchers.append(Matcher(TokenIndex.build(constraint.network(), small)))

    def read(text: bytes) -> None:
        matchers[-1].advance_bytes(text)

    def apply() -> None:
        mask = matchers[-1].allowed()
        for dtype in (np.float32, np.float64):
            bitmask.apply(np.zeros((1, small.rows), dtype=dtype), mask[None])

    def recall() -> None:
        begin(json_schema({"type": "string", "format": "regex"}, formats="recall"))
        read(b'"(?<a>x)(?<b')
        matchers[-1].allowed()

    def item() -> None:
        begin(json_schema({"type": "array", "items": {"type": "string"}, "uniqueItems": True}))
        read(b'["a","a')
        matchers[-1].can_advance(ord('"'))

    def name() -> None:
        begin(json_schema({"type": "object"}))
        matchers[-1].advance(ord("{"))
        read(b'"a":1,"a')
        matchers[-1].can_advance(ord('"'))

    def number() -> None:
        begin(choice([sequence(any_token([ord("a")]), "b"), "ab"]))
        matchers[-1].within(2).allowed()
        matchers[-1].advance(ord("a"))

    yield "the token trie", lambda: TokenTrie(small)
    yield "the first step", lambda: begin(regex('"[^"\\\\]{0,5000}"'))
    yield "further steps", lambda: read(b'"')
    yield "masks", lambda: matchers[-1].allowed()
    yield "masks of batches", lambda: fill_masks(matchers, np.empty((1, matchers[-1].index.words), dtype=np.int32))
    yield "numbers of masks", lambda: matchers[-1].canonical_mask_key()
    yield "masks within budgets", lambda: matchers[-1].within(2).allowed()
    yield "tokens", lambda: matchers[-1].can_advance(0)
    yield "forced texts", lambda: matchers[-1].forced_text()
    yield "the growth of arrays", lambda: read(b"a" * 5000)
    yield "the use of masks", apply
    yield "masks that depend on the text", recall
    yield "names that come once", name
    yield "items that come once", item
    yield "tokens by number", number
