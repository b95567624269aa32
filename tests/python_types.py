"""Types of Python that pydantic documents, each with instances, and whether their texts are enforced exactly.

Run as a program it writes the table in docs/python_types.md.
"""

from __future__ import annotations

import collections
import dataclasses
import datetime as dt
import decimal
import enum
import fractions
import inspect
import ipaddress
import pathlib
import re
import typing
import uuid
import zoneinfo
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Generic, Literal, NamedTuple, NotRequired, Optional, TypeVar

import annotated_types
import pydantic
import typing_extensions
from pydantic import (
    AliasChoices,
    AliasPath,
    AnyUrl,
    BaseModel,
    ConfigDict,
    Field,
    GetPydanticSchema,
    RootModel,
    StringConstraints,
    TypeAdapter,
)
from pydantic_core import core_schema
from typing_extensions import TypedDict

from guidance_kit.errors import UnsupportedFeature
from guidance_kit.grammars.json_schema import json_schema

HAS_ASCII_ONLY = "ascii_only" in inspect.signature(StringConstraints).parameters
D = decimal.Decimal
DAY = dt.date(2024, 2, 29)
NOON = dt.datetime(2024, 2, 29, 12, 30, 1, 500)
UTC = dt.timezone.utc  # noqa: UP017 - as pydantic's documentation has it
EAST = dt.timezone(dt.timedelta(hours=5, minutes=30))


class Size(enum.IntEnum):
    SMALL = 1
    LARGE = 2


class Colour(enum.Enum):
    RED = "red"
    GREEN = "green"


class Mixed(enum.Enum):
    ONE = 1
    HALF = 0.5
    NAME = "name"
    NONE = None


class Corner(enum.Enum):
    LEFT = (0, 1)


class Mode(enum.StrEnum):
    R = "r"
    W = "w"


class Cat(BaseModel):
    kind: Literal["cat"] = "cat"
    lives: int = 9


class Dog(BaseModel):
    kind: Literal["dog"] = "dog"


class Round(BaseModel):
    form: Literal["round"] = Field("round", alias="type")


class Square(BaseModel):
    form: Literal["square"] = Field("square", alias="type")
    side: int = 1


class Searched(BaseModel):
    pattern: str = Field(json_schema_extra={"format": "regex"})


class Aliased(BaseModel):
    name: str = Field(validation_alias=AliasChoices("Name", AliasPath("names", 0)), serialization_alias="Name")


class ByPath(BaseModel):
    name: str = Field(validation_alias=AliasPath("names", 0))


class Open(BaseModel):
    model_config = ConfigDict(extra="allow", populate_by_name=True)
    number: int = Field(default=0, alias="n")


class OpenInts(BaseModel):
    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, int]
    name: str = ""


class Stripped(BaseModel):
    model_config = ConfigDict(str_strip_whitespace=True, str_min_length=1)
    name: str


class Hex(BaseModel):
    model_config = ConfigDict(val_json_bytes="hex", ser_json_bytes="hex")
    content: bytes


class Base64(BaseModel):
    model_config = ConfigDict(val_json_bytes="base64", ser_json_bytes="base64")
    content: bytes


class PythonPattern(BaseModel):
    model_config = ConfigDict(regex_engine="python-re")
    code: Annotated[str, Field(pattern=r"^a(?=b)\w+$")]


class Strict(BaseModel):
    model_config = ConfigDict(strict=True)
    day: dt.date
    price: D
    counts: dict[int, int]
    pair: tuple[int, float]


class Area(BaseModel):
    side: float

    @pydantic.computed_field
    @property
    def area(self) -> float:
        return self.side**2


class Order(BaseModel):
    prices: list[D]
    opened: pydantic.PastDate


@dataclasses.dataclass
class Part:
    name: str
    weight: float = 1.0
    number: int = dataclasses.field(default=0, init=False)


@dataclasses.dataclass
class Point:
    x: int
    y: float = 1.0


