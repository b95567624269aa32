"""Python types: what is generated is what pydantic reads back."""

from __future__ import annotations

import datetime
import enum
import random
import uuid
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NamedTuple, NotRequired, Optional, TypedDict

import pytest
from annotated_types import Ge, MaxLen, MinLen
from json_texts import Judge, walk
from pydantic import (
    UUID4,
    AwareDatetime,
    BaseModel,
    Field,
    HttpUrl,
    NaiveDatetime,
    RootModel,
    field_validator,
)

from guidance_kit.errors import MatchError, UnsupportedFeature
from guidance_kit.grammars.json_schema import json_schema


class Colour(enum.Enum):
    RED = "red"
    GREEN = "green"


class Address(BaseModel):
    street: str = Field(min_length=1, max_length=20)
    zip_code: Annotated[str, Field(pattern=r"^\d{5}$")]


class Ticket(BaseModel):
    """A support ticket."""

    id: uuid.UUID
    title: str = Field(description="one line", max_length=40)
    severity: Literal["low", "high"] = "low"
    hours: Annotated[float, Field(ge=0, lt=24)]
    count: int = Field(gt=0, le=10)
    tags: list[Annotated[str, MaxLen(8)]] = Field(max_length=3)
    address: Address | None = None
    opened: datetime.datetime
    due: Optional[datetime.date] = None  # noqa: UP045
    colour: Colour
    extra: dict[str, int] = {}


class Node(BaseModel):
    name: Annotated[str, MinLen(1)]
    children: list[Node] = []


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: int


class Dog(BaseModel):
    kind: Literal["dog"]
    good: bool


class Pet(BaseModel):
    pet: Annotated[Cat | Dog, Field(discriminator="kind")]


class Strict(BaseModel, extra="forbid"):
    a: int
    b: tuple[int, str]


@dataclass
class Point:
    x: int
    y: float = 0.0


class Movie(TypedDict):
    name: str
    year: Annotated[int, Ge(1880)]


class Shelf(TypedDict):
    best: Movie | None
    movies: NotRequired[list[Movie]]


class Pair(NamedTuple):
    left: int
    right: str


TYPES = [
    Ticket, Node, Pet, Strict, Point, Movie, Shelf, Pair, Colour, int, float, bool, str, None, list[int],
    dict[str, bool], tuple[int, ...], int | str | None, Literal["a", 3, True], datetime.time, datetime.date,
    Annotated[list[int], MinLen(2)], RootModel[list[Point]], set[int], frozenset[str], UUID4, NaiveDatetime,
    AwareDatetime, Any,
]  # fmt: skip


@pytest.mark.parametrize("annotation", TYPES, ids=str)
def test_every_text_is_an_instance(annotation):
    constraint = json_schema(annotation)
    judge = Judge(constraint)
    chance = random.Random(1)
    for _ in range(15):
        text = walk(judge.automaton, chance)
        constraint.parse(text.decode())


def test_instances_are_validated_python_objects():
    constraint = json_schema(Ticket)
    text = (
        '{"id":"2eb8aa08-aa98-11ea-b4aa-73b441d16380","title":"Printer","severity":"high","hours":1.5,"count":2,'
        '"tags":["a"],"address":{"street":"Rue 1","zip_code":"12345"},"opened":"2024-02-29T10:00:00Z","due":null,'
        '"colour":"red"}'
    )
    assert Judge(constraint).accepts(text)
    ticket = constraint.parse(text)
    assert isinstance(ticket, Ticket)
    assert isinstance(ticket.address, Address)
    assert ticket.colour is Colour.RED
    assert ticket.opened == datetime.datetime(2024, 2, 29, 10, tzinfo=datetime.UTC)
    assert not Judge(constraint).accepts(text.replace("12345", "1234"))
    assert json_schema(Point).parse('{"x":1}') == Point(1, 0.0)
    assert json_schema(Movie).parse('{"name":"M","year":1931}') == {"name": "M", "year": 1931}
    assert json_schema(Shelf).parse('{"best":null}') == {"best": None}
    assert not Judge(json_schema(Shelf)).accepts('{"movies":[]}')
    assert json_schema(Pair).parse('[1,"b"]') == Pair(1, "b")


