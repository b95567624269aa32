"""Characters that a character or class matches under IGNORECASE, exactly as in `re`.

`re` lowers the character of the text by the simple case mapping and looks it up in a set that was lowered when the
pattern was compiled and completed from a table of pairs like s/ſ. The same tables are used here; the tests compare
with `re` itself over all characters.
"""

from __future__ import annotations

import _sre  # pyright: ignore[reportMissingImports]
import re
import re._casefix as casefix  # pyright: ignore[reportMissingImports]
from collections.abc import Iterable
from functools import lru_cache

from guidance_kit.grammars.regular.charset import CharSet, union, where

__all__ = ["folded_class", "folded_literal"]

_FIXES: dict[int, tuple[int, ...]] = casefix._EXTRA_CASES  # type: ignore[attr-defined]
_KELVIN, _DOTTED_I, _DOTLESS_I, _LONG_S = 0x212A, 0x130, 0x131, 0x17F
_NEAR_ASCII = CharSet.of([(0, 0x7F), (_DOTLESS_I, _DOTLESS_I), (_LONG_S, _LONG_S)])


@lru_cache(maxsize=4096)
def folded_literal(code_point: int, *, is_ascii: bool) -> CharSet:
    """Characters that a literal matches under IGNORECASE (and ASCII)."""
    if is_ascii:
        return _preimage(CharSet.single(_sre.ascii_tolower(code_point)), is_ascii=True)
    if not _sre.unicode_iscased(code_point):
        return CharSet.single(code_point)
    lower = _sre.unicode_tolower(code_point)
    return _preimage(_with_fixes(CharSet.single(lower)), is_ascii=False)


def folded_class(
    literals: Iterable[int],
    ranges: Iterable[tuple[int, int]],
    others: Iterable[CharSet],
    *,
    is_negated: bool,
    is_ascii: bool,
) -> CharSet:
    """Characters that a class matches under IGNORECASE.

    Args:
        literals: its code points.
        ranges: its inclusive ranges.
        others: sets of its categories.
        is_negated: whether it begins with `^`.
        is_ascii: whether only ASCII letters have case.
    """
    ranges = [*ranges]
    literals = [*literals]
    far_ranges = [(lo, hi) for lo, hi in ranges if hi > 0xFFFF]
    far_literals = CharSet.of((point, point) for point in literals if point > 0xFFFF)
    near = [(lo, min(hi, 0xFFFF)) for lo, hi in ranges if lo <= 0xFFFF]
    near += [(point, point) for point in literals if point <= 0xFFFF]
    within = CharSet.of(near)
    if not far_ranges and not far_literals and not within & _cased(is_ascii=is_ascii):
        members = union([within, *others])
        return ~members if is_negated else members
    lowered = _lowered(within, is_ascii=is_ascii)
    if not is_ascii:
        lowered = _with_fixes(lowered)
    # Beyond U+FFFF nothing was lowered when the pattern was compiled: a literal stands for itself alone.
    members = union([lowered, far_literals, *others])
    matched = [_preimage(members, is_ascii=is_ascii), *(_far_range(lo, hi, is_ascii) for lo, hi in far_ranges)]
    return ~union(matched) if is_negated else union(matched)


@lru_cache(maxsize=256)
def _far_range(lo: int, hi: int, is_ascii: bool) -> CharSet:
    """Characters that a range beyond U+FFFF matches, by `re` itself, which then compares upper cases too."""
    flags = re.IGNORECASE | (re.ASCII if is_ascii else 0)
    return where(re.compile(f"[\\U{lo:08x}-\\U{hi:08x}]+", flags))


@lru_cache(maxsize=1)
def _changing() -> dict[int, int]:
    """Lower case of every character that is not its own lower case."""
    lower = _sre.unicode_tolower
    # Beyond this plane there are ideographs, tags and private use only.
    return {point: lower(point) for point in range(0x20000) if lower(point) != point}


_ASCII_CHANGING = {upper: upper + 32 for upper in range(0x41, 0x5B)}


def _lower_map(*, is_ascii: bool) -> dict[int, int]:
    return _ASCII_CHANGING if is_ascii else _changing()


@lru_cache(maxsize=2)
def _uppers(*, is_ascii: bool) -> CharSet:
    return CharSet.of((point, point) for point in _lower_map(is_ascii=is_ascii))


_ASCII_CASED = CharSet.of([(0x41, 0x5A), (0x61, 0x7A)])


@lru_cache(maxsize=2)
def _cased(*, is_ascii: bool) -> CharSet:
    """Characters with another case."""
    if is_ascii:
        return _ASCII_CASED
    return CharSet.of((point, point) for point in range(0x10000) if _sre.unicode_iscased(point))


def _lowered(charset: CharSet, *, is_ascii: bool) -> CharSet:
    """Lower cases of the members."""
    if not is_ascii and charset.is_ascii:
        is_ascii = True
    uppers = charset & _uppers(is_ascii=is_ascii)
    if not uppers:
        return charset
    lower = _lower_map(is_ascii=is_ascii)
    changed = [lower[point] for lo, hi in uppers.ranges for point in range(lo, hi + 1)]
    return (charset - uppers) | CharSet.of((point, point) for point in changed)


def _with_fixes(lowered: CharSet) -> CharSet:
    """A set of lower-case characters with those that `re` counts as equal."""
    extra = [other for point, others in _FIXES.items() if point in lowered for other in others]
    return lowered | CharSet.of((point, point) for point in extra) if extra else lowered


def _preimage(members: CharSet, *, is_ascii: bool) -> CharSet:
    """Characters whose lower case is a member."""
    if is_ascii or members <= _NEAR_ASCII:
        # The common case needs no table: of all characters beyond ASCII, only two have a lower case within.
        found = [members - _uppers(is_ascii=True)]
        found.append(CharSet.of((upper, upper) for upper, low in _ASCII_CHANGING.items() if low in members))
        if not is_ascii:
            found.append(CharSet.of((up, up) for up, low in ((_KELVIN, 0x6B), (_DOTTED_I, 0x69)) if low in members))
        return union(found)
    changing = _changing()
    return (members - _uppers(is_ascii=False)) | CharSet.of((up, up) for up, low in changing.items() if low in members)