class Movie(TypedDict):
    name: str
    year: NotRequired[Annotated[int, Field(ge=1880)]]


class Pair(NamedTuple):
    left: int
    right: str = ""


T = TypeVar("T")


class Box(BaseModel, Generic[T]):
    content: T


Tail = Annotated[
    tuple, GetPydanticSchema(lambda *_: core_schema.tuple_schema(
        [core_schema.str_schema(), core_schema.int_schema()], variadic_item_index=0))
]  # fmt: skip
Number = typing.NewType("Number", int)
Tree = typing_extensions.TypeAliasType("Tree", "list[Tree] | int")


def even(value: int) -> int:
    if value % 2:
        raise ValueError("odd")
    return value


class Row(NamedTuple):
    """One type.

    name: as the docs have it; "" for one that only the tests look at.
    annotation: the type.
    instances: some that pydantic writes; for a refused type none.
    wrong: JSON texts that the type refuses.
    refused: what is said of the part that is refused; "" where the texts are exact.
    """

    name: str
    annotation: Any
    instances: Sequence[Any] = ()
    wrong: Sequence[str] = ()
    refused: str = ""


def between(kind: type, **bounds: Any) -> Any:
    return Annotated[kind, Field(**bounds)]


SCALARS = [
    Row("`None`", None, [None]),
    Row("`bool`, `StrictBool`", pydantic.StrictBool, [True, False]),
    Row("`int` and its bounds, `conint`, `PositiveInt`, ...", pydantic.conint(ge=-3, lt=7), [-3, 0, 6], ["7"]),
    Row("`StrictInt`", pydantic.StrictInt, [12]),
    Row("`float` and its bounds, `PositiveFloat`, `FiniteFloat`, ...", pydantic.confloat(gt=0, lt=0.1),
        [1e-7, 0.09999999999999999], ["0", "0.1", "0.09999999999999999999999"]),
    Row("", pydantic.FiniteFloat, [1.5, -1e300]),
    Row("", pydantic.PositiveFloat, [5e-324, 1.7976931348623157e308], ["0", "0.0"]),
    Row("", between(float, gt=2, le=3, ge=1), [2.5, 3.0], ["2", "3.5"]),
    Row("`Decimal`", D, [D("12.50"), D("-1E+3"), D("0E-7"), D("1E-28")], ['"a"', '"."']),
    Row("`Decimal` with bounds, `max_digits`, `decimal_places`", between(D, max_digits=5, decimal_places=2, gt=0),
        [D("12.50"), D("0.01"), D("999.990")], ['"0"', '"0.00"', '"-1"', '"1000"', '"1.234"']),
    Row("", between(D, max_digits=3), [D("0.001"), D("100"), D("-1.20")], ['"1000"', '"0.0001"', '"10.01"']),
    Row("", between(D, decimal_places=0), [D("7"), D("7.0")], ['"7.1"']),
    Row("", between(D, ge=D("-12.5"), lt=D("100.05")), [D("-12.5"), D(0), D("100.04")], ['"-12.51"', '"100.05"']),
    Row("", between(D, lt=0), [D("-0.1")], ['"0"', '"1"']),
    Row("", between(D, allow_inf_nan=True), [D("NaN"), D("-Infinity"), D(1)]),
    Row("`Decimal` with `multiple_of`", between(D, multiple_of=D("0.5")), refused="multiple_of of a Decimal"),
    Row("`Fraction`", fractions.Fraction, [fractions.Fraction(-1, 3), fractions.Fraction(2)], ['"1/0"', '"a"']),
    Row("`Fraction` with bounds", between(fractions.Fraction, gt=0), refused="a Fraction with bounds"),
    Row("`complex`", complex, [1 + 2j, -1.5e-7 - 2e20j, 0j, complex("nan+infj"), complex("-inf-infj"), 3 - 0j],
        ['"a"', '"1+2"']),
    Row("`str` and its constraints, `constr`", Annotated[str, StringConstraints(min_length=2, strip_whitespace=True)],
        ["ab", "a b"], ['" a"', '"a"']),
    Row("", Annotated[str, StringConstraints(pattern=r"^\d+\s\w$")], ["1 a", "٣ é"], ['"a a"']),
    Row("", Annotated[str, StringConstraints(pattern="^[A-Z]+$", to_lower=True)], [], ['"a1"']),
    Row("", Annotated[str, StringConstraints(pattern=r"^\D[^\W\d]\b.$")], ["aé!"], ['"1ab"', '"٣a!"']),
    Row("", Annotated[str, Field(pattern=re.compile("a.$"))], ["bad", "ab\n"], ['"a"']),
    Row("", Annotated[str, StringConstraints(ascii_only=True)], ["a~"], ['"é"']) if HAS_ASCII_ONLY else Row("", str),
    Row("", Searched, [Searched(pattern="a+")], ['{"pattern":"("}']),
    Row("", Stripped, [Stripped(name="a")], ['{"name":" "}', '{"name":""}']),
    Row("", PythonPattern, [PythonPattern(code="abé")], ['{"code":"aé"}']),
    Row("`str` with a pattern that has flags", Annotated[str, Field(pattern="(?i)a")], refused="of a pattern"),
    Row("", Annotated[str, Field(pattern=re.compile("a", re.IGNORECASE))], refused="a pattern with flags"),
    Row("", Annotated[str, Field(pattern="[a[bc]]")], refused="a class within a class"),
    Row("`bytes`", bytes, [b"abc", "é".encode()]),
    Row("", Hex, [Hex(content="ff")], ['{"content":"f"}', '{"content":"xy"}']),
    Row("", Base64, [Base64(content=b"\xff\xfe1x")], ['{"content":"a"}']),
    Row("`bytes` with lengths, `conbytes`", pydantic.conbytes(max_length=3), refused="bytes with a length"),
    Row("`Enum`, `StrEnum`, `IntEnum`", Size, [*Size], ["3"]),
    Row("", Colour, [*Colour]),
    Row("", Mixed, [*Mixed]),
    Row("", Mode, [*Mode]),
    Row("`Enum` with tuples and other values that JSON has not", Corner, refused="the member <Corner.LEFT"),
    Row("`Literal`", Literal["a", 3, True, None, Mode.R], ["a", 3, True, None, Mode.R]),
    Row("`Literal` with a member of an `Enum` that is no `str` or `int`", Literal[Colour.RED],
        refused="the member <Colour.RED"),
    Row("`UUID`, `UUID1` to `UUID8`", pydantic.UUID4, [uuid.UUID("16fd2706-8baf-433b-82eb-8c7fada847da")]),
    Row("", uuid.UUID, [uuid.UUID(int=7)]),
    Row("`SecretStr`, `SecretBytes`, `Secret[int]`", pydantic.SecretStr, [pydantic.SecretStr("a")]),
    Row("", Annotated[pydantic.SecretStr, Field(min_length=2)], [pydantic.SecretStr("ab")], ['"a"']),
    Row("", pydantic.SecretBytes, [pydantic.SecretBytes(b"a")]),
    Row("", pydantic.Secret[int], [], ['"a"']),
    Row("", Annotated[pydantic.SecretBytes, Field(max_length=2)], refused="max_length_validator"),
    Row("`Base64Bytes`, `Base64UrlBytes`", pydantic.Base64Bytes, [b"x" * 100, b""], ['"a"']),
    Row("", pydantic.Base64UrlBytes, [b"\xff\xfe"], ['"a"']),
    Row("`Base64Str`, `Base64UrlStr`", pydantic.Base64Str, refused="an encoded str"),
    Row("`ByteSize`", pydantic.ByteSize, [pydantic.ByteSize(3000)], ["-1"]),
    Row("`PaymentCardNumber`", pydantic.PaymentCardNumber, refused="a PaymentCardNumber"),
    Row("`Json`, `Json[int]`", pydantic.Json[int], refused="Json"),
    Row("`Pattern`", re.Pattern, refused="a Pattern of Python"),
    Row("`Path`, `PurePath`, `PathLike`", Path, [Path("a/b")]),
    Row("", pathlib.PureWindowsPath, [pathlib.PureWindowsPath("a/b")]),
    Row("`FilePath`, `DirectoryPath`, `NewPath`, `SocketPath`", pydantic.FilePath, refused="a FilePath"),
    Row("", pydantic.DirectoryPath, refused="a DirectoryPath"),
    Row("", pydantic.NewPath, refused="a NewPath"),
    Row("", pydantic.SocketPath, refused="a SocketPath"),
    Row("`ImportString`", pydantic.ImportString, refused="an ImportString"),
    Row("`ZoneInfo`", zoneinfo.ZoneInfo, [zoneinfo.ZoneInfo("Europe/Paris")], ['"Nowhere"']),
    Row("`Callable`, `type[int]`, classes that pydantic only compares", type[int], refused="a class"),
    Row("", Callable[[int], int], refused="callable"),
    Row("", pydantic.InstanceOf[fractions.Fraction], [fractions.Fraction(1, 2)]),
]  # fmt: skip

