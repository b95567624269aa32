"""String formats, each as the regular expression of its standard's grammar."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

from guidance_kit.fsm.network import Network
from guidance_kit.grammars.json_schema.documents.drafts import SchemaDraft
from guidance_kit.grammars.json_schema.formats.host_names import (
    LDH_LABEL,
    PLAIN_LABEL,
    ascii_name,
    idn_host_name_rule,
    is_host_name,
    is_idn_host_name,
)
from guidance_kit.grammars.json_schema.formats.recalled_labels import (
    recalling_host_name_rule,
    recalling_idn_host_name_rule,
)
from guidance_kit.grammars.json_schema.formats.times_of_day import time_of_day
from guidance_kit.grammars.json_schema.strings.pattern_syntax import is_pattern, pattern_rule, recalling_pattern_rule
from guidance_kit.grammars.regular.complements import complement
from guidance_kit.grammars.regular.encoding import Encoding
from guidance_kit.grammars.regular.expression import Expression, alternate, concatenate
from guidance_kit.grammars.regular.parse import parse

__all__ = [
    "DATE", "FORMATS", "NUMBER_FORMATS", "RULE_FORMATS", "Format", "FormatMode", "NumberFormat", "RuleFormat",
    "format_expression", "format_kind", "format_table", "other_strings", "string_format",
]  # fmt: skip

FormatMode = Literal["assert", "recall", "annotate"]
"""Treatment of `format`: enforced by automata, some of which omit valid strings; enforced with these strings too, by
masks that look back at the text; or annotation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """One value of the keyword `format`.

    Args:
        pattern: regular expression for the whole string; classes are written out, so only ASCII matches.
        language: makes the expression where no pattern says it.
        source: the standard.
        open_question: regular expression for strings that the expression leaves open: neither the format nor its
            negation has them. "" for none.
        contains: judges a single text, open questions included; None where the expression does.
        note: how we differ from the standard, for the docs.
    """

    pattern: str = ""
    language: Callable[[], Expression] | None = None
    source: str
    open_question: str = ""
    contains: Callable[[str], bool] | None = None
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
    before_last = [f"(?:{group}:){{6}}", f"::(?:{group}:){{5}}"]
    ways: list[str] = []
    for before in range(1, 8):
        lead = f"(?:{group}(?::{group}){{0,{before - 1}}})?" if before > 1 else f"(?:{group})?"
        after = 5 - before
        if after >= 0:
            before_last.append(f"{lead}::" + (f"(?:{group}:){{{after}}}" if after else ""))
        else:
            ways.append(f"{lead}::{group}" if after == -1 else f"{lead}::")
    ways.insert(0, f"(?:{'|'.join(before_last)}){last}")
    return f"(?:{'|'.join(ways)})"


_OCTET = "(?:[0-9]|[1-9][0-9]|1[0-9]{2}|2[0-4][0-9]|25[0-5])"
_IPV4 = rf"{_OCTET}(?:\.{_OCTET}){{3}}"
DATE = _date()

_HEX = "[0-9A-Fa-f]"
_PERCENT = f"%{_HEX}{{2}}"
_SUB_DELIMITERS = "!$&'()*+,;="


def _resource_identifiers(extra: str, private: str) -> tuple[str, str]:
    """RFC 3986, appendix A: the patterns of URIs and of references, which may be relative.

    Args:
        extra: what stands beside the unreserved characters, as in the class of a pattern.
        private: what queries may contain beyond that.
    """
    unreserved = f"{extra}A-Za-z0-9._~-"
    name = f"(?:[{_SUB_DELIMITERS}{unreserved}]|{_PERCENT})"
    character = f"(?:[{_SUB_DELIMITERS}:@{unreserved}]|{_PERCENT})"
    no_colon = f"(?:[{_SUB_DELIMITERS}@{unreserved}]|{_PERCENT})"
    query = f"(?:[{_SUB_DELIMITERS}:@/?{private}{unreserved}]|{_PERCENT})*"
    fragment = f"(?:[{_SUB_DELIMITERS}:@/?{unreserved}]|{_PERCENT})*"
    literal = rf"\[(?:{_ipv6()}|[vV]{_HEX}+\.[{_SUB_DELIMITERS}:A-Za-z0-9._~-]+)\]"
    authority = f"(?:(?:[{_SUB_DELIMITERS}:{unreserved}]|{_PERCENT})*@)?(?:{literal}|{name}*)(?::[0-9]*)?"
    segments = f"(?:/{character}*)*"
    scheme = "[A-Za-z][A-Za-z0-9+.-]*:"
    rooted = f"(?://{authority}{segments}|/(?:{character}+{segments})?)"
    absolute, relative = f"{character}+{segments}", f"{no_colon}+{segments}"
    tail = rf"(?:\?{query})?(?:#{fragment})?"
    reference = f"(?:(?:{scheme})?{rooted}|{scheme}(?:{absolute})?|(?:{relative})?){tail}"
    return f"{scheme}(?:{rooted}|{absolute})?{tail}", reference


