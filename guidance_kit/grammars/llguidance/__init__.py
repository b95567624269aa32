"""llguidance's dialect of Lark's notation."""

from __future__ import annotations

from guidance_kit.grammars.llguidance.expansion import read_llguidance
from guidance_kit.grammars.llguidance.signature import is_llguidance

__all__ = ["is_llguidance", "read_llguidance"]