TIMES = [
    Row("`date` and its bounds, `condate`", between(dt.date, ge=dt.date(2020, 1, 31), lt=dt.date(2025, 6, 1)),
        [DAY, dt.date(2020, 1, 31), dt.date(2025, 5, 31)], ['"2020-01-30"', '"2025-06-01"', '"2023-02-29"']),
    Row("", between(dt.date, gt=dt.date(1999, 12, 31)), [DAY], ['"1999-12-31"']),
    Row("`datetime`, `AwareDatetime`, `NaiveDatetime`", dt.datetime,
        [NOON, NOON.replace(tzinfo=UTC), NOON.replace(tzinfo=EAST)], ['"2024-02-30T00:00:00"']),
    Row("", pydantic.AwareDatetime, [NOON.replace(tzinfo=EAST)], ['"2024-02-29T00:00:00"']),
    Row("", pydantic.NaiveDatetime, [NOON], ['"2024-02-29T00:00:00Z"']),
    Row("`time`", dt.time, [dt.time(12, 30), dt.time(1, 2, 3, 4, tzinfo=EAST)], ['"24:00:00"']),
    Row("`timedelta`", dt.timedelta,
        [dt.timedelta(1, 3723, 5), dt.timedelta(0), dt.timedelta(-1, 1), dt.timedelta(weeks=100)],
        ['"P1000000000D"', '"P"', '"PT"']),
    Row("`datetime`, `time`, `timedelta` with bounds", between(dt.datetime, ge=NOON), refused="a datetime with bounds"),
    Row("", between(dt.time, ge=dt.time(12)), refused="a time with bounds"),
    Row("", between(dt.timedelta, gt=dt.timedelta(0)), refused="a timedelta with bounds"),
    Row("`PastDate`, `FutureDate`, `PastDatetime`, `FutureDatetime`", pydantic.PastDate, refused="a date in the past"),
    Row("", pydantic.FutureDate, refused="a date in the future"),
    Row("", pydantic.PastDatetime, refused="a datetime in the past"),
    Row("", pydantic.FutureDatetime, refused="a datetime in the future"),
]  # fmt: skip


