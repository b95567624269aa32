"""Metaschemas: where they are read from, and which schemas are shown to them."""

from __future__ import annotations

from decimal import Decimal
from importlib.machinery import ModuleSpec
from typing import Any

import jsonschema
import pytest
from jsonschema_specifications import REGISTRY

import guidance_kit as gk
from guidance_kit.errors import SchemaError
from guidance_kit.grammars.json_schema.documents import metaschemas
from guidance_kit.grammars.json_schema.documents.document import SchemaDocument
from guidance_kit.grammars.json_schema.documents.drafts import DRAFTS
from guidance_kit.grammars.json_schema.documents.metaschemas import metaschema
from guidance_kit.grammars.json_schema.documents.survey import Survey

VOCABULARY = "https://json-schema.org/draft/2020-12/meta/core"


@pytest.mark.parametrize("address", [*(draft.uri for draft in DRAFTS), VOCABULARY])
def test_metaschemas_are_those_of_the_registry(address: str) -> None:
    name = address if address in REGISTRY else f"{address}#"
    assert metaschema(address) == REGISTRY.contents(name)


@pytest.mark.parametrize("address", ["", "http://json-schema.org/draft-03", "http://json-schema.org/draft-07/schemas"])
def test_other_addresses_have_none(address: str) -> None:
    assert metaschema(address) is None


@pytest.mark.parametrize("spec", [None, ModuleSpec("x", None), ModuleSpec("x", None, origin="/nowhere/__init__.py")])
@pytest.mark.parametrize("draft", DRAFTS, ids=lambda draft: draft.name)
def test_without_its_file_a_metaschema_comes_from_the_package(
    draft: Any, spec: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(metaschemas, "find_spec", lambda name: spec)
    assert metaschema(draft.uri) == REGISTRY.contents(draft.uri if draft.uri in REGISTRY else f"{draft.uri}#")


def test_three_drafts_are_read_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(metaschemas, "_registered", asked.append)
    for draft in DRAFTS:
        metaschema(draft.uri)
    assert asked == [draft.uri for draft in DRAFTS if draft.number > 7]


@pytest.mark.parametrize(
    ("values", "are_distinct"),
    [
        ([["deleted"]], True),
        ([[1], [2], {"a": [1]}, {"a": [2]}, [], {}], True),
        ([1, True, 0, False, "1", None], True),
        ([[1], [True], [[1]]], True),
        ([{"a": 1, "b": 2}, {"b": 2, "a": 1}], False),
        ([[1, {"a": [0]}], [1.0, {"a": [0.0]}]], False),
        ([1, 1.0], False),
        ([[Decimal(1)], [1]], False),
        (["x", "x"], False),
    ],
)
def test_enumerations_of_arrays_and_objects_are_compared_without_the_metaschema(
    values: list[Any], are_distinct: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    schema = {"$schema": DRAFTS[0].uri, "enum": values}
    asked: list[Survey] = []
    monkeypatch.setattr(Survey, "_ask_metaschema", lambda survey: asked.append(survey))
    Survey(SchemaDocument(schema))
    assert (not asked) == are_distinct
    monkeypatch.undo()
    if are_distinct:
        gk.json_schema(schema)
    else:
        with pytest.raises(jsonschema.SchemaError):
            jsonschema.Draft4Validator.check_schema(schema)
        with pytest.raises(SchemaError):
            gk.json_schema(schema)
