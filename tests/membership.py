"""Membership of whole texts in constraints."""

from __future__ import annotations

import guidance_kit as gk
from guidance_kit.grammars.membership import require_match

__all__ = ["matches"]


def matches(constraint: gk.Constraint, text: str) -> bool:
    """True if a constraint matches a whole text."""
    try:
        require_match(constraint, text)
    except gk.MatchError:
        return False
    return True