def url(kind: Any, *texts: str) -> list[Any]:
    return [TypeAdapter(kind).validate_python(text) for text in texts]


NETWORKS = [
    Row("`AnyUrl`", AnyUrl, url(AnyUrl, "http://a.org/b?c=d#e", "mailto:a@b", "foo://u:p@[::1]:1/p", "file:///a/b"),
        ['"http://"', '"a b"', '"http://a:70000"']),
    Row("`HttpUrl`, `AnyHttpUrl`, `WebsocketUrl`, `FtpUrl`, `FileUrl`", pydantic.HttpUrl,
        url(pydantic.HttpUrl, "https://u:p@example.org:8080/a/%20b?c='d'&e=é#f", "http://1.2.3.4"),
        ['"ftp://a"', '"http://1.2.3.4.5"', '"http://a.1"', '"http://xn--a/"']),
    Row("", pydantic.WebsocketUrl, url(pydantic.WebsocketUrl, "wss://a/b")),
    Row("", pydantic.FtpUrl, url(pydantic.FtpUrl, "ftp://a/b")),
    Row("", pydantic.FileUrl, url(pydantic.FileUrl, "file:///a/b")),
    Row("`PostgresDsn`, `MongoDsn`, `RedisDsn` and the others", pydantic.PostgresDsn,
        url(pydantic.PostgresDsn, "postgres://u:p@h1:1,h2:2/db?a=b", "postgresql+psycopg2://u@localhost"),
        ['"postgres://"', '"http://a"', '"postgres:///db"']),
    *(Row("", kind, url(kind, text)) for kind, text in (
        (pydantic.CockroachDsn, "cockroachdb://u:p@localhost:26257/db"), (pydantic.AmqpDsn, "amqp://localhost/v"),
        (pydantic.RedisDsn, "redis://:p@localhost:6379/0"), (pydantic.MongoDsn, "mongodb://a:1,b:2/c"),
        (pydantic.KafkaDsn, "kafka://localhost:9092"), (pydantic.NatsDsn, "nats://localhost:4222"),
        (pydantic.MySQLDsn, "mysql+pymysql://u:p@h/db"), (pydantic.MariaDBDsn, "mariadb://u@h/db"),
        (pydantic.ClickHouseDsn, "clickhouse+native://h/db"), (pydantic.SnowflakeDsn, "snowflake://u:p@h/db"))),
    Row("`IPv4Address`, `IPv6Address`, `IPvAnyAddress`", pydantic.IPvAnyAddress,
        [ipaddress.ip_address("1.2.3.4"), ipaddress.ip_address("::1")], ['"1.2.3"']),
    Row("", ipaddress.IPv4Address, [ipaddress.IPv4Address("1.2.3.4")], ['"::1"']),
    Row("", ipaddress.IPv6Address, [ipaddress.IPv6Address("2001:db8::1")], ['"1.2.3.4"']),
    Row("`IPv4Interface`, `IPv6Interface`, `IPvAnyInterface`", ipaddress.IPv4Interface,
        [ipaddress.IPv4Interface("1.2.3.4/24")], ['"1.2.3.4/33"']),
    Row("", ipaddress.IPv6Interface, [ipaddress.IPv6Interface("2001:db8::1/64")], ['"::1/129"']),
    Row("", pydantic.IPvAnyInterface, [ipaddress.ip_interface("2001:db8::1/64")], ['"a"']),
    Row("`IPv4Network`", ipaddress.IPv4Network,
        [ipaddress.IPv4Network(text) for text in ("10.0.0.0/8", "10.1.2.128/25", "0.0.0.0/0", "1.2.3.4")],
        ['"10.0.0.1/8"', '"10.1.2.128/24"', '"a"']),
    Row("`IPv6Network`, `IPvAnyNetwork`", ipaddress.IPv6Network, refused="an IPv6Network"),
    Row("", pydantic.IPvAnyNetwork, refused="an IPvAnyNetwork"),
]  # fmt: skip

