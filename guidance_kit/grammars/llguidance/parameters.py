"""Parameters of rules in llguidance's dialect: 64 bits, functions of them, and conditions on them.

Source: llguidance 1.8, "Parametric grammars", https://github.com/guidance-ai/llguidance/blob/main/docs/parametric.md.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable

from guidance_kit.grammars.context_free.source import GrammarScanner

__all__ = ["read_condition", "read_parameter"]

_BITS = 64
_SPACE = re.compile(r"[ \t]*")
_NAME = re.compile(r"[a-z][a-z0-9_]*")
_NUMBER = re.compile(r"0[xX][0-9a-fA-F]+|[0-9]+")
_COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
}


def read_parameter(source: GrammarScanner) -> tuple[Callable[[int], int], bool]:
    """Function that computes a parameter from that of the rule around it, and whether it depends on that one.

    Raises:
        GrammarError: it is malformed.
    """
    if source.next.isdigit():
        value = _number(source, 2**_BITS - 1)
        return (lambda _: value), False
    place = source.place
    if source.take("_"):
        return (lambda value: value), True
    name = source.match(_NAME)
    source.match(_SPACE)
    source.expect("(", "_, a number, or a function as incr(_)")
    source.match(_SPACE)
    written = "" if name is None else name[0]
    if written in ("incr", "decr"):
        low, high = _bits(source)
        most = (1 << high - low) - 1
        step, end = (1 << low, most) if written == "incr" else (-(1 << low), 0)
        found: Callable[[int], int] = lambda value: value if value >> low & most == end else value + step  # noqa: E731
    elif written in ("set_bit", "clear_bit"):
        bit = 1 << _number(source, _BITS - 1)
        found = (lambda value: value | bit) if written == "set_bit" else (lambda value: value & ~bit)
    elif written in ("bit_and", "bit_or"):
        other = _number(source, 2**_BITS - 1)
        found = (lambda value: value & other) if written == "bit_and" else (lambda value: value | other)
    else:
        raise source.error(f"there is no function {written!r} of a parameter", place)
    _close(source)
    return found, True


def read_condition(source: GrammarScanner) -> Callable[[int], bool]:
    """Condition on the parameter of a rule, behind `%if`.

    Raises:
        GrammarError: it is malformed.
    """
    source.match(_SPACE)
    place = source.place
    name = source.match(_NAME)
    written = "" if name is None else name[0]
    source.match(_SPACE)
    if written == "true":
        if source.take("("):
            _close(source)
        return lambda _: True
    source.expect("(", "a condition, as lt(_, 3)")
    source.match(_SPACE)
    found: Callable[[int], bool]
    if written in ("and", "or"):
        one = read_condition(source)
        _comma(source)
        other = read_condition(source)
        found = (
            (lambda value: one(value) and other(value))
            if written == "and"
            else (lambda value: one(value) or other(value))
        )
    elif written == "not":
        one = read_condition(source)
        found = lambda value: not one(value)  # noqa: E731
    elif written in ("bit_clear", "bit_set"):
        bit, wanted = _number(source, _BITS - 1), int(written == "bit_set")
        found = lambda value: value >> bit & 1 == wanted  # noqa: E731
    elif written in ("is_ones", "is_zeros"):
        low, high = _bits(source)
        most = (1 << high - low) - 1
        pattern = most if written == "is_ones" else 0
        found = lambda value: value >> low & most == pattern  # noqa: E731
    else:
        compare = _COMPARISONS.get(written.removeprefix("bit_count_"))
        if compare is None:
            raise source.error(f"there is no condition {written!r} on a parameter", place)
        low, high = _bits(source)
        most = (1 << high - low) - 1
        _comma(source)
        counts = written.startswith("bit_count_")
        number = _number(source, _BITS - 1 if counts else 2**_BITS - 1)
        if counts:
            found = lambda value: compare((value >> low & most).bit_count(), number)  # noqa: E731
        else:
            found = lambda value: compare(value >> low & most, number)  # noqa: E731
    _close(source)
    return found


def _bits(source: GrammarScanner) -> tuple[int, int]:
    """Bits of the parameter: `_` or `[first:end]`."""
    source.match(_SPACE)
    if source.take("_"):
        return 0, _BITS
    place = source.place
    source.expect("[", "_ or bits as [0:8]")
    source.match(_SPACE)
    low = _number(source, _BITS - 1)
    source.match(_SPACE)
    source.expect(":", "a colon")
    source.match(_SPACE)
    high = _number(source, _BITS)
    source.match(_SPACE)
    source.expect("]", "a closing bracket")
    if high <= low:
        raise source.error(f"the bits end at {high} and begin at {low}", place)
    return low, high


def _number(source: GrammarScanner, most: int) -> int:
    source.match(_SPACE)
    place = source.place
    found = source.match(_NUMBER)
    if found is None:
        raise source.error("expected a number")
    value = int(found[0], 16 if found[0][:2] in ("0x", "0X") else 10)
    if value > most:
        raise source.error(f"the number is greater than {most}", place)
    return value


def _comma(source: GrammarScanner) -> None:
    source.match(_SPACE)
    source.expect(",", "a comma")


def _close(source: GrammarScanner) -> None:
    source.match(_SPACE)
    source.expect(")", "a closing parenthesis")
