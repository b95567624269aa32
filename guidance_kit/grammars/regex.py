"""The door of the regex front end."""

from __future__ import annotations

from guidance_kit.errors import UnsatisfiableError
from guidance_kit.fsm.network import Network
from guidance_kit.grammars.regular.lower import declare
from guidance_kit.grammars.regular.parse import parse

__all__ = ["declare_regex"]


def declare_regex(network: Network, pattern: str, flags: int = 0) -> int:
    """Declare the rule of the texts that `re.fullmatch(pattern, text, flags)` matches, in UTF-8.

    Returns:
        The number of the rule.
    Raises:
        PatternError: the pattern is malformed.
        UnsupportedFeature: it does not describe a regular language (backreferences and the like).
        UnsatisfiableError: no text matches it.
        LimitError: it is too long, too deep or too involved.
    """
    expression = parse(pattern, flags)
    try:
        return declare(network, expression, name=pattern[:80])
    except UnsatisfiableError:
        raise UnsatisfiableError(f"no text matches the pattern {pattern[:200]!r}") from None
