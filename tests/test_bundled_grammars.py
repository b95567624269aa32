"""The grammars that come with the package: texts that they have and have not, and judges from elsewhere."""

from __future__ import annotations

import ast
import csv
import io
import itertools
import json
import random
import sqlite3
from datetime import date

import pytest
from marks import slow

from guidance_kit.errors import OptionError
from guidance_kit.fsm.automaton import Automaton
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.grammars.constraint import Constraint
from guidance_kit.grammars.grammar import bundled_grammar, grammar
from guidance_kit.vocabulary import Vocabulary

NAMES = ["arithmetic", "csv", "dates", "json", "sql_select"]


def acceptor(constraint: Constraint):
    automaton = Automaton(constraint.network())

    def accepts(text: str) -> bool:
        path = automaton.advance(automaton.start, text.encode())
        return len(path) == len(text.encode()) and automaton.is_complete(int(path[-1]) if text else automaton.start)

    return accepts


TABLE = [
    ("arithmetic", ["1", "-(a + 2.5e3)*f(x, y)^2", "2 ^ -x", "f()"], ["", "1 +", "1 2", "f(,)", "2 ** 3", ")"]),
    ("csv", ["", "a,b", ',\n"x, ""y""\n",z\r\n'], ['"a', 'a"b', '"a"b', "a\rb"]),
    ("dates", ["2024-02-29", "23:59:59.5", "2000-02-29T00:00:00Z"], ["2023-02-29", "1900-02-29", "24:00:00"]),
    ("json", ["{}", ' [1, -2.5e+3, "\\u00e9\\n", null, {"a": [true]}] '], ["", "{,}", "01", "[1,]", "'a'", '"\t"']),
    (
        "sql_select",
        [
            "SELECT * FROM t",
            "select a.b, count(distinct c) as n from a left outer join b on a.x = b.x where not y in (1, 2) group by b",
            "select selected from fromage where x is not null -- why\n order by 1 desc limit 10 offset 5;",
            "select case when x like 'a%' then 1 else null end from (select 1) as t union all select \"from\" from u",
        ],
        ["select", "select from t", "select from from from", "selecta from t", "select a from t where"],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("name", "accepted", "rejected"), TABLE, ids=[row[0] for row in TABLE])
def test_table(name, accepted, rejected):
    accepts = acceptor(bundled_grammar(name))
    assert [text for text in accepted if not accepts(text)] == []
    assert [text for text in rejected if accepts(text)] == []


def test_every_day_of_the_calendar():
    accepts = acceptor(bundled_grammar("dates"))
    for year, month, day in itertools.product([1900, 2000, 2023, 2024, 2100], range(14), range(33)):
        try:
            is_date = bool(date(year, month, day))
        except ValueError:
            is_date = False
        assert accepts(f"{year}-{month:02}-{day:02}") == is_date


def walks(name: str, count: int, letters: bytes) -> list[str]:
    """Random texts of a grammar, with some letters where these will do, completed within a budget."""
    vocabulary = Vocabulary.from_bytes()
    index = bundled_grammar(name).compile(vocabulary)
    rng, found = random.Random(name), []
    for _ in range(count):
        matcher, text = Matcher(index).within(rng.randint(25, 60)), b""
        while not matcher.is_over:
            tokens = matcher.allowed_tokens().tolist()
            usual = [token for token in tokens if token < 256 and token in letters]
            token = rng.choice(usual or tokens)
            if token in vocabulary.eos:
                break
            matcher.advance(token)
            text += vocabulary.token_bytes[token]
        found.append(text.decode())
    return found


def test_json_texts_are_read_by_the_standard_library():
    texts = walks("json", 150, b'019ae,:{}[]"\\u-. ntf')
    assert len({type(json.loads(text)) for text in texts}) >= 4


def test_csv_texts_are_read_by_the_standard_library():
    for text in walks("csv", 100, b'ab",\n '):
        list(csv.reader(io.StringIO(text, newline=""), strict=True))


def test_dates_are_read_by_the_standard_library():
    for text in walks("dates", 100, b"0123456789-T:Z+."):
        if len(text) == 10 and text[4] == "-" and text[:4] != "0000":
            date.fromisoformat(text)


def test_arithmetic_is_read_by_python():
    for text in walks("arithmetic", 150, b"123xy+-*/^%(), ."):
        ast.parse(text.strip().replace("^", "**"), mode="eval")


def test_select_is_read_by_sqlite():
    """What both have: the syntax is judged, with tables that are there."""
    queries = [
        "SELECT * FROM t",
        "select t.a, count(*) as n, 'it''s' from t left outer join u on t.a = u.a where t.b in (1, 2.5) group by t.a",
        "select a from t union all select b from u order by 1 desc limit 10 offset 2",
        "select case when a between 1 and 2 then a else null end from t where exists (select 1 from u where u.a = t.a)",
        "select cast(a as text), a || 'x' from t where a not like 'b%' escape 'c' and not (a is null or b <> 1);",
        "select sum(distinct a) from t having sum(a) > 1 -- comment\n",
    ]
    accepts = acceptor(bundled_grammar("sql_select"))
    database = sqlite3.connect(":memory:")
    database.executescript("create table t(a, b); create table u(a, b)")
    for query in queries:
        database.execute(query)
        assert accepts(query), query


@pytest.mark.parametrize("count", [6, *slow(20)])
@pytest.mark.parametrize("name", NAMES)
def test_no_walk_ends_early(name, count):
    assert len(walks(name, count, b"abx019_ .,;:'\"()[]{}=<>*+-/selctfromwh\n")) == count


def test_unknown():
    with pytest.raises(OptionError, match="unknown grammar 'sql'"):
        bundled_grammar("sql")


def test_rules_can_be_imported():
    accepts = acceptor(grammar('%import json.value\nstart: "x=" value'))
    assert accepts('x={"a":[1]}')