CONTAINERS = [
    Row("`Any`, `object`, `JsonValue`", Any, [{"a": [1, None, 0.5]}]),
    Row("", pydantic.JsonValue, [{"a": [1, None, 0.5]}]),
    Row("`Hashable`", Hashable, [1, "a", None, 0.5], ["[1]", "{}"]),
    Row("`Optional`, unions", Optional[int | str], [1, "a", None]),  # noqa: UP045
    Row("", int | Callable[[], int], [1], ['"a"']),
    Row("`list`, `Sequence`, `Iterable`, `deque`, `conlist`", pydantic.conlist(int, min_length=1, max_length=2),
        [[1], [1, 2]], ["[]", "[1,2,3]"]),
    Row("", Sequence[int], [[1, 2]]),
    Row("", Iterable[int], [[1]]),
    Row("", collections.deque[int], [collections.deque([1, 2])], ['["a"]']),
    Row("`tuple[int, str]`, `tuple[int, ...]`", tuple[int, str], [(1, "a")], ["[1]", '["a",1]']),
    Row("", tuple[int, ...], [(), (1, 2)], ['["a"]']),
    Row("", Tail, refused="a tuple with items of any number before others"),
    Row("`set`, `frozenset`, `conset`", set[D], [{D(1), D("1.5")}]),
    Row("", pydantic.conset(str, min_length=2), [{"a", "b"}], ['["a"]', '["a","a"]']),
    Row("`conset` with a least number of items that have several spellings", pydantic.conset(D, min_length=2),
        refused="a least number of items"),
    Row("`dict[str, int]`, `Mapping`, `defaultdict`, `OrderedDict`, `Counter`", dict[str, int], [{"a": 1}]),
    Row("", Mapping[str, int], [{"a": 1}]),
    Row("", collections.defaultdict[str, int], [collections.defaultdict(int, a=1)]),
    Row("", collections.Counter[str], [collections.Counter("aab")], ['{"a":"b"}']),
    Row("keys that are `str` with constraints", dict[Annotated[str, Field(pattern="^a")], int], [{"ab": 1}],
        ['{"b":1}']),
    Row("", dict[Annotated[str, Field(max_length=2)], int], [{"ab": 1}], ['{"abc":1}']),
    Row("keys that are `int`, `bool`, `float`, `Decimal`", dict[int, int], [{-12: 1, 0: 2}], ['{"a":1}', '{"1.5":1}']),
    Row("", dict[between(int, ge=-2, lt=105), int], [{-2: 1, 104: 2}], ['{"-3":1}', '{"105":1}']),
    Row("", dict[bool, int], [{True: 1}], ['{"a":1}']),
    Row("", dict[float, int], [{1.5: 1, 1e20: 2, 1e-7: 3}], ['{"a":1}']),
    Row("", dict[between(D, max_digits=3), int], [{D("1.5"): 1}], ['{"1000":1}']),
    Row("keys that are `Enum`, `Literal[\"a\"]`, `date`, `UUID` and others with strings", dict[Size, int],
        [{Size.LARGE: 1}], ['{"3":1}', '{"LARGE":1}']),
    Row("", dict[Colour, int], [{Colour.RED: 1}], ['{"blue":1}']),
    Row("", dict[Literal["a", "b"], int], [{"a": 1}], ['{"c":1}']),
    Row("", dict[dt.date, int], [{DAY: 1}], ['{"a":1}']),
    Row("", dict[dt.datetime, dict[uuid.UUID, dt.timedelta]], [{NOON: {uuid.UUID(int=1): dt.timedelta(1)}}]),
    Row("", dict[ipaddress.IPv4Address | int, int], [{3: 1}], ['{"a":1}']),
    Row("", dict[Optional[int], int], [{3: 1}], ['{"None":1}']),  # noqa: UP045
    Row("", dict[fractions.Fraction, dict[complex, int]], [{fractions.Fraction(1, 3): {1j: 1}}], ['{"a":{}}']),
    Row("keys that are `tuple`, `None`, `Literal[1]`, members with numbers, models", dict[tuple[int, int], int],
        refused="keys that are of the type tuple"),
    Row("", dict[None, int], refused="keys that are of the type none"),
    Row("", dict[Literal[1], int], refused="the key 1"),
    Row("", dict[Mixed, int], refused="the key <Mixed.ONE"),
    Row("", dict[between(float, gt=0), int], refused="keys that are bounded numbers"),
]  # fmt: skip

