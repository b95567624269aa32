"""A model for the tests of extraction: its record is a function of the document, and it fails on request."""

from __future__ import annotations

import hashlib
import json
import time
import warnings
from collections.abc import Sequence
from typing import Any

from guidance_kit.decoding.completion import Completion
from guidance_kit.errors import BudgetError, ContextLengthError, ModelError

SCHEMA = {
    "title": "Seen",
    "type": "object",
    "properties": {"text": {"type": "string"}, "length": {"type": "integer"}},
    "required": ["text", "length"],
}


class FakeExtractor:
    """Writes {"text": the document's first characters, "length": its number of bytes}.

    A document that begins with "LONG" does not fit the context, "TIGHT" leaves too little of it to complete the record,
    "NAN" makes the model fail, "CUT" is cut short, "BROKEN" gives a record that breaks the type, "MEMORY" needs more
    memory than there is, and "CRASH" brings the device down for good.

    Args:
        seconds: that each call takes.
    """

    least = 24
    """Tokens of the shortest record."""

    def __init__(self, seconds: float = 0.0) -> None:
        self.seconds = seconds
        self.calls: list[int] = []
        self.is_down = False

    def extraction_prompt(self, text: str, schema: Any) -> list[int]:
        """See `Model.extraction_prompt`."""
        return list(text.encode())

    def generate(
        self, prompts: Sequence[Sequence[int]], constraint: Any = None, *, batch_size: int = 32, **options: Any
    ) -> list[Completion]:
        """See `Model.generate`."""
        texts = [bytes(prompt).decode() for prompt in prompts]
        self.calls.append(len(texts))
        time.sleep(self.seconds)
        if any(text.startswith("CRASH") for text in texts):
            self.is_down = True
        if self.is_down:
            raise RuntimeError("device-side assert triggered")
        if any(text.startswith("LONG") for text in texts):
            raise ContextLengthError(tokens=5000, context_length=1024)
        if any(text.startswith("TIGHT") for text in texts):
            raise BudgetError(tokens=3, needed=self.least)
        if any(text.startswith("NAN") for text in texts):
            raise ModelError("the model returned NaN")
        if any(text.startswith("MEMORY") for text in texts):
            if len(texts) > 1:
                warnings.warn("out of memory; going on with less", RuntimeWarning, stacklevel=2)
            raise MemoryError("DefaultCPUAllocator: out of memory")
        constraints = constraint if isinstance(constraint, list) else [constraint] * len(texts)
        return [self._completion(text, one, options) for text, one in zip(texts, constraints, strict=True)]

    def min_tokens_to_complete(self, constraint: Any) -> int:
        """See `Model.min_tokens_to_complete`."""
        return self.least

    def _completion(self, text: str, constraint: Any, options: dict[str, Any]) -> Completion:
        record: dict[str, Any] = {"text": text[:12], "length": len(text.encode())}
        if options["temperature"] > 0:
            record["length"] = int(hashlib.sha256(f"{options.get('seed')}{text}".encode()).hexdigest()[:6], 16)
        written = json.dumps(record, ensure_ascii=False, indent=1)
        if text.startswith("BROKEN"):
            written = '{"text": 1}'
        is_cut = text.startswith("CUT")
        return Completion(
            text=written[:9] if is_cut else written,
            tokens=tuple(written.encode()),
            finish_reason="length" if is_cut else "complete",
            prompt_tokens=len(text),
            seed=0,
            constraint=constraint,
        )