@pytest.mark.parametrize(
    ("annotation", "text"),
    [
        (Strict, '{"a":1,"b":[2,"c"]}'),
        (Point, '{"x":1,"y":2}'),
        (Movie, '{"name":"M","year":1931}'),
        (RootModel[Point], '{"x":1}'),
        (list[Point], '[{"x":1}]'),
    ],
    ids=str,
)
def test_keys_that_an_instance_would_ignore_are_not_written(annotation, text):
    judge = Judge(json_schema(annotation))
    assert judge.accepts(text)
    assert not judge.accepts(text.replace("}", ',"more":0}'))


def test_keys_that_an_instance_keeps_are_written():
    class Open(BaseModel, extra="allow"):
        a: int

    constraint = json_schema(Open)
    assert Judge(constraint).accepts('{"a":1,"more":0}')
    assert constraint.parse('{"a":1,"more":0}').model_extra == {"more": 0}


def test_equal_types_are_equal_constraints():
    assert json_schema(Point) == json_schema(Point)
    assert json_schema(Point) != json_schema(Movie)


def test_what_only_python_can_check_is_checked_by_parse():
    class Even(BaseModel):
        n: int

        @field_validator("n")
        @classmethod
        def _even(cls, n: int) -> int:
            if n % 2:
                raise ValueError("odd")
            return n

    with pytest.raises(MatchError, match="is no Even: /n: Value error, odd"):
        json_schema(Even).parse('{"n":3}')


@pytest.mark.parametrize("annotation", [object(), type("Plain", (), {})])
def test_what_has_no_exact_schema_is_refused(annotation):
    with pytest.raises(UnsupportedFeature):
        json_schema(annotation)


def test_sets_that_need_several_items_repeat_none():
    constraint = json_schema(Annotated[set[int], MinLen(2)], whitespace="compact")
    judge = Judge(constraint)
    assert all(map(judge.accepts, ("[1,2]", "[1,2,12]")))
    assert not any(map(judge.accepts, ("[1]", "[1,1]", "[1,2,1]")))
    assert constraint.parse("[1,2]") == {1, 2}


def test_urls_have_one_of_the_schemes():
    judge = Judge(json_schema(HttpUrl))
    assert judge.accepts('"https://example.org/a?b#c"')
    assert not judge.accepts('"ftp://example.org/"')
    assert not judge.accepts('"https:///a"')
    assert not judge.accepts('"https://example.org/' + 2083 * "a" + '"')


def book(day: datetime.date, seats: Annotated[int, Field(ge=1, le=4)] = 1, *, window: bool, **notes: str) -> None:
    """Never called here."""
    raise AssertionError(day, seats, window, notes)


def test_the_arguments_of_a_function():
    constraint = json_schema(book, whitespace="json")
    expected = {"day": datetime.date(2026, 5, 1), "seats": 1, "window": True}
    assert constraint.parse('{"day": "2026-05-01", "window": true}') == expected
    assert constraint.parse('{"day": "2026-05-01", "window": true, "of": "x"}') == expected | {"of": "x"}
    judge = Judge(constraint)
    assert judge.accepts('{"day": "2026-05-01", "seats": 4, "window": true, "of": "x"}')
    for wrong in ('{"day": "2026-05-01"}', '{"day": "2026-05-01", "seats": 5, "window": true}', "[]"):
        assert not judge.accepts(wrong)


def test_methods_lose_their_first_argument():
    assert json_schema(Person("Ann", 3).older).parse('{"years": 2}') == {"years": 2}


@dataclass
class Person:
    name: str
    age: int

    def older(self, years: int) -> Person:
        raise AssertionError(years)
