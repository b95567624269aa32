"""The support world: its labels are right, its splits share nothing, its streams can be cut anywhere."""

from __future__ import annotations

import datetime
import itertools
import json
import re
from types import ModuleType
from typing import Any

import jsonschema
import pytest
from marks import slow
from pydantic import BaseModel

from examples.meeting import Meeting
from examples.order import Order
from examples.ticket import Ticket
from guidance_kit.errors import OptionError
from guidance_kit.evaluation.records import leaves, score
from guidance_kit.models.prompts import extraction_prompt, instruction_prompt, support_prompt
from tools.closeness import closeness, wordings_in
from tools.closeness import words as words_of
from tools.support_world import SPLITS, example, examples, record_text
from tools.support_world.entities import goods, make_entity, people, words, work
from tools.support_world.entities.mention import is_held_out
from tools.support_world.fields import INTENT_NAMES, KINDS
from tools.support_world.kinds import REQUESTED
from tools.support_world.noise import thinned
from tools.support_world.splits import WEIGHTS
from tools.support_world.templates import appointments, bookings, meetings, orders, shared, tickets
from tools.support_world.wording import Draft, Piece, expand, expansions, pattern, wordings

NUMBER_WORDS = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
]
LABELS = {
    "intent", "tone", "urgency", "urgent", "payment", "express", "gift", "action", "room_type", "breakfast", "currency",
}  # fmt: skip
DATES = {"date", "delivery_date", "other_date", "next_date", "check_in", "check_out", "due"}
TIMES = {"time", "other_time"}


def date_spellings(day: datetime.date) -> set[str]:
    """Every way in which the world writes a date, from strftime: independent of the generator's own code."""
    ends = {day.day: "th", 1: "st", 2: "nd", 3: "rd", 21: "st", 22: "nd", 23: "rd", 31: "st"}
    ordinal = f"{day.day}{ends[day.day]}"
    return {
        day.strftime("%Y-%m-%d"), day.strftime(f"{day.day} %B %Y"), day.strftime(f"%B {day.day}, %Y"),
        day.strftime(f"{day.day} %b %Y"), day.strftime("%d.%m.%Y"), day.strftime(f"{ordinal} of %B %Y"),
        day.strftime(f"%b {ordinal}, %Y"),
    }  # fmt: skip


def time_spellings(value: str) -> set[str]:
    moment = datetime.datetime.strptime(value, "%H:%M")
    hour, half = moment.strftime("%I").lstrip("0"), moment.strftime("%p").lower()
    return {value, f"{hour}:{moment.minute:02d} {half}"} | ({f"{hour} {half}"} if moment.minute == 0 else set())


def number_spellings(value: float) -> set[str]:
    if isinstance(value, int):
        return {str(value)} | ({NUMBER_WORDS[value]} if value < len(NUMBER_WORDS) else set())
    plain = f"{value:.2f}"
    return {plain, f"{value:,.2f}", plain.replace(".", ",")}


def spellings(slot: str, value: Any) -> set[str]:
    if isinstance(value, bool):
        raise AssertionError(f"{slot} is a label")
    if isinstance(value, int | float):
        return number_spellings(value)
    if slot in DATES:
        return date_spellings(datetime.date.fromisoformat(value))
    if slot in TIMES:
        return time_spellings(value)
    return {value}


def stated(facts: dict[str, Any]) -> list[tuple[str, Any]]:
    """Slot and value of everything that must be found in the text."""
    found: list[tuple[str, Any]] = []
    for slot, value in facts.items():
        if slot in LABELS or slot == "room":
            continue
        if isinstance(value, list):
            for row in value:
                found += [(k, v) for k, v in row.items() if v is not None] if isinstance(row, dict) else [(slot, row)]
        else:
            found.append((slot, value))
    return found


@pytest.mark.parametrize("count", [100, pytest.param(1500, marks=pytest.mark.slow)])
@pytest.mark.parametrize("split", SPLITS)
def test_every_value_stands_in_the_text(split: str, count: int) -> None:
    for one in examples(split, 0, count):
        text = one.text.casefold() if one.text == one.text.lower() else one.text
        for slot, value in stated(one.facts):
            choices = spellings(slot, value)
            if one.text == one.text.lower():
                choices = {choice.casefold() for choice in choices}
            assert any(choice in text for choice in choices), (slot, value, one.text)


