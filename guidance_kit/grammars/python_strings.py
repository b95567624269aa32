"""Strings of Python types as patterns of ECMA-262: texts that pydantic reads, among them all that it writes."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Sequence
from decimal import Decimal

from guidance_kit.grammars.json_schema.formats.table import DATE, FORMATS
from guidance_kit.grammars.json_schema.formats.times_of_day import CLOCK

__all__ = [
    "BASE64",
    "BASE64URL",
    "COMPLEX",
    "DECIMAL",
    "DURATION",
    "EMAIL",
    "FLOAT_KEY",
    "FRACTION",
    "HEX_BYTES",
    "INTEGER",
    "IPV4_INTERFACE",
    "IPV4_NETWORK",
    "IPV6_INTERFACE",
    "IP_ADDRESS",
    "IP_INTERFACE",
    "MAX_BOUND_DIGITS",
    "PLAIN_DECIMAL",
    "date_bound",
    "datetime_pattern",
    "decimal_bound",
    "decimal_digits_pattern",
    "time_pattern",
    "url_pattern",
    "whole",
]  # fmt: skip

MAX_BOUND_DIGITS = 60
"""Digits of a bound of decimal strings; its pattern grows with their square."""

_WHOLE = "(?:0|[1-9][0-9]*)"
_PLAIN = rf"{_WHOLE}(?:\.[0-9]+)?"


def whole(pattern: str) -> str:
    """The pattern of strings that match from their first to their last character."""
    return f"^(?:{pattern})$"


INTEGER = whole(f"-?{_WHOLE}")
PLAIN_DECIMAL = whole(f"-?{_PLAIN}")
DECIMAL = whole(f"-?{_PLAIN}(?:[eE][+-]?[0-9]{{1,6}})?")
FLOAT_KEY = whole(f"-?{_PLAIN}(?:[eE][+-]?(?:[0-9]{{1,2}}|[12][0-9]{{2}}|30[0-7]))?")
FRACTION = whole(f"-?{_WHOLE}(?:/[1-9][0-9]*)?")

_FLOAT = r"[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]{1,3})?"
_NUMBER = f"(?:{_FLOAT}|inf)"
COMPLEX = whole(rf"-?{_NUMBER}j?|-?{_NUMBER}[+-]{_NUMBER}j|NaN(?:[+-]{_NUMBER}|\+NaN)j|(?:-?{_NUMBER}\+)?NaNj")

HEX_BYTES = whole("(?:[0-9A-Fa-f]{2})*")
BASE64 = whole(FORMATS["base64"].pattern)
BASE64URL = whole(FORMATS["base64"].pattern.replace("+/", "_-"))

_YEARS = "(?:[0-9]{1,6}|1[0-9]{6}|2[0-6][0-9]{5})Y"
_CLOCK_UNITS = r"(?:[0-9]{1,6}H)?(?:[0-9]{1,7}M)?(?:[0-9]{1,8}(?:\.[0-9]{1,6})?S)?"
DURATION = whole(
    f"-?P(?:[0-9]{{1,5}}W|(?=[0-9T])(?:{_YEARS})?(?:[0-9]{{1,4}}M)?(?:[0-9]{{1,7}}D)?(?:T(?=[0-9]){_CLOCK_UNITS})?)"
)
"""ISO 8601 with a sign and fractions of seconds; the numbers are as large as the days of a `timedelta` allow."""

_OFFSET = "(?:[Zz]|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])"
_OFFSETS = {None: f"{_OFFSET}?", "aware": _OFFSET, "naive": ""}
_TIME = rf"{CLOCK}(?:\.[0-9]{{1,6}})?"


def datetime_pattern(zone: str | None) -> str:
    """Dates with a time of day: "aware" ones have an offset, "naive" ones have none, None: either."""
    return whole(f"{DATE}[Tt]{_TIME}{_OFFSETS[zone]}")


def time_pattern(zone: str | None) -> str:
    """Times of day; see `datetime_pattern`."""
    return whole(f"{_TIME}{_OFFSETS[zone]}")


def date_bound(bound: datetime.date, *, is_lower: bool, is_strict: bool) -> str:
    """Dates in ISO 8601 on one side of a bound."""
    text = bound.isoformat()
    ways = [] if is_strict else [text]
    for at, digit in enumerate(text):
        others = "" if digit == "-" else _digits(int(digit) + 1, 9) if is_lower else _digits(0, int(digit) - 1)
        if others:
            ways.append(text[:at] + others + "".join("-" if one == "-" else "[0-9]" for one in text[at + 1 :]))
    return whole("|".join(ways) or "(?!)")


def decimal_digits_pattern(max_digits: int | None, decimal_places: int | None) -> str:
    """Plain decimals with bounded numbers of digits; trailing zeros of the fraction, and a zero before the point, are
    free.

    Args:
        max_digits: before and after the point together.
        decimal_places: after the point.
    """
    places = max_digits if decimal_places is None else decimal_places
    if max_digits is None:
        return whole(f"-?{_WHOLE}{_fraction(places)}")
    places = max_digits if places is None else min(places, max_digits)
    longest = max_digits if decimal_places is None else max(max_digits - decimal_places, 0)
    zero = f"0{_fraction(places)}" if longest else rf"0\.[0-9]{{1,{places}}}0*"  # pydantic counts the zero of "0" alone
    ways = (f"[1-9][0-9]{{{n - 1}}}{_fraction(min(places, max_digits - n))}" for n in range(1, longest + 1))
    return whole(f"-?(?:{'|'.join([zero, *ways])})")


def _fraction(places: int | None) -> str:
    """At most `places` digits after a point, then zeros."""
    if not places:
        return r"(?:\.0+)?"
    return rf"(?:\.[0-9]{{1,{places}}}0*)?"


def decimal_bound(bound: Decimal, *, is_lower: bool, is_strict: bool) -> str:
    """Plain decimals on one side of a finite bound.

    Raises:
        ValueError: the bound has more than MAX_BOUND_DIGITS digits.
    """
    text = f"{abs(bound):f}"
    if len(text) > MAX_BOUND_DIGITS:
        raise ValueError(f"a bound of {len(text)} digits")
    digits, _, fraction = text.partition(".")
    digits, fraction = digits.lstrip("0") or "0", fraction.rstrip("0")
    is_negative = bound < 0
    if is_lower:
        if bound > 0 or (bound == 0 and is_strict):
            return whole(_farther(digits, fraction, is_strict=is_strict))
        return whole(f"{_PLAIN}|-(?:{_nearer(digits, fraction, is_strict=is_strict)})")
    if is_negative or (bound == 0 and is_strict):
        return whole(f"-(?:{_farther(digits, fraction, is_strict=is_strict)})")
    return whole(f"-{_PLAIN}|{_nearer(digits, fraction, is_strict=is_strict)}")


def _farther(digits: str, fraction: str, *, is_strict: bool) -> str:
    """Decimals without a sign that are at least `digits.fraction`, or more if that is strict."""
    ways = [rf"[1-9][0-9]{{{len(digits)},}}(?:\.[0-9]+)?"]
    for at, digit in enumerate(digits):
        above = _digits(int(digit) + 1, 9)
        if above:
            ways.append(rf"{digits[:at]}{above}[0-9]{{{len(digits) - at - 1}}}(?:\.[0-9]+)?")
    for at, digit in enumerate(fraction):
        above = _digits(int(digit) + 1, 9)
        if above:
            ways.append(rf"{digits}\.{fraction[:at]}{above}[0-9]*")
    more = "[0-9]*[1-9][0-9]*" if is_strict else "[0-9]*"
    if fraction or is_strict:
        ways.append(rf"{digits}\.{fraction}{more}")
    else:
        ways.append(rf"{digits}(?:\.[0-9]+)?")
    return "|".join(ways)


def _nearer(digits: str, fraction: str, *, is_strict: bool) -> str:
    """Decimals without a sign that are at most `digits.fraction`, or less if that is strict."""
    ways = []
    if len(digits) > 1:
        ways.append(rf"(?:0|[1-9][0-9]{{0,{len(digits) - 2}}})(?:\.[0-9]+)?")
    for at, digit in enumerate(digits):
        below = _digits(1 if at == 0 and len(digits) > 1 else 0, int(digit) - 1)
        if below:
            ways.append(rf"{digits[:at]}{below}[0-9]{{{len(digits) - at - 1}}}(?:\.[0-9]+)?")
    for at, digit in enumerate(fraction):
        ways.append(rf"{digits}\.{fraction[:at]}" if at else digits)
        below = _digits(0, int(digit) - 1)
        if below:
            ways.append(rf"{digits}\.{fraction[:at]}{below}[0-9]*")
    if not is_strict:
        ways.append(rf"{digits}\.{fraction}0*" if fraction else rf"{digits}(?:\.0+)?")
    return "|".join(ways) or "(?!)"


def _digits(low: int, high: int) -> str:
    """Class of the digits from `low` to `high`; "" if there are none."""
    return "" if low > high else f"[{low}-{high}]"


_IPV4, _IPV6 = FORMATS["ipv4"].pattern, FORMATS["ipv6"].pattern
_SHORT, _LONG = "(?:/(?:[0-9]|[12][0-9]|3[0-2]))?", "(?:/(?:[0-9]|[1-9][0-9]|1[01][0-9]|12[0-8]))?"
IP_ADDRESS = whole(f"{_IPV4}|{_IPV6}")
IPV4_INTERFACE = whole(_IPV4 + _SHORT)
IPV6_INTERFACE = whole(_IPV6 + _LONG)
IP_INTERFACE = whole(f"{_IPV4}{_SHORT}|{_IPV6}{_LONG}")


def _ipv4_networks() -> str:
    """Addresses with a prefix length and zeros behind it."""
    octet = _IPV4.partition(r"(?:\.")[0]
    ways = [_IPV4]
    for length in range(33):
        full, bits = divmod(length, 8)
        parts = [octet] * full
        if bits:
            step = 256 >> bits
            parts.append(f"(?:{'|'.join(str(value) for value in range(0, 256, step))})")
        parts += ["0"] * (4 - len(parts))
        ways.append(r"\.".join(parts) + f"/{length}")
    return whole("|".join(ways))


IPV4_NETWORK = _ipv4_networks()

_NOT_PUNYCODE = "(?![Xx][Nn]--)"
_NAME = (
    rf"(?:{_NOT_PUNYCODE}[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?\.)*"
    rf"{_NOT_PUNYCODE}[A-Za-z](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?"
)
_HOST = rf"(?:{_NAME}|{_IPV4}|\[{_IPV6}\])"
_PORT = "(?::(?:[0-9]{1,4}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]))?"
_PATH_CHARACTER = r"[!$-;=@-\[\]-~]"
_TAIL = r"(?:\?[!$-;=?-\[\]-~]*)?(?:#[!#-;=?-\[\]-~]*)?"
_PATH = f"(?:/{_PATH_CHARACTER}*)?{_TAIL}"
_SPECIAL_SCHEMES = ("http", "https", "ws", "wss", "ftp")
"""Schemes of the WHATWG's URL standard that always have a host."""


