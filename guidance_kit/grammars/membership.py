"""Membership of a text in a constraint, and the first position of a mismatch."""

from __future__ import annotations

import numpy as np

from guidance_kit.errors import LimitError, MatchError
from guidance_kit.grammars.argument_checks import as_text
from guidance_kit.grammars.constraint import Constraint
from guidance_kit.grammars.segmentation import automaton_of
from guidance_kit.grammars.value_errors import shortened

__all__ = ["require_match", "require_prefix"]

_SHOWN = 40
"""Characters of a text, and of the expected ones, in an error."""


def require_match(constraint: Constraint, text: str) -> None:
    """Check that a whole text matches a constraint.

    Raises:
        MatchError: it does not; with the first position that does not match and the expected characters.
        OptionError: it is no str.
        UnsupportedFeature: the constraint has tokens by their numbers.
    """
    _require(constraint, text, is_whole=True)


def require_prefix(constraint: Constraint, text: str) -> None:
    """Check that a text is a prefix of one of the constraint; see `require_match`."""
    _require(constraint, text, is_whole=False)


def _require(constraint: Constraint, text: str, *, is_whole: bool) -> None:
    automaton = automaton_of(constraint)
    data = as_text(text, "a text").encode(errors="surrogatepass")
    try:
        path = automaton.advance(automaton.start, data)
    except LimitError as error:
        raise MatchError(
            f"the text {shortened(text)} cannot be compared with the {constraint.kind}: {error}"
        ) from error
    configs = [automaton.start, *path.tolist()]
    read = len(path)
    if read == len(data):
        if not is_whole or automaton.is_complete(configs[-1]):
            return
        position, problem = len(text), "ends too early"
    else:
        while data[read] & 0xC0 == 0x80:  # within a character
            read -= 1
        position = len(data[:read].decode(errors="surrogatepass"))
        problem = f"has {text[position : position + _SHOWN]!r}"
    expected = _listed(automaton.live_bytes(configs[read]), can_end=automaton.is_complete(configs[read]))
    raise MatchError(
        f"the text {shortened(text)} does not match the {constraint.kind}: at position {position} it {problem}, where "
        f"{expected} could follow",
        position=position,
        expected=expected,
    )


def _listed(live: np.ndarray, *, can_end: bool) -> str:
    """Expected characters in words; those beyond ASCII are only counted as others."""
    runs: list[list[int]] = []
    for byte in np.flatnonzero(live[:128]).tolist():
        if runs and runs[-1][1] == byte - 1:
            runs[-1][1] = byte
        else:
            runs.append([byte, byte])
    named = [repr(chr(first)) if first == last else f"{chr(first)!r} to {chr(last)!r}" for first, last in runs]
    most = _SHOWN // 4
    named = (
        named[:most] + ["others"] * (len(named) > most or bool(live[128:].any())) + ["the end of the text"] * can_end
    )
    if not named:
        return "nothing"
    return named[0] if len(named) == 1 else f"{', '.join(named[:-1])} or {named[-1]}"