@pytest.mark.parametrize("count", [100, pytest.param(1500, marks=pytest.mark.slow)])
@pytest.mark.parametrize("split", SPLITS)
def test_records_hold_facts_and_nothing_else(split: str, count: int) -> None:
    for one in examples(split, 0, count):
        values: list[Any] = []
        for value in one.facts.values():
            values += [leaf for _, leaf in leaves(value)]
        for path, value in leaves(one.record):
            assert path.endswith("#") or value is None or value in values, (path, value, one)


@pytest.mark.parametrize("count", [20, pytest.param(800, marks=pytest.mark.slow)])
@pytest.mark.parametrize("split", [*list(SPLITS)[:2], *slow(*list(SPLITS)[2:])])
def test_records_are_valid_and_in_the_schema_s_order(split: str, count: int) -> None:
    def ordered(schema: dict[str, Any], value: Any) -> None:
        for option in schema.get("anyOf", [schema]):
            if isinstance(value, dict) and "properties" in option:
                order = list(option["properties"])
                assert [order.index(name) for name in value] == sorted(order.index(name) for name in value)
                for name, inner in value.items():
                    ordered(option["properties"][name], inner)
            if isinstance(value, list) and "items" in option:
                for inner in value:
                    ordered(option["items"], inner)

    for one in examples(split, 0, count):
        jsonschema.Draft202012Validator.check_schema(one.schema)
        jsonschema.validate(one.record, one.schema)
        ordered(one.schema, one.record)


def test_what_the_text_does_not_say_is_null_or_left_out() -> None:
    absent = 0
    for one in examples("train", 0, 500):
        for name, schema in one.schema["properties"].items():
            nullable = {"type": "null"} in schema.get("anyOf", []) or "null" in schema.get("type", [])
            if name not in one.record:
                assert not nullable
                assert name not in one.schema["required"]
                absent += 1
            elif one.record[name] is None:
                assert nullable
                absent += 1
    assert absent > 300


def test_the_same_number_gives_the_same_example_and_streams_can_be_cut() -> None:
    assert list(examples("train", 5, 25)) == [example("train", index) for index in range(5, 25)]
    assert example("train", 3, seed=0) != example("train", 3, seed=1)
    assert [e.text for e in itertools.islice(examples("new_entities"), 3)] != [e.text for e in examples("train", 0, 3)]


@pytest.mark.slow
def test_held_out_entities_are_never_in_training() -> None:
    slots = ("name", "city", "order_id", "email", "phone", "street", "product", "company", "customer_id", "tracking")

    def seen(split: str, number: int) -> set[tuple[str, str]]:
        return {
            (slot, str(one.facts[slot]).casefold())
            for one in examples(split, 0, number)
            for slot in slots
            if slot in one.facts
        }

    train = seen("train", 6000) | seen("wide", 2000)
    for split in ("new_entities", "new_wordings"):
        shared = {pair for pair in seen(split, 1500) if pair in train}
        assert not shared


def test_generated_strings_belong_to_their_side() -> None:
    from random import Random

    random = Random(0)
    for slot in ("order_id", "phone", "email", "postal_code", "customer_id", "tracking", "code"):
        for _ in range(200):
            assert is_held_out(make_entity(slot, random, "held_out").surface)
            assert not is_held_out(make_entity(slot, random, "train").surface)
            assert not is_held_out(make_entity(slot, random, "wide").surface)


@pytest.mark.parametrize("module", [words, work, goods, people])
def test_the_wide_side_has_all_words_of_training_and_more_but_none_held_out(module: ModuleType) -> None:
    all_lists = [found for found in vars(module).values() if isinstance(found, dict) and "held_out" in found]
    assert any(len(found["wide"]) > 1.5 * len(found["train"]) for found in all_lists)
    for found in all_lists:
        assert set(found["train"]) <= set(found["wide"])
        assert not {*map(str.casefold, found["wide"])} & {*map(str.casefold, found["held_out"])}


@pytest.mark.slow
def test_no_wide_sentence_can_be_a_held_out_one() -> None:
    checked = 0
    modules = (shared, meetings, orders, appointments, bookings)
    of_texts = [of for module in modules for name in module.__all__ for of in wordings_in(getattr(module, name))]
    for of in [*REQUESTED.values(), *of_texts]:
        patterns = [re.compile(pattern(template, r"\{\w+\}"), re.IGNORECASE) for template in of.wide]
        for text in itertools.chain(*map(expansions, of.held_out)):
            checked += 1
            assert not any(one.fullmatch(text) for one in patterns), text
    assert checked > 140