def _planes(first: int, last: int) -> str:
    """Characters of some planes, without the two noncharacters at the end of each."""
    return "".join(f"\\U{plane:04X}0000-\\U{plane:04X}FFFD" for plane in range(first, last + 1))


_BEYOND_ASCII = rf"\u00A0-\uD7FF\uF900-\uFDCF\uFDF0-\uFFEF{_planes(0x1, 0xD)}\U000E1000-\U000EFFFD"  # RFC 3987: ucschar
_PRIVATE = rf"\uE000-\uF8FF{_planes(0xF, 0x10)}"
_URI, _URI_REFERENCE = _resource_identifiers("", "")
_IRI, _IRI_REFERENCE = _resource_identifiers(_BEYOND_ASCII, _PRIVATE)

_VARIABLE_CHARACTER = f"(?:[A-Za-z0-9_]|{_PERCENT})"
_VARIABLE = rf"{_VARIABLE_CHARACTER}+(?:\.{_VARIABLE_CHARACTER}+)*(?::[1-9][0-9]{{0,3}}|\*)?"
_TEMPLATE_LITERAL = rf"[!#$&-;=?-\[\]_a-z~{_BEYOND_ASCII}{_PRIVATE}]"

_BASE64 = "(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?"

_ADDRESS_LITERAL = rf"\[(?:{_IPV4}|[Ii][Pp][Vv]6:{_ipv6()})\]"


def _mailbox(extra: str) -> str:
    """RFC 5321, rule Mailbox.

    Args:
        extra: what RFC 6531 adds to the characters of names and labels, as in the class of a pattern.
    """
    atom = f"[A-Za-z0-9!#$%&'*+/=?^_`{{|}}~{extra}-]+"
    quoted = rf'"(?:[ !#-\[\]-~{extra}]|\\[ -~])*"'
    label = f"[A-Za-z0-9{extra}](?:[A-Za-z0-9{extra}-]*[A-Za-z0-9{extra}])?"
    return rf"(?:{atom}(?:\.{atom})*|{quoted})@(?:{label}(?:\.{label})*|{_ADDRESS_LITERAL})"


_DAYS = "[0-9]+D"
_MONTHS = f"[0-9]+M(?:{_DAYS})?"
_YEARS = f"[0-9]+Y(?:{_MONTHS})?"
_MINUTES = "[0-9]+M(?:[0-9]+S)?"
_CLOCK = f"T(?:[0-9]+H(?:{_MINUTES})?|{_MINUTES}|[0-9]+S)"

_POINTER = "(?:/(?:[^/~]|~[01])*)*"

_REGISTRY = "OpenAPI format registry"

