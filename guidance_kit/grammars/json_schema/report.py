"""What became of each keyword of a schema, as data."""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["Report"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What is enforced in a schema and what is not, over all schemas in it that a value can reach.

    Whatever is not enforced is listed here; whatever should be and cannot be has raised UnsupportedFeature before.

    Args:
        draft: name of the draft that the schema follows.
        enforced: keyword -> number of places.
        annotations: keyword that by the standard says nothing about values -> JSON pointers of the schemas with it.
        unknown: word that is no keyword of this draft, hence an annotation -> JSON pointers.
        unknown_formats: value of `format` that is not enforced -> JSON pointers.
        ignored: keyword that the draft says to ignore at that place (beside `$ref` in the drafts up to 7; `$schema`
            where no resource begins) -> JSON pointers.
        options: what the caller chose that makes the texts fewer than the schema allows, in words.
    """

    draft: str
    enforced: dict[str, int] = field(default_factory=dict)
    annotations: dict[str, tuple[str, ...]] = field(default_factory=dict)
    unknown: dict[str, tuple[str, ...]] = field(default_factory=dict)
    unknown_formats: dict[str, tuple[str, ...]] = field(default_factory=dict)
    ignored: dict[str, tuple[str, ...]] = field(default_factory=dict)
    options: tuple[str, ...] = ()
