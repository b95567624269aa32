"""Keywords as rows: a keyword of the test's own, one row and one function, through the public API."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import guidance_kit as gk
from guidance_kit.grammars.json_schema.documents.document import Location, SchemaDocument
from guidance_kit.grammars.json_schema.keywords import checks, table
from guidance_kit.grammars.json_schema.keywords.table import KEYWORDS, Keyword
from guidance_kit.grammars.json_schema.normal_forms.clauses import Clause, branches
from guidance_kit.grammars.json_schema.normal_forms.expansion import Expansion
from guidance_kit.grammars.json_schema.normal_forms.records import Numbers, Strings
from guidance_kit.grammars.json_schema.normal_forms.shapes import Shape

SCHEMA = {"type": "object", "properties": {"n": {"type": "integer", "even": True}}, "required": ["n"]}
ODD, EVEN = '{"n": 3}', '{"n": 4}'


def read_even(document: SchemaDocument, location: Location) -> Numbers:
    """Multiples of two, if the keyword is true."""
    return Numbers(multiple=2 if location.schema["even"] else None)


EVEN_ROW = Keyword(
    name="even", support="enforced", value="boolean", readers=(("number", read_even),), note="multiples of two"
)


def texts_or_null(document: SchemaDocument, location: Location, keyword: str) -> Shape:
    """Some texts, and null."""
    return Shape((None,), (), (), (Strings(values=tuple(location.schema[keyword])),), (), ())


OPTIONAL_ROW = Keyword(
    name="optionalText", support="enforced", value="non-empty strings", shape=texts_or_null, note="or null"
)


def none_holds(expansion: Expansion, location: Location, keyword: str) -> Iterator[Clause]:
    """The negation of each schema."""
    for branch in branches(expansion.document, location, keyword):
        yield Clause((expansion.document.negation(branch),))


NEITHER_ROW = Keyword(
    name="neither", support="enforced", value="schemas", clauses=none_holds, is_last=True, check=checks.involved
)


@pytest.fixture
def own_rows(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The rows, in the table for one test."""
    with monkeypatch.context() as patch:
        patch.setattr(table, "KEYWORDS", (*KEYWORDS, EVEN_ROW, OPTIONAL_ROW, NEITHER_ROW))
        table.keywords_of.cache_clear()
        yield
    table.keywords_of.cache_clear()


def is_valid(schema: dict[str, object], text: str) -> bool:
    try:
        gk.json_schema(schema).parse(text)
    except gk.MatchError:
        return False
    return True


def test_a_keyword_is_one_row_and_one_function(own_rows):
    assert (is_valid(SCHEMA, ODD), is_valid(SCHEMA, EVEN)) == (False, True)
    assert gk.json_schema(SCHEMA).report.enforced["even"] == 1
    assert "| `even` | all | enforced | multiples of two |" in table.support_table()


def test_its_record_is_conjoined_negated_and_found_unsatisfiable(own_rows):
    both = {"type": "integer", "even": True, "multipleOf": 3}
    assert [n for n in range(13) if is_valid(both, str(n))] == [0, 6, 12]
    odd = {"type": "integer", "not": {"even": True}}
    assert [n for n in range(6) if is_valid(odd, str(n))] == [1, 3, 5]
    with pytest.raises(gk.UnsatisfiableError, match="even"):
        gk.json_schema({"type": "integer", "even": True, "minimum": 3, "maximum": 3})


SAMPLES = ["null", "true", "1", "4", '"a"', '"b"', '"c"', "[]", "[4]", '{"n": 1}', '{"n": 4}']


@pytest.mark.parametrize(
    ("schema", "same"),
    [
        ({"optionalText": ["a", "b"]}, {"enum": [None, "a", "b"]}),
        ({"not": {"optionalText": ["a", "b"]}}, {"not": {"enum": [None, "a", "b"]}}),
        ({"optionalText": ["a", "b"], "type": "string", "pattern": "b"}, {"const": "b"}),
        ({"neither": [{"type": "integer"}, {"const": "a"}]}, {"not": {"anyOf": [{"type": "integer"}, {"const": "a"}]}}),
        ({"not": {"neither": [{"minimum": 3}, {"type": "null"}]}}, {"anyOf": [{"minimum": 3}, {"type": "null"}]}),
        ({"properties": {"n": {"neither": [{"even": True}]}}}, {"properties": {"n": {"not": {"multipleOf": 2}}}}),
        (
            {"oneOf": [{"neither": [{"type": "string"}]}, {"optionalText": ["a"]}]},
            {"oneOf": [{"not": {"type": "string"}}, {"enum": [None, "a"]}]},
        ),
    ],
)
def test_rows_of_shapes_and_clauses(own_rows, schema, same):
    found = [is_valid(schema, text) for text in SAMPLES]
    assert found == [is_valid(same, text) for text in SAMPLES]
    assert len(set(found)) == 2


def test_without_its_row_it_is_unknown():
    schema = {**SCHEMA, "title": "another schema, as compiled ones are cached"}
    assert (is_valid(schema, ODD), is_valid(schema, EVEN)) == (True, True)
    assert set(gk.json_schema(schema).report.unknown) == {"even"}


def test_every_enforced_row_says_how_it_is_read():
    """Rows without functions of their own are read with another keyword of the table."""
    silent = {
        row.name
        for row in KEYWORDS
        if row.support == "enforced" and not (row.readers or row.shape or row.clauses or row.beside)
    }
    assert silent == {"type", "unevaluatedItems", "unevaluatedProperties"}


def test_only_enforced_rows_have_functions():
    assert [
        row.name
        for row in KEYWORDS
        if row.support != "enforced" and (row.readers or row.shape or row.clauses or row.check)
    ] == []