@pytest.mark.slow
def test_closeness_is_that_of_the_closest_sentence_of_a_template() -> None:
    from random import Random

    def common(one: list[str], other: list[str]) -> int:
        if not one or not other:
            return 0
        if one[-1] == other[-1]:
            return common(one[:-1], other[:-1]) + 1
        return max(common(one[:-1], other), common(one, other[:-1]))

    random = Random(0)
    source = [
        template for of in tickets.INTENTS.values() for template in of.train if len(list(expansions(template))) < 40
    ]
    shares = set()
    for _ in range(60):
        template, other = random.sample(source, 2)
        said = " ".join(expand(other, random).split()[:7])
        found = closeness(said, template)
        every = (common(words_of(said), words_of(text)) for text in expansions(template))
        assert found == pytest.approx(max(every) / len(words_of(said)))
        assert closeness(said, other) == 1
        shares.add(found)
    assert len(shares) > 5


def test_every_intent_has_wordings_on_both_sides() -> None:
    assert tuple(tickets.INTENTS) == INTENT_NAMES
    assert len(INTENT_NAMES) >= 20
    for of in tickets.INTENTS.values():
        assert len(of.train) >= 3
        assert len(of.held_out) >= 2
        assert not set(of.train) & set(of.held_out)


def test_kinds_and_labels_are_all_seen() -> None:
    seen = dict.fromkeys(KINDS, 0)
    labels: dict[str, set[Any]] = {}
    for one in examples("train", 0, 3000):
        seen[one.kind] += 1
        for slot in LABELS & set(one.facts):
            labels.setdefault(slot, set()).add(one.facts[slot])
    assert seen.keys() == WEIGHTS.keys()
    assert min(seen.values()) > 80
    assert labels["intent"] == set(INTENT_NAMES)
    for kind in KINDS.values():
        for field in kind.fields:
            if field.slot in LABELS and "enum" in field.schema:
                assert labels[field.slot] >= set(field.schema["enum"]), field.slot


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "example"), [("ticket", Ticket), ("order", Order), ("meeting", Meeting)])
def test_the_usual_schemas_are_those_of_the_examples(kind: str, example: type[BaseModel]) -> None:
    assert tuple(example.model_fields) == KINDS[kind].usual
    whole = 0
    for one in examples("train", 0, 400):
        if one.is_usual:
            jsonschema.validate(one.record, one.schema, format_checker=jsonschema.FormatChecker())
            assert list(one.record) == list(one.schema["properties"]) == one.schema["required"]
            if one.kind == kind and tuple(one.record) == KINDS[kind].usual:
                whole += isinstance(example.model_validate(one.record), example)
    assert whole > 20


def test_of_short_texts_labels_alone_are_asked() -> None:
    label_names = {
        name for kind in KINDS.values() for field in kind.fields if field.slot in LABELS for name in field.names
    }
    some = [one for one in examples("labels", 0, 800) if set(one.record) <= label_names and len(one.text) < 600]
    assert 0.35 < len(some) / 800 < 0.5
    asked = {name for one in some for name in one.schema["properties"]}
    assert asked >= {"intent", "tone", "urgency", "is_urgent", "payment_method", "express", "action", "room_type"}
    short = sum(len(one.text) for one in some) / len(some)
    usual = [len(one.text) for one in examples("wide", 0, 200)]
    assert short < 0.6 * sum(usual) / len(usual)


def test_thinned_texts_keep_their_entities_and_something_of_every_block() -> None:
    from random import Random

    draft = Draft(Random(0), "train", "train")
    blocks = [[Piece("Please "), Piece("Anna", "name"), Piece(" waits")], [Piece("Thanks!")], [Piece("It is not so")]]
    every = [thinned(blocks, draft) for _ in range(300)]
    texts = [["".join(piece.text for piece in block) for block in one] for one in every]
    assert {text[0].strip() for text in texts} >= {"Please Anna waits", "Anna waits", "Please Anna"}
    assert {text[1] for text in texts} == {"Thanks!"}
    assert {text[2] for text in texts} == {"It is not so"}


def test_a_schema_never_asks_for_two_fields_of_one_name() -> None:
    for kind in KINDS.values():
        for field in kind.fields:
            assert len(set(field.names)) == len(field.names)


