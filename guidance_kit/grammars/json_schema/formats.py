"""The string formats, each as the regular expression that its standard's grammar comes to."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from guidance_kit.grammars.regular.expression import Expression, intersect, length
from guidance_kit.grammars.regular.parse import parse

__all__ = ["CLOCK", "DATE", "FORMATS", "Format", "format_expression", "format_table"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """One value of the keyword `format`.

    Args:
        pattern: regular expression for the whole string; classes are written out, so only ASCII matches.
        source: the standard.
        longest: greatest length in characters, None for none.
        note: how we differ from the standard, for the docs.
    """

    pattern: str
    source: str
    longest: int | None = None
    note: str = ""


def _date() -> str:
    """Year 0001 to 9999, days as the Gregorian calendar has them."""
    common = "|".join(
        [
            "(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])",
            "(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)",
            "02-(?:0[1-9]|1[0-9]|2[0-8])",
        ]
    )
    fours = "(?:0[48]|[2468][048]|[13579][26])"
    leap = f"(?:[0-9]{{2}}{fours}|{fours}00)-02-29"
    year = "(?:[1-9][0-9]{3}|0[1-9][0-9]{2}|00[1-9][0-9]|000[1-9])"
    return f"(?:{year}-(?:{common})|{leap})"


def _ipv6() -> str:
    """RFC 3986, section 3.2.2, rule IPv6address."""
    group = "[0-9A-Fa-f]{1,4}"
    last = f"(?:{group}:{group}|{_IPV4})"
    ways = [f"(?:{group}:){{6}}{last}", f"::(?:{group}:){{5}}{last}"]
    for before in range(1, 8):
        lead = f"(?:{group}(?::{group}){{0,{before - 1}}})?" if before > 1 else f"(?:{group})?"
        after = 5 - before
        if after > 0:
            ways.append(f"{lead}::(?:{group}:){{{after}}}{last}")
        elif after == 0:
            ways.append(f"{lead}::{last}")
        else:
            ways.append(f"{lead}::{group}" if after == -1 else f"{lead}::")
    return f"(?:{'|'.join(ways)})"


_OCTET = "(?:[0-9]|[1-9][0-9]|1[0-9]{2}|2[0-4][0-9]|25[0-5])"
_IPV4 = rf"{_OCTET}(?:\.{_OCTET}){{3}}"
DATE = _date()
_HOUR_MINUTE = "(?:[01][0-9]|2[0-3]):[0-5][0-9]"
CLOCK = f"{_HOUR_MINUTE}:[0-5][0-9]"
_TIME = rf"{CLOCK}(?:\.[0-9]+)?(?:[Zz]|[+-]{_HOUR_MINUTE})"

_HEX = "[0-9A-Fa-f]"
_PERCENT = f"%{_HEX}{{2}}"
_UNRESERVED = "A-Za-z0-9._~-"
_SUB_DELIMITERS = "!$&'()*+,;="
_NAME = f"(?:[{_SUB_DELIMITERS}{_UNRESERVED}]|{_PERCENT})"
_SEGMENT_CHARACTER = f"(?:[{_SUB_DELIMITERS}:@{_UNRESERVED}]|{_PERCENT})"
_NO_COLON = f"(?:[{_SUB_DELIMITERS}@{_UNRESERVED}]|{_PERCENT})"
_QUERY = f"(?:[{_SUB_DELIMITERS}:@/?{_UNRESERVED}]|{_PERCENT})*"
_IP_LITERAL = rf"\[(?:{_ipv6()}|[vV]{_HEX}+\.[{_SUB_DELIMITERS}:{_UNRESERVED}]+)\]"
_AUTHORITY = f"(?:(?:[{_SUB_DELIMITERS}:{_UNRESERVED}]|{_PERCENT})*@)?(?:{_IP_LITERAL}|{_NAME}*)(?::[0-9]*)?"
_SEGMENTS = f"(?:/{_SEGMENT_CHARACTER}*)*"
_ROOTED = f"(?://{_AUTHORITY}{_SEGMENTS}|/(?:{_SEGMENT_CHARACTER}+{_SEGMENTS})?"
_TAIL = rf"(?:\?{_QUERY})?(?:#{_QUERY})?"
_URI = f"[A-Za-z][A-Za-z0-9+.-]*:{_ROOTED}|{_SEGMENT_CHARACTER}+{_SEGMENTS})?{_TAIL}"
_RELATIVE = f"{_ROOTED}|{_NO_COLON}+{_SEGMENTS})?{_TAIL}"

_LABEL = (
    "(?:[A-Za-z0-9]{1,2}|[A-Za-z0-9][A-Za-z0-9-][A-Za-z0-9]|[A-Za-z0-9][A-Za-z0-9-]"
    "(?:[A-Za-z0-9-][A-Za-z0-9]|(?:[A-Za-z0-9][A-Za-z0-9-]|-[A-Za-z0-9])[A-Za-z0-9-]{0,58}[A-Za-z0-9]))"
)
_ATOM = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
_QUOTED = r'"(?:[ !#-\[\]-~]|\\[ -~])*"'
_SUBDOMAIN = "[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?"
_ADDRESS_LITERAL = rf"\[(?:{_IPV4}|[Ii][Pp][Vv]6:{_ipv6()})\]"

_DAYS = "[0-9]+D"
_MONTHS = f"[0-9]+M(?:{_DAYS})?"
_YEARS = f"[0-9]+Y(?:{_MONTHS})?"
_MINUTES = "[0-9]+M(?:[0-9]+S)?"
_CLOCK = f"T(?:[0-9]+H(?:{_MINUTES})?|{_MINUTES}|[0-9]+S)"

_POINTER = "(?:/(?:[^/~]|~[01])*)*"

FORMATS: dict[str, Format] = {
    "date-time": Format(
        pattern=f"{DATE}[Tt]{_TIME}", source="RFC 3339, date-time", note="no leap seconds, years from 0001"
    ),
    "date": Format(pattern=DATE, source="RFC 3339, full-date", note="leap years by the calendar, years from 0001"),
    "time": Format(pattern=_TIME, source="RFC 3339, full-time", note="no leap seconds"),
    "duration": Format(
        pattern=f"P(?:(?:{_DAYS}|{_MONTHS}|{_YEARS})(?:{_CLOCK})?|{_CLOCK}|[0-9]+W)", source="RFC 3339, appendix A"
    ),
    "email": Format(
        pattern=rf"(?:{_ATOM}(?:\.{_ATOM})*|{_QUOTED})@(?:{_SUBDOMAIN}(?:\.{_SUBDOMAIN})*|{_ADDRESS_LITERAL})",
        source="RFC 5321, Mailbox",
        note="no General-address-literal, no limits of length",
    ),
    "hostname": Format(
        pattern=rf"{_LABEL}(?:\.{_LABEL})*",
        source="RFC 1123, section 2.1",
        longest=253,
        note="no label with hyphens in third and fourth place, hence no Punycode",
    ),
    "ipv4": Format(pattern=_IPV4, source="RFC 2673, dotted-quad"),
    "ipv6": Format(pattern=_ipv6(), source="RFC 4291, section 2.2"),
    "uuid": Format(pattern=f"{_HEX}{{8}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{12}}", source="RFC 9562"),
    **{
        f"uuid{version}": Format(
            pattern=f"{_HEX}{{8}}-{_HEX}{{4}}-{version}{_HEX}{{3}}-[89ABab]{_HEX}{{3}}-{_HEX}{{12}}",
            source=f"RFC 9562, version {version}",
            note="the name is pydantic's",
        )
        for version in (1, 3, 4, 5, 6, 7, 8)
    },
    "uri": Format(pattern=_URI, source="RFC 3986, URI"),
    "uri-reference": Format(pattern=f"(?:{_URI}|{_RELATIVE})", source="RFC 3986, URI-reference"),
    "json-pointer": Format(pattern=f"(?s:{_POINTER})", source="RFC 6901"),
    "relative-json-pointer": Format(
        pattern=f"(?s:(?:0|[1-9][0-9]*)(?:#|{_POINTER}))", source="draft-bhutton-relative-json-pointer"
    ),
}


@cache
def format_expression(name: str) -> Expression:
    """The strings of a format in FORMATS."""
    found = FORMATS[name]
    expression = parse(found.pattern)
    return expression if found.longest is None else intersect(expression, length(0, found.longest))


def format_table() -> str:
    """The formats as Markdown, one line each."""
    rows = [f"| `{name}` | {found.source} | {found.note} |" for name, found in FORMATS.items()]
    return "\n".join(["| format | as in | notes |", "|---|---|---|", *rows]) + "\n"