def _user(characters: str) -> str:
    return f"(?:(?:[{characters}]+(?::[{characters}]*)?|:[{characters}]+)@)?"


_USER = _user("A-Za-z0-9._~!$&'()*+,;=%-")
_USER_OF_SEVERAL = _user("A-Za-z0-9._~!$&'()*+;=%-")


def url_pattern(schemes: Sequence[str] | None, *, needs_host: bool, has_several_hosts: bool) -> str:
    """URLs in the normal form of the parser of the WHATWG's standard: hosts in ASCII, none in Punycode.

    Args:
        schemes: allowed schemes; None for any.
        needs_host: whether a host is required; special schemes always require one.
        has_several_hosts: whether hosts may be a list separated by commas.
    """
    if has_several_hosts:
        host = f"{_USER_OF_SEVERAL}{_HOST}{_PORT}"
        return whole(f"(?:{_alternatives(schemes or ['[a-z][a-z0-9+.-]*'])})://{host}(?:,{host})*{_PATH}")
    host = f"{_USER}{_HOST}{_PORT}"
    ways = []
    if schemes is None:
        special = [*_SPECIAL_SCHEMES, "file"]
        others = f"(?!(?:{'|'.join(special)}):)[a-z][a-z0-9+.-]*:"
        ways.append(f"{others}//{host}{_PATH}")
        if not needs_host:
            ways.append(rf"{others}(?:///{_PATH_CHARACTER}*|(?!/){_PATH_CHARACTER}*){_TAIL}")
        schemes = special
    for scheme in schemes:
        name = _alternatives([scheme])
        if scheme == "file":
            ways.append(f"{name}://{'' if not needs_host else _NAME}/{_PATH_CHARACTER}*{_TAIL}")
        elif needs_host or scheme in _SPECIAL_SCHEMES:
            ways.append(f"{name}://{host}{_PATH}")
        else:
            ways.append(f"{name}://(?:{host})?{_PATH}")
    return whole("|".join(ways))


def _alternatives(schemes: Iterable[str]) -> str:
    return "|".join(scheme if "[" in scheme else scheme.replace("+", r"\+").replace(".", r"\.") for scheme in schemes)


_ATOM = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
_LABEL = "(?![A-Za-z0-9]{2}--)[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_RESERVED = "(?:arpa|invalid|local|localhost|onion|test)"
EMAIL = whole(rf"(?=[^@]{{1,64}}@)(?![^@]*@(?:[^@]*\.)?{_RESERVED}$){_ATOM}(?:\.{_ATOM})*@(?:{_LABEL}\.)+[a-z]{{2,20}}")
"""Addresses that the package email-validator takes: in ASCII, without quotes, the last label in lower case."""
