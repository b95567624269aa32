"""`Tagged`: the value of a tag in a text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["Tagged"]


@dataclass(frozen=True, slots=True)
class Tagged:
    """Value of a tag.

    Attributes:
        name: name of the tag.
        value: value of its content: of a JSON Schema the parsed JSON, of a Python type an instance, else the text.
    """

    name: str
    value: Any