CLASSES = [
    Row("`BaseModel`, `RootModel`, generic ones, `@dataclass`, `TypedDict`, `NamedTuple`", Box[list[D]],
        [Box[list[D]](content=[D("1.5")])], ['{"content":["a"]}']),
    Row("", RootModel[list[int]], [RootModel[list[int]]([1])]),
    Row("", Part, [], ['{"name":"a","number":1}']),
    Row("", Point, [Point(1, 2.5)], ['{"x":1,"y":"a"}']),
    Row("", Movie, [{"name": "M"}, {"name": "M", "year": 1931}], ['{"name":"M","year":1}']),
    Row("", Pair, [Pair(1), Pair(1, "b")]),
    Row("`NewType`, `type` aliases, recursive ones", Number, [3]),
    Row("", Tree, [[1, [2, []]]], ['"a"']),
    Row("unions with a discriminator", Annotated[Cat | Dog, Field(discriminator="kind")], [Cat(), Dog()],
        ["{}", '{"lives":1}', '{"kind":"dog","lives":1}']),
    Row("", Annotated[Round | Square, Field(discriminator="form")], [Round(), Square(side=2)],
        ["{}", '{"form":"round"}']),
    Row("aliases; `AliasChoices`: the first that is a key", Aliased, [Aliased(Name="a")], ['{"name":"a"}']),
    Row("fields that only an `AliasPath` leads to", ByPath, refused="an alias that is a path"),
    Row('`extra="allow"`', Open, [Open(n=1, more="x")], ['{"number":"a"}', '{"n":"a"}']),
    Row("", OpenInts, [OpenInts(name="a", b=1)], ['{"name":"a","b":"c"}']),
    Row("`strict=True`", Strict, [Strict(day=DAY, price=D("1.5"), counts={1: 2}, pair=(1, 2.0))]),
    Row("computed fields, which are not written", Area, [], ['{"side":1,"area":1}']),
    Row("validators: `parse` runs them, `report.validators` names them",
        Annotated[int, pydantic.AfterValidator(even)], [2]),
    Row("", Annotated[str, annotated_types.Predicate(str.islower)], ["a"]),
    Row("", Order, refused="a date in the past"),
]  # fmt: skip

