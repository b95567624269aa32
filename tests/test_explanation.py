"""Explanations: words against a table, near misses against independent judges, pages that need nothing."""

from __future__ import annotations

import json
import re

import jsonschema
import pytest
from browser import CHROMIUM, Browser
from command_line import run

import guidance_kit as gk
from guidance_kit.reports.schema_words import SchemaWords

TICKET = {
    "title": "Ticket <b>",
    "description": "One request.",
    "type": "object",
    "properties": {
        "id": {"type": "string", "pattern": "^T-[0-9]{4}$", "description": "As printed & sent."},
        "urgency": {"enum": ["low", "high"]},
        "items": {"type": "array", "items": {"$ref": "#/$defs/item"}, "minItems": 1, "maxItems": 3},
    },
    "required": ["id", "items"],
    "additionalProperties": False,
    "$defs": {
        "item": {
            "type": "object",
            "properties": {"count": {"type": "integer", "minimum": 1, "maximum": 99}},
            "required": ["count"],
            "additionalProperties": False,
        }
    },
}
TREE = {
    "$ref": "#/$defs/node",
    "$defs": {
        "node": {
            "type": "object",
            "properties": {
                "value": {"type": "integer"},
                "children": {"type": "array", "items": {"$ref": "#/$defs/node"}},
            },
            "required": ["value"],
            "additionalProperties": False,
        }
    },
}  # fmt: skip
PHONE = gk.regex(r"(\+\d{1,3} )?\d{3}-\d{4}(x\d+)?")
CALCULATOR = gk.bundled_grammar("arithmetic")

PHRASES = [
    (True, "any value"),
    (False, "nothing: no value is allowed"),
    ({"const": [1]}, "exactly [1]"),
    ({"enum": ["a", None, 2]}, '"a", null or 2'),
    ({"type": "string", "minLength": 2, "maxLength": 2}, "a text of exactly 2 characters"),
    ({"type": "string", "pattern": "a+"}, "a text in which something matches /a+/"),
    ({"type": "string", "format": "date"}, "a text in the format date"),
    ({"type": "number", "minimum": 0.5, "exclusiveMaximum": 3}, "a number of at least 0.5, less than 3"),
    ({"type": ["integer", "null"], "multipleOf": 5}, "a whole number, a multiple of 5, or null"),
    ({"type": "array", "items": {"type": "null"}, "minItems": 1}, "a list of at least 1 item, each item null"),
    ({"type": "array", "prefixItems": [{"type": "null"}], "items": False}, "a list: null, and nothing more"),
    ({"type": "array", "uniqueItems": True}, "a list, no two of them equal"),
    ({"type": "array", "contains": {"const": 3}}, "a list, with at least 1 item that is exactly 3"),
    ({"type": "object", "additionalProperties": False}, "an object without any field"),
    ({"type": "object", "required": ["x"]}, "an object, which must have x"),
    ({"type": "object", "minProperties": 2}, "an object, at least 2 fields in all"),
    ({"type": "object", "additionalProperties": {"type": "string"}}, "an object, and any other field being a text"),
    ({"anyOf": [{"type": "string"}, {"type": "null"}]}, "a text, or null"),
    ({"oneOf": [{"type": "string"}, {"type": "null"}]}, "exactly one of: a text; or null"),
    (
        {"allOf": [{"const": 2}, {"minLength": 2}]},
        "exactly 2 and (a text of at least 2 characters, or any value of another type)",
    ),
    ({"type": "integer", "not": {"const": 3}}, "a whole number; and anything but exactly 3"),
    ({"unevaluatedProperties": False}, "with unevaluatedProperties false"),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "phrase"), PHRASES)
def test_phrases(schema, phrase):
    assert SchemaWords(schema).phrase(schema) == phrase


def test_rows_follow_references_and_end_at_recursion():
    rows = [(row.depth, row.name, row.presence) for row in gk.explain(TICKET).fields]
    assert rows == [
        (0, "id", "required"), (0, "urgency", "optional"), (0, "items", "required"), (1, "item", "each"),
        (2, "count", "required"),
    ]  # fmt: skip
    assert [row.name for row in gk.explain(TREE).fields] == ["value", "children"]


