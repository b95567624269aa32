"""Supported drafts of JSON Schema, and the choice of a draft by `$schema`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from guidance_kit.errors import UnsupportedFeature

__all__ = ["DEFAULT_DRAFT", "DRAFTS", "LAST_WITH_TUPLES", "SchemaDraft", "draft_of"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SchemaDraft:
    """One draft of the standard. Compared by identity: a draft is a key of tables that each schema is looked up in.

    Args:
        name: as people call it, e.g. "2020-12".
        uri: value of `$schema`, without an empty fragment.
        number: position in time, for comparisons: 4, 6, 7, 8 (2019-09), 9 (2020-12).
        id_keyword: keyword that gives a schema its address.
        ref_overrides: whether keywords beside `$ref` are ignored, as the drafts up to 7 demand.
    """

    name: str
    uri: str
    number: int
    id_keyword: str = "$id"
    ref_overrides: bool = False


DRAFTS = (
    SchemaDraft(name="4", uri="http://json-schema.org/draft-04/schema", number=4, id_keyword="id", ref_overrides=True),
    SchemaDraft(name="6", uri="http://json-schema.org/draft-06/schema", number=6, ref_overrides=True),
    SchemaDraft(name="7", uri="http://json-schema.org/draft-07/schema", number=7, ref_overrides=True),
    SchemaDraft(name="2019-09", uri="https://json-schema.org/draft/2019-09/schema", number=8),
    SchemaDraft(name="2020-12", uri="https://json-schema.org/draft/2020-12/schema", number=9),
)
DEFAULT_DRAFT, LAST_WITH_TUPLES = DRAFTS[-1], DRAFTS[-2]
"""Default draft of schemas without `$schema`; default draft of those with an array under `items`."""

_BY_URI = {draft.uri: draft for draft in DRAFTS}
_LATEST = "http://json-schema.org/schema"


def draft_of(schema: Any, *, pointer: str = "") -> SchemaDraft:
    """The draft that `schema` names by `$schema`; 2020-12 if it names none.

    Args:
        schema: any schema; only an object can name a draft.
        pointer: where it stands, for the message.
    Raises:
        UnsupportedFeature: for a metaschema that is none of the known drafts.
    """
    if not isinstance(schema, dict):
        return DEFAULT_DRAFT
    uri = schema.get("$schema")
    if not isinstance(uri, str):
        return DEFAULT_DRAFT
    plain = uri.removesuffix("#")
    if plain == _LATEST:
        return DEFAULT_DRAFT
    draft = _BY_URI.get(plain) or _BY_URI.get(_other_scheme(plain))
    if draft is None:
        known = ", ".join(draft.uri for draft in DRAFTS)
        raise UnsupportedFeature(
            f"$schema {uri!r}", where=f"{pointer}/$schema", hint=f"leave it out for 2020-12, or use one of {known}"
        )
    return draft


def _other_scheme(uri: str) -> str:
    """`uri` with http and https exchanged; both are common."""
    if uri.startswith("https:"):
        return "http:" + uri[6:]
    return "https:" + uri[5:] if uri.startswith("http:") else uri