FORMATS: dict[str, Format] = {
    "date-time": Format(
        language=lambda: concatenate([parse(f"{DATE}[Tt]"), time_of_day()]),
        source="RFC 3339, date-time",
        note="second 60 where it is 23:59 in UTC, years from 0001",
    ),
    "date": Format(pattern=DATE, source="RFC 3339, full-date", note="leap years by the calendar, years from 0001"),
    "time": Format(language=time_of_day, source="RFC 3339, full-time", note="second 60 where it is 23:59 in UTC"),
    "duration": Format(
        pattern=f"P(?:(?:{_DAYS}|{_MONTHS}|{_YEARS})(?:{_CLOCK})?|{_CLOCK}|[0-9]+W)", source="RFC 3339, appendix A"
    ),
    "email": Format(
        pattern=_mailbox(""), source="RFC 5321, Mailbox", note="no General-address-literal, no limits of length"
    ),
    "idn-email": Format(
        pattern=_mailbox(r"\x80-\U0010FFFF"),
        source="RFC 6531, Mailbox",
        note="as email; labels have any characters beyond ASCII, in any normal form",
    ),
    "hostname": Format(
        language=lambda: ascii_name(PLAIN_LABEL),
        source="RFC 1123, section 2.1",
        open_question=r"(?:[A-Za-z0-9-]+\.)*[Xx][Nn]--[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*",
        contains=is_host_name,
        note="Punycode in mode recall; see below",
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
    "uri-reference": Format(pattern=_URI_REFERENCE, source="RFC 3986, URI-reference"),
    "iri": Format(pattern=_IRI, source="RFC 3987, IRI"),
    "iri-reference": Format(pattern=_IRI_REFERENCE, source="RFC 3987, IRI-reference"),
    "uri-template": Format(
        pattern=rf"(?:{_TEMPLATE_LITERAL}|{_PERCENT}|\{{[+#./;?&=,!@|]?{_VARIABLE}(?:,{_VARIABLE})*\}})*",
        source="RFC 6570, URI-Template",
        note="the apostrophe by erratum 6937",
    ),
    "byte": Format(pattern=_BASE64, source="RFC 4648, section 4", note="OpenAPI's name for base64"),
    "base64": Format(pattern=_BASE64, source="RFC 4648, section 4", note="padded; unused bits are 0"),
    "decimal": Format(
        pattern=r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?",
        source=_REGISTRY,
        note="of strings, as JSON writes numbers without exponent; every number is one",
    ),
    "json-pointer": Format(pattern=f"(?s:{_POINTER})", source="RFC 6901"),
    "relative-json-pointer": Format(
        pattern=f"(?s:(?:0|[1-9][0-9]*)(?:#|{_POINTER}))", source="draft-bhutton-relative-json-pointer"
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberFormat:
    """One value of the keyword `format` that speaks of numbers.

    Args:
        lower, upper: bounds, included for integers only.
        is_integer: whether only integers are meant.
        source: the standard.
    """

    lower: int
    upper: int
    is_integer: bool
    source: str


_SINGLE, _DOUBLE = 2**128 - 2**103, 2**1024 - 2**970  # what is rounded to infinity

_EARLY_FORMATS: dict[str, Format] = {
    "hostname": Format(
        language=lambda: ascii_name(LDH_LABEL), source="RFC 1034, section 3.1", note="in drafts 4 and 6"
    ),
}
"""Formats with another meaning before draft 7."""

NUMBER_FORMATS: dict[str, NumberFormat] = {
    "int32": NumberFormat(lower=-(2**31), upper=2**31 - 1, is_integer=True, source=_REGISTRY),
    "int64": NumberFormat(lower=-(2**63), upper=2**63 - 1, is_integer=True, source=_REGISTRY),
    "float": NumberFormat(
        lower=-_SINGLE, upper=_SINGLE, is_integer=False, source=f"{_REGISTRY}; finite in IEEE 754 binary32"
    ),
    "double": NumberFormat(
        lower=-_DOUBLE, upper=_DOUBLE, is_integer=False, source=f"{_REGISTRY}; finite in IEEE 754 binary64"
    ),
}


@cache
def other_strings(found: Format) -> Expression:
    """The strings that a format surely does not have."""
    question = found.open_question
    known = format_expression(found)
    return complement(alternate([known, parse(question)]) if question else known)


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleFormat:
    """Format with network rules in place of a regular expression, so that it cannot be combined with other conditions.

    Args:
        rule: declares the rule of its texts.
        contains: whether a text is one, whether or not the rule has it.
        recalls: whether the rule asks what the text says (`Network.recall`).
        source: the standard.
        note: how we differ from the standard, for the docs.
    """

    rule: Callable[[Network, Encoding], int]
    contains: Callable[[str], bool]
    source: str
    note: str
    recalls: bool = False


RULE_FORMATS: dict[str, RuleFormat] = {
    "regex": RuleFormat(
        rule=pattern_rule,
        contains=is_pattern,
        source="ECMA-262, Pattern with flag u",
        note="backreferences and groups of different names in mode recall; see below",
    ),
    "idn-hostname": RuleFormat(
        rule=idn_host_name_rule,
        contains=is_idn_host_name,
        source="RFC 5890 to 5893",
        note="Punycode and long labels in mode recall; see below",
    ),
}

_RECALLING_FORMATS: dict[str, RuleFormat] = {
    "regex": replace(RULE_FORMATS["regex"], rule=recalling_pattern_rule, recalls=True),
    "hostname": RuleFormat(
        rule=recalling_host_name_rule, contains=is_host_name, source="RFC 1123, section 2.1", note="", recalls=True
    ),
    "idn-hostname": replace(RULE_FORMATS["idn-hostname"], rule=recalling_idn_host_name_rule, recalls=True),
}

_TABLES: dict[str, Mapping[str, Format | RuleFormat]] = {
    "format": FORMATS | RULE_FORMATS,
    "early format": _EARLY_FORMATS,
    "recalling format": _RECALLING_FORMATS,
}


def format_kind(name: str, draft: SchemaDraft, mode: FormatMode) -> str | None:
    """Kind of the condition of a format, as in `Strings.conditions`; None for a format without one for strings."""
    if mode == "annotate":
        return None
    if draft.number < 7 and name in _EARLY_FORMATS:
        return "early format"
    if mode == "recall" and name in _RECALLING_FORMATS:
        return "recalling format"
    return "format" if name in _TABLES["format"] else None


def string_format(kind: str, name: str) -> Format | RuleFormat:
    """The format that a condition names."""
    return _TABLES[kind][name]


@cache
def format_expression(found: Format) -> Expression:
    """The strings of a format."""
    return parse(found.pattern) if found.language is None else found.language()


def format_table() -> str:
    """The formats as Markdown, one line each."""
    rows = [f"| `{name}` | {found.source} | {found.note} |" for name, found in FORMATS.items()]
    rows += (f"| `{name}` | {found.source} | {found.note} |" for name, found in _EARLY_FORMATS.items())
    rows += (f"| `{name}` | {found.source} | {found.note} |" for name, found in RULE_FORMATS.items())
    rows += (f"| `{name}` | {found.source} | of numbers |" for name, found in NUMBER_FORMATS.items())
    return "\n".join(["| format | as in | notes |", "|---|---|---|", *rows]) + "\n"