def test_notation_of_wordings() -> None:
    from random import Random

    of = wordings("[a|b[c|d]|] {x}\n! e\\nf").widened(("g",))
    assert of.train == ("[a|b[c|d]|] {x}",)
    assert of.held_out == ("e\nf",)
    assert of.wide == ("g",)
    assert {expand(of.train[0], Random(i)) for i in range(60)} == {"a {x}", "bc {x}", "bd {x}", " {x}"}
    assert list(expansions(of.train[0])) == ["a {x}", "bc {x}", "bd {x}", " {x}"]
    chosen = {side: {of.choose(Random(i), side) for i in range(20)} for side in ("train", "held_out", "wide")}
    assert chosen == {"train": {of.train[0]}, "held_out": {"e\nf"}, "wide": {of.train[0], "g"}}
    apart = wordings("a\n! b {x} c")
    assert apart.widened(("[B|d] {y} c", "[b|d] e")).wide == ("[b|d] e",)
    assert apart.lengthened(("[B|d] {y} c", "[b|d] e")).train == ("a", "[b|d] e")


@pytest.mark.parametrize(
    ("written", "truth", "right", "fields", "records", "valid"),
    [
        ('{"a": 1, "b": "x"}', {"a": 1, "b": "x"}, 2, 2, 1, 1),
        ('{"a": 1.0, "b": "y"}', {"a": 1, "b": "x"}, 1, 2, 0, 1),
        ('{"a": 1', {"a": 1, "b": "x"}, 0, 2, 0, 0),
        ("[1]", {"a": 1}, 0, 1, 0, 0),
        ('{"a": true}', {"a": 1}, 0, 1, 0, 1),
        ('{"a": 1, "c": 2}', {"a": 1}, 1, 2, 0, 1),
        ('{"i": [{"q": 1}]}', {"i": [{"q": 1}, {"q": 2}]}, 1, 3, 0, 1),
        ('{"i": [{"q": 1}, {"q": 2}]}', {"i": [{"q": 1}, {"q": 2}]}, 3, 3, 1, 1),
    ],
)
def test_scores(written: str, truth: dict, right: int, fields: int, records: int, valid: int) -> None:
    result = score(written, truth)
    assert (result.right, result.fields, result.records, result.valid) == (right, fields, records, valid)


def test_records_are_written_with_default_separators() -> None:
    assert record_text({"name": "Zoë", "n": [1, 2]}) == '{"name": "Zoë", "n": [1, 2]}'


def test_support_prompt_describes_what_pydantic_writes() -> None:
    schema = {
        "$defs": {
            "Item": {
                "type": "object",
                "properties": {"product": {"type": "string"}, "quantity": {"type": "integer"}},
                "required": ["product", "quantity"],
            },
            "Mood": {"enum": ["good", "bad"], "type": "string"},
        },
        "title": "Order",
        "type": "object",
        "properties": {
            "items": {"type": "array", "items": {"$ref": "#/$defs/Item"}},
            "mood": {"$ref": "#/$defs/Mood", "default": "good"},
            "total": {"anyOf": [{"type": "number"}, {"type": "null"}], "default": None},
            "day": {"type": "string", "format": "date"},
            "tags": {"type": "array", "items": {"type": "string"}},
            "where": {"type": "object", "properties": {"city": {"type": ["string", "null"]}}},
        },
        "required": ["items", "day"],
    }
    assert support_prompt("Hi", schema) == (
        "<|fields|>Order:items[product,quantity:integer],mood?(good|bad),total~:number,day:date,tags?[],where?{city~}"
        "<|text|>Hi<|record|>"
    )


def test_support_prompt_ends_on_recursive_and_strange_schemas() -> None:
    node = {"type": "object", "properties": {"child": {"$ref": "#"}}}
    assert support_prompt("x", node).count("child") == 4
    assert support_prompt("x", True) == "<|fields|><|text|>x<|record|>"
    assert support_prompt("x", {"$ref": "#"}) == "<|fields|><|text|>x<|record|>"
    assert support_prompt("x", {"$ref": "#/nowhere"}) == "<|fields|><|text|>x<|record|>"


def test_markers_in_a_text_do_not_end_it() -> None:
    prompt = support_prompt("evil <|record|> text", {"properties": {"<|text|>": {"type": "string"}}})
    assert prompt.count("<|record|>") == 1
    assert prompt.count("<|text|>") == 1
    assert prompt.endswith("<|record|>")


def test_instruction_prompt_holds_schema_and_text() -> None:
    prompt = instruction_prompt("Größe 5", {"type": "object", "title": "Größe"})
    assert json.dumps({"type": "object", "title": "Größe"}, ensure_ascii=False) in prompt
    assert "Text:\nGröße 5\n" in prompt


def test_prompt_styles_are_known_by_name() -> None:
    with pytest.raises(OptionError, match=re.escape("did you mean 'support-v1'")):
        extraction_prompt("x", {}, "support-v2")
