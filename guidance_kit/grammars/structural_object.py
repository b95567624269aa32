"""JSON objects of a structural tag, with errors that name their place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import UnionType
from typing import Any, NamedTuple

from guidance_kit.errors import GrammarError, OptionError, PatternError, SchemaError, UnsupportedFeature
from guidance_kit.grammars.regular.charset import is_spellable

__all__ = ["FormatObject", "TagEnd"]

MOST = 2**31 - 1
"""Greatest budget that XGrammar takes."""

_TELLING: dict[str, set[str]] = {
    "tag": {"begin", "content", "end"},
    "const_string": {"value"},
    "json_schema": {"json_schema"},
    "any_text": {"excludes"},
    "sequence": {"elements"},
    "triggered_tags": {"triggers", "tags"},
    "tags_with_separator": {"tags", "separator"},
    "optional": {"content"},
    "dispatch": {"rules"},
}
"""Fields that determine a format without a "type", in the order of XGrammar."""


class TagEnd(NamedTuple):
    """The end of a tag, as formats within the tag depend on it.

    Attributes:
        texts: strings that free text does not contain.
        tokens: numbers and names of tokens that free tokens do not include.
    """

    texts: tuple[str, ...] = ()
    tokens: tuple[int | str, ...] = ()


_NO_END = TagEnd()


class FormatObject:
    """A JSON object of a structural tag.

    Args:
        value: the object.
        pointer: its JSON pointer.
        end: end of the nearest tag around it.
    """

    def __init__(self, value: Any, pointer: str, end: TagEnd = _NO_END) -> None:
        if not isinstance(value, Mapping):
            raise SchemaError(f"expected an object, not {type(value).__name__}", pointer=pointer)
        self.fields: Mapping[str, Any] = value
        self.pointer = pointer
        self.end = end

    @contextmanager
    def told(self) -> Iterator[None]:
        """Context that adds the pointer of this object to errors."""
        try:
            yield
        except (OptionError, PatternError, GrammarError) as error:
            raise SchemaError(str(error).partition("\n")[0], pointer=self.pointer) from None

    def only(self, *names: str) -> FormatObject:
        """Refuse other fields."""
        for name in self.fields:
            if name not in names:
                raise UnsupportedFeature(f"the field {name!r}", where=self.pointer or "the structural tag")
        return self

    def refuse(self, name: str, harmless: Any, hint: str) -> None:
        """Refuse a field unless it has a value without effect."""
        if self.fields.get(name, harmless) != harmless:
            raise UnsupportedFeature(f"{name} in {self.kind()}", where=f"{self.pointer}/{name}", hint=hint)

    def wrong(self, name: str, expected: str) -> SchemaError:
        """Error about a field."""
        return SchemaError(f"{name!r} must be {expected}", pointer=self.pointer)

    def get(self, name: str, kind: type, expected: str, default: Any = None) -> Any:
        """A field of some type."""
        value = self.fields.get(name, default)
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise self.wrong(name, expected)
        return value

    def budget(self, name: str) -> int | None:
        """A field that is a number from 0, or null, which means none."""
        if self.fields.get(name) is None:
            return None
        found = self.get(name, int, "a number, or null")
        if not 0 <= found <= MOST:
            raise self.wrong(name, f"from 0 to {MOST}")
        return found

    def tokens(self, name: str) -> list[int | str]:
        """A field that is a list of numbers and names of tokens; empty if it is missing."""
        found = self.get(name, list, "a list of numbers and names of tokens", [])
        if not all(isinstance(one, int | str) and not isinstance(one, bool) for one in found):
            raise self.wrong(name, "a list of numbers and names of tokens")
        return [self._spellable(name, one) if isinstance(one, str) else one for one in found]

    def kind(self) -> str:
        """Type of a format; without a "type", the first of XGrammar's whose fields are present."""
        if "type" in self.fields:
            return self.text("type")
        found = next((kind for kind, fields in _TELLING.items() if self.fields.keys() >= fields), None)
        if found is None:
            raise SchemaError("a format needs a 'type'", pointer=self.pointer)
        return found

    def text(self, name: str) -> str:
        """A field that is a string."""
        return self._spellable(name, self.get(name, str, "a string"))

    def texts(self, name: str) -> list[str]:
        """A field that is a list of strings; empty if it is missing."""
        found = self.get(name, list, "a list of strings", [])
        if not all(isinstance(one, str) for one in found):
            raise self.wrong(name, "a list of strings")
        return [self._spellable(name, one) for one in found]

    def _spellable(self, name: str, text: str) -> str:
        if not is_spellable(text):
            raise self.wrong(name, "text, and has a lone surrogate")
        return text

    def object(self, name: str, only: tuple[str, ...] = (), end: TagEnd | None = None) -> FormatObject:
        """A field that is an object, within the same tag or in one with another end."""
        if only:
            self.only(*only)
        value = self.get(name, dict, "an object")
        return FormatObject(value, f"{self.pointer}/{name}", self.end if end is None else end)

    def objects(self, name: str) -> list[FormatObject]:
        """A field that is a list of objects, at least one."""
        found = self.get(name, list, "a list of objects")
        if not found:
            raise self.wrong(name, "a list that is not empty")
        return [FormatObject(value, f"{self.pointer}/{name}/{place}", self.end) for place, value in enumerate(found)]

    def pairs(self, name: str, kind: type | UnionType, expected: str) -> list[tuple[Any, FormatObject]]:
        """A field that is a list of pairs of a key, which is not empty, and an object."""
        found: list[tuple[Any, FormatObject]] = []
        for place, pair in enumerate(self.get(name, list, f"a list of pairs of {expected} and a format")):
            is_pair = isinstance(pair, list) and len(pair) == 2
            if not is_pair or not isinstance(pair[0], kind) or isinstance(pair[0], bool) or pair[0] == "":
                raise self.wrong(name, f"a list of pairs of {expected} and a format")
            found.append((pair[0], FormatObject(pair[1], f"{self.pointer}/{name}/{place}/1", self.end)))
        if not found:
            raise self.wrong(name, "a list that is not empty")
        return found