TABLES = {
    "Scalars": SCALARS,
    "Dates and times": TIMES,
    "Networks": NETWORKS,
    "Containers": CONTAINERS,
    "Classes and annotations": CLASSES,
}
ROWS = [row for rows in TABLES.values() for row in rows]

PAGE = Path(__file__).resolve().parent.parent / "docs" / "python_types.md"


def table() -> str:
    """The rows that have a name as Markdown, with what the constraints say and write now."""
    lines = []
    for title, rows in TABLES.items():
        lines += [f"\n### {title}\n", "| type | texts | written, or what to write instead |", "|---|---|---|"]
        lines += (f"| {row.name} | {verdict(row)} |".replace("||", "| |") for row in rows if row.name)
    return "\n".join(lines) + "\n\n"


def verdict(row: Row) -> str:
    """Two cells: is a type exact, and an instance of it or a remedy."""
    try:
        json_schema(row.annotation)
    except UnsupportedFeature as error:
        return f"refused | {error.hint}"
    shown = dumped(row.annotation, row.instances[0]) if row.instances else ""
    return "exact | " + (f"`{shown}`" if shown else "").replace("|", "\\|")


def dumped(annotation: Any, instance: Any) -> str:
    """The JSON text that pydantic writes for an instance."""
    return TypeAdapter(annotation).dump_json(instance, by_alias=True).decode()


def with_table(page: str) -> str:
    begin, end = "<!-- types: begin -->\n", "<!-- types: end -->"
    return re.sub(f"(?s){begin}.*?{end}", lambda _: begin + table() + end, page)


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
