"""Orders of keys: JSON values as schemas declare them."""

from __future__ import annotations

from typing import Any

__all__ = ["declarations", "declared"]


def declared(value: Any, orders: list[list[str]]) -> Any:
    """The value with its keys in the order of the declaration that shares most of them."""
    if isinstance(value, list):
        return [declared(item, orders) for item in value]
    if not isinstance(value, dict):
        return value
    order = max(orders, key=lambda keys: (sum(key in value for key in keys), -len(keys)), default=[])
    place = {key: index for index, key in enumerate(order)}
    return {key: declared(value[key], orders) for key in sorted(value, key=lambda key: place.get(key, len(place)))}


def declarations(schema: Any) -> list[list[str]]:
    """The keys under every `properties` in a schema."""
    found = []
    todo = [schema]
    while todo:
        here = todo.pop()
        if isinstance(here, dict):
            if isinstance(here.get("properties"), dict):
                found.append(list(here["properties"]))
            todo += here.values()
        elif isinstance(here, list):
            todo += here
    return found
