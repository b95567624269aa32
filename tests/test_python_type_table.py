"""Types of pydantic's documentation: masks write what it reads, can write what it writes, or refuse by name."""

from __future__ import annotations

import contextlib
import json
import random
import re
from typing import Annotated

import pydantic
import pytest
from json_texts import Judge, walk
from marks import slow
from pydantic import TypeAdapter, ValidationError
from python_types import PAGE, ROWS, Order, Row, dumped, even, with_table

from guidance_kit.errors import UnsupportedFeature
from guidance_kit.grammars.json_schema import json_schema
from guidance_kit.grammars.python_scalars import unknown_constraint

EXACT = [row for row in ROWS if not row.refused]
REFUSED = [row for row in ROWS if row.refused]


def identified(row: Row) -> str:
    """Name of a row that is the same in every process."""
    return re.sub(r" at 0x[0-9a-f]+", "", row.name or str(row.annotation))


@pytest.mark.parametrize("count", [1, *slow(6)])
@pytest.mark.parametrize("row", [*EXACT[::2], *slow(*((row,) for row in EXACT[1::2]))], ids=identified)
def test_texts_of_the_mask_are_read_and_texts_of_pydantic_are_in_the_mask(row, count):
    adapter = TypeAdapter(row.annotation)
    constraint = json_schema(row.annotation)
    judge = Judge(constraint)
    for instance in row.instances:
        text = dumped(row.annotation, instance)
        assert judge.accepts(text), text
        loose = json.dumps(adapter.dump_python(instance, mode="json", by_alias=True), ensure_ascii=False)
        assert judge.accepts(loose), loose
    for wrong in row.wrong:
        assert not judge.accepts(wrong), wrong
    chance = random.Random(7)
    texts = [walk(judge.automaton, chance, patience=chance.choice((10, 40, 90))).decode() for _ in range(count)]
    for text in [*texts, *constraint.sample(count, seed=3)]:
        with contextlib.suppress(*[ValidationError] * bool(constraint.report.validators)):
            adapter.validate_json(text)


@pytest.mark.parametrize("row", REFUSED, ids=identified)
def test_types_without_an_exact_schema_are_refused_by_name_with_a_remedy(row):
    with pytest.raises(UnsupportedFeature) as caught:
        json_schema(row.annotation)
    assert row.refused in caught.value.feature
    assert caught.value.where
    assert caught.value.hint
    with pytest.raises(UnsupportedFeature, match=r"Holder\.field"):
        json_schema(pydantic.create_model("Holder", field=(row.annotation, ...)))


def test_refusals_name_the_field():
    class Shop(pydantic.BaseModel):
        orders: list[Order]

    with pytest.raises(UnsupportedFeature) as caught:
        json_schema(Shop)
    assert caught.value.where == "Shop.orders[*].opened"
    with pytest.raises(UnsupportedFeature) as caught:
        json_schema(pydantic.create_model("Stock", counts=(dict[tuple[int, int], int], ...)))
    assert caught.value.where == "the keys of Stock.counts"


def test_a_schema_that_the_user_gives_takes_the_place_of_a_refusal():
    given = pydantic.WithJsonSchema({"type": "string", "pattern": "^a+$"})
    judge = Judge(json_schema(Annotated[pydantic.FilePath, given]))
    assert judge.accepts('"aa"')
    assert not judge.accepts('"b"')


def test_constraints_of_later_versions_of_pydantic_are_refused():
    assert unknown_constraint({"type": "str", "pattern": "a", "ascii_only": None}) is None
    assert unknown_constraint({"type": "int", "gt": 1, "is_prime": True}) == "is_prime"


def test_validators_are_named():
    report = json_schema(list[Annotated[int, pydantic.AfterValidator(even)]]).report
    assert report.validators == ("python_types.even",)
    assert report.as_dict()["validators"] == ["python_types.even"]


def test_the_documentation_is_this_table():
    page = PAGE.read_text(encoding="utf-8")
    assert page == with_table(page)