@pytest.mark.parametrize("schema", [TICKET, TREE, {"type": "array", "items": {"type": "integer"}, "maxItems": 2}])
def test_examples_are_valid_and_near_misses_are_not(schema):
    found = gk.explain(schema)
    validator = jsonschema.Draft202012Validator(schema)
    assert found.examples
    assert found.near_misses
    assert all(validator.is_valid(json.loads(text)) for text in found.examples)
    for one in found.near_misses:
        assert not validator.is_valid(json.loads(one.text)), one
        assert one.change
        assert one.reason
    assert len({one.text for one in found.near_misses}) == len(found.near_misses)


@pytest.mark.parametrize(
    ("schema", "missed"),
    [
        ({"type": "string", "minLength": 3, "maxLength": 40}, {2, 41}),
        ({"type": "array", "items": {"type": "null"}, "minItems": 2, "maxItems": 5}, {1, 6}),
    ],
)
def test_near_misses_stand_next_to_bounds(schema, missed):
    found = gk.explain({"type": "object", "properties": {"part": schema, "n": {"maximum": 7}}, "required": ["part"]})
    values = [json.loads(one.text) for one in found.near_misses]
    lengths = {len(one["part"]) for one in values if isinstance(one, dict) and isinstance(one.get("part"), str | list)}
    assert missed <= lengths


def test_patterns_and_grammars_have_words_and_near_misses():
    phone = gk.explain(PHONE)
    assert phone.summary.startswith('Optionally ("+", then a digit 1 to 3 times')
    for one in phone.near_misses:
        assert not re.fullmatch(PHONE.source, one.text)
    assert all(re.fullmatch(PHONE.source, text) for text in phone.examples)
    rules = {rule.name: rule.words for rule in gk.explain(CALCULATOR).rules}
    assert rules["power"] == 'one of (atom; atom, then "^", then signed)'
    assert rules["NAME"] == "/[A-Za-z_][A-Za-z_0-9]*/"
    with pytest.raises(gk.OptionError):
        gk.explain("a pattern, or a grammar?")


def test_an_invalid_example_would_be_seen():
    """Negative control: a judge with another schema finds near misses that are valid."""
    other = jsonschema.Draft202012Validator({"type": "object"})
    assert any(other.is_valid(json.loads(one.text)) for one in gk.explain(TICKET).near_misses)


def test_the_page_escapes_everything_and_needs_nothing():
    page = gk.explain(TICKET).to_html()
    assert "Ticket &lt;b&gt;" in page
    assert "As printed &amp; sent." in page
    assert page.count('<div class="box">') == page.count("required</span>") + page.count("optional</span>") + 1
    assert page.count("<div") == page.count("</div>")
    assert "<script" not in page
    assert re.search(r"(src|href)=", page) is None


def test_diagrams_are_drawn():
    pytest.importorskip("railroad")
    page = gk.explain(CALCULATOR).to_html()
    assert page.count("<svg") == sum(bool(rule.diagram) for rule in gk.explain(CALCULATOR).rules) > 5


def test_the_command_says_it_and_writes_the_page(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ticket.json").write_text(json.dumps(TICKET))
    found = run("explain", "ticket.json", "-o", "page.html")
    assert found.exit_code == 0, found.stderr
    assert "  id (required): a text that matches /^T-[0-9]{4}$/" in found.stdout
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == gk.explain(TICKET).to_html()
    assert run("explain", "--regex", "a|b").stdout.startswith("regex: One of a b.\n")
    refused = run("explain", "ticket.json", "-o", "none/page.html")
    assert refused.exit_code == 2


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")
@pytest.mark.parametrize("constraint", [TICKET, TREE, PHONE, CALCULATOR])
def test_a_browser_shows_the_page_without_a_complaint(constraint, tmp_path):
    page = tmp_path / "page.html"
    page.write_text(gk.explain(constraint).to_html(), encoding="utf-8")
    with Browser(tmp_path / "profile") as browser:
        browser.open(page, width=800, height=900)
        assert browser.run("document.querySelectorAll('section').length") >= 4
        assert browser.run("document.documentElement.scrollWidth <= innerWidth")
        assert browser.logged == []
