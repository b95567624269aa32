"""Structural tags: their texts and values, what is refused, and XGrammar, where it is installed, as a judge."""

from __future__ import annotations

import json
import random
import re

import pytest
from marks import slow
from test_tags import FUNCTION, WORDS
from vocabularies import END, TOOL, special_vocabulary, texts_of

import guidance_kit as gk
from guidance_kit.errors import LimitError, SchemaError, UnsupportedFeature
from guidance_kit.fsm.matcher import Matcher


def structural(format_):
    return {"type": "structural_tag", "format": format_}


GRAMMAR = r"root ::= [+\-]+ [\]\^\.]"
"""What XGrammar writes in character classes."""

CITY_TAG = {
    "type": "tag",
    "begin": "<f=city>",
    "content": {"type": "json_schema", "json_schema": FUNCTION},
    "end": "</f>",
}

STRUCTURAL = [
    (
        structural({"type": "triggered_tags", "triggers": ["<f="], "tags": [CITY_TAG]}),
        'a<f=city>{"city":"Rome"}</f>b',
        ["a", gk.Tagged("<f=city>", {"city": "Rome"}), "b"],
    ),
    (
        {
            "type": "structural_tag",
            "structures": [{"begin": "<f=city>", "schema": FUNCTION, "end": "</f>"}],
            "triggers": ["<f="],
        },
        'a<f=city>{"city":"Rome"}</f>',
        ["a", gk.Tagged("<f=city>", {"city": "Rome"})],
    ),
    (
        json.dumps(structural({"type": "tag", "begin": "<t>", "content": {"type": "any_text"}, "end": ["</t>", "|"]})),
        "<t>x|",
        [gk.Tagged("<t>", "x")],
    ),
    (
        structural(
            {
                "type": "sequence",
                "elements": [
                    {"type": "const_string", "value": "A: "},
                    {
                        "type": "or",
                        "elements": [
                            {"type": "regex", "pattern": "[ab]+"},
                            {"type": "grammar", "grammar": 'root ::= "c" root | "d"'},
                        ],
                    },
                    {"type": "optional", "content": {"type": "token", "token": "<tool>"}},
                    {"type": "json_schema", "json_schema": {"type": "integer"}},
                ],
            }
        ),
        "A: ccd<tool>5",
        ("A: ", "ccd", "<tool>", 5),
    ),
    (
        structural({"type": "dispatch", "rules": [["#", {"type": "json_schema", "json_schema": {"type": "integer"}}]]}),
        "a#1b#2",
        ["a", gk.Tagged("#", 1), "b", gk.Tagged("#", 2)],
    ),
    (
        structural({"type": "tags_with_separator", "tags": [CITY_TAG], "separator": ";", "at_least_one": True}),
        '<f=city>{"city":"A"}</f>;<f=city>{"city":"B"}</f>',
        [gk.Tagged("<f=city>", {"city": "A"}), gk.Tagged("<f=city>", {"city": "B"})],
    ),
    (
        structural(
            {
                "type": "token_triggered_tags",
                "trigger_tokens": ["<tool>"],
                "tags": [
                    {
                        "type": "tag",
                        "begin": {"type": "token", "token": "<tool>"},
                        "content": {"type": "any_text", "max_chars": 3},
                        "end": {"type": "token", "token": "<end>"},
                    }
                ],
            }
        ),
        "hi<tool>abc<end>",
        ["hi", gk.Tagged("<tool>", "abc")],
    ),
    (
        structural(
            {
                "type": "tag",
                "begin": "<o>",
                "content": {"type": "triggered_tags", "triggers": ["<f="], "tags": [CITY_TAG], "excludes": ["!"]},
                "end": "</o>",
            }
        ),
        '<o>a<f=city>{"city":"A"}</f></o>',
        [gk.Tagged("<o>", ["a", gk.Tagged("<f=city>", {"city": "A"})])],
    ),
    (
        {"format": {"begin": "", "content": {"type": "any_text"}, "end": "</think>"}},
        "so be it</think>",
        [gk.Tagged("", "so be it")],
    ),
    (
        structural({"type": "tag", "begin": "<t>", "content": {"type": "any_text"}, "end": ["</t>", ""]}),
        "<t>without an end </t",
        [gk.Tagged("<t>", "without an end </t")],
    ),
    (
        structural({"type": "tag", "begin": "<t>", "content": {"type": "any_text"}, "end": ["</t>", ""]}),
        "<t>with one</t>",
        [gk.Tagged("<t>", "with one")],
    ),
    (
        structural({"type": "tag", "begin": "", "content": {"type": "any_text", "excludes": ["!"]}, "end": ""}),
        "plain",
        [gk.Tagged("", "plain")],
    ),
    (
        {
            "format": {
                "tags": [{"begin": "", "content": {"value": "a"}, "end": ["", ";"]}, CITY_TAG],
                "separator": ",",
            }
        },
        'a,a;,<f=city>{"city":"A"}</f>',
        [gk.Tagged("", "a"), gk.Tagged("", "a"), gk.Tagged("<f=city>", {"city": "A"})],
    ),
    (
        structural({"elements": [{"json_schema": {"const": 1}}, {"type": "grammar", "grammar": GRAMMAR}]}),
        "1+-]",
        (1, "+-]"),
    ),
]


@pytest.mark.parametrize(("source", "text", "value"), STRUCTURAL)
def test_structural_tags(source, text, value):
    constraint = gk.structural_tag(source)
    assert constraint.parse(text) == value
    matcher = Matcher(constraint.compile(special_vocabulary()))
    for part in re.split("(<tool>|<end>)", text):
        if part in ("<tool>", "<end>"):
            matcher.advance(TOOL if part == "<tool>" else END)
        else:
            matcher.advance_bytes(part.encode())
    assert matcher.is_complete


@pytest.mark.parametrize(
    ("source", "error", "said"),
    [
        ("{", SchemaError, "not JSON"),
        ({"type": "json_schema"}, SchemaError, "structural_tag"),
        ({"format": {"content": {"value": "a"}, "min": 1, "max": 2}}, UnsupportedFeature, "'min'"),
        ({"format": {"pattern": "a"}}, SchemaError, "needs a 'type' .at /format"),
        (
            structural({"type": "tag", "begin": "", "content": {"type": "any_text"}, "end": [""]}),
            SchemaError,
            "excludes",
        ),
        (structural({"type": "tag", "begin": "a", "content": {"value": "b"}, "end": []}), SchemaError, "not empty"),
        (structural({"tags": [{"type": "regex"}], "separator": ""}), SchemaError, "'type' must be \"tag\""),
        (
            structural({"triggers": ["a"], "tags": [{"begin": "", "content": {"value": "b"}, "end": ""}]}),
            SchemaError,
            "nothing opens it",
        ),
        (structural({"type": "any_tokens", "exclude_tokens": [0.5]}), SchemaError, "numbers and names of tokens"),
        (structural({"type": "const_string", "value": "a", "color": 1}), UnsupportedFeature, "'color'"),
        (structural({"type": "const_string"}), SchemaError, "'value' must be a string"),
        (structural({"type": "sequence", "elements": []}), SchemaError, "not empty"),
        (structural({"type": "or", "elements": [5]}), SchemaError, "/format/elements/0"),
        (structural({"type": "const_string", "value": "\ud800"}), SchemaError, "'value' must be text.*at /format"),
        (structural({"type": "any_text", "max_chars": -1}), SchemaError, "'max_chars' must be from 0 .*at /format"),
        (structural({"type": "any_text", "excludes": ["a", ""]}), SchemaError, "not empty.*at /format"),
        (structural({"type": "optional", "content": {"type": "regex", "pattern": "("}}), SchemaError, "/content"),
        (structural({"type": "grammar", "grammar": "root ::= ("}), SchemaError, "parenthesis .*column 11. .at /format"),
        (structural({"type": "json_schema", "json_schema": {"items": 5}}), SchemaError, "/format/json_schema/items"),
        (structural({"type": "dispatch", "rules": []}), SchemaError, "at /format"),
        (structural({"type": "tag", "begin": "a", "content": {"type": "any_text"}, "end": ""}), SchemaError, "/format"),
        ({"type": "structural_tag", "structures": [{"begin": "a", "schema": {}, "end": "b"}]}, SchemaError, "'a'"),
        (
            '{"type": "structural_tag", "format": ' + '{"type": "star", "content": ' * 1000 + "{}" + "}" * 1001,
            LimitError,
            "formats of a structural tag",
        ),
        (
            structural({"type": "repeat", "min": 2, "max": 1, "content": {"type": "regex", "pattern": "a"}}),
            SchemaError,
            "'max'",
        ),
    ],
)
def test_structural_tags_that_are_refused(source, error, said):
    with pytest.raises(error, match=said):
        gk.structural_tag(source)


@pytest.mark.parametrize("seed", [*range(5), *slow(*range(5, 30))])
def test_structural_tags_as_xgrammar_reads_them(seed):
    """All 3,280 texts, in which XGrammar finds the same ones to belong to a structural tag."""
    xgrammar = pytest.importorskip("xgrammar")
    from xgrammar.testing import _is_grammar_accept_string as accepts

    rng = random.Random(seed)
    trigger = rng.choice(["<", "<a", "b<"])
    tags = [
        {
            "type": "tag",
            "begin": trigger + rng.choice(["", "a", "b"]),
            "content": {"type": "regex", "pattern": rng.choice(["a*", "b+", "ab"])},
            "end": rng.choice(["<", "b<", "a"]),
        }
        for _ in range(rng.randint(1, 2))
    ]
    kind = rng.choice(["triggered_tags", "tags_with_separator"])
    more = {"triggers": [trigger]} if kind == "triggered_tags" else {"separator": rng.choice(["b", "<a"])}
    flags = {"at_least_one": rng.random() < 0.5, "stop_after_first": rng.random() < 0.5}
    source = structural({"type": kind, "tags": tags, **more, **flags})
    grammar = xgrammar.Grammar.from_structural_tag(source)
    assert texts_of(gk.structural_tag(source), WORDS) == {word for word in WORDS if accepts(grammar, word)}


@pytest.mark.parametrize("separator", [None, *slow("", "b")])
@pytest.mark.parametrize("content", [{"value": "a"}, {"type": "any_text"}, {"type": "any_text", "excludes": ["<"]}])
@pytest.mark.parametrize("end", ["", *slow("b"), ["", "b"], *slow(["ab", "<", ""])])
def test_empty_begins_and_ends_as_xgrammar_reads_them(separator, content, end):
    """All 3,280 texts again, with a begin and ends that are empty."""
    xgrammar = pytest.importorskip("xgrammar")
    from xgrammar.testing import _is_grammar_accept_string as accepts

    tag = {"begin": "", "content": content, "end": end}
    source = {"format": tag if separator is None else {"tags": [tag], "separator": separator, "at_least_one": True}}
    if "type" in content and "excludes" not in content and end == "":
        for read in (gk.structural_tag, xgrammar.Grammar.from_structural_tag):
            with pytest.raises((SchemaError, RuntimeError)):
                read(source if read is gk.structural_tag else json.dumps(source))
        return
    grammar = xgrammar.Grammar.from_structural_tag(json.dumps(source))
    assert texts_of(gk.structural_tag(source), WORDS) == {word for word in WORDS if accepts(grammar, word)}
