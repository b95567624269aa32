"""Filings: what the model that finds intents is trained on, and that nothing held out is among it."""

from __future__ import annotations

import re
from random import Random

import pytest

from tools.family import FAMILY
from tools.support_world.conversations import INTENTS, WORDINGS, topic
from tools.support_world.entities import ENTITIES
from tools.support_world.filings import SENTENCES, filing, filings, hurried
from tools.support_world.splits import SPLITS
from tools.support_world.templates.blind_requests import BLIND_REQUESTS
from tools.support_world.templates.more_requests import MORE_REQUESTS
from tools.support_world.wording import Draft, expand, expansions, pattern
from tools.train_family import rows_of, tokenizer_of_family
from tools.write_evaluation import sentences


def test_the_same_number_gives_the_same_filing() -> None:
    assert list(filings("train", 5, 25)) == [filing("train", index) for index in range(5, 25)]
    assert filing("train", 3, seed=0) != filing("train", 3, seed=1)
    assert filing("train", 3) != filing("new_entities", 3)


@pytest.mark.parametrize("intent", INTENTS)
def test_every_sentence_can_be_filled(intent: str) -> None:
    random = Random(intent)
    for template in MORE_REQUESTS[intent].train:
        for _ in range(5):
            filled = expand(template, random)
            assert set(re.findall(r"\{(\w+)\}", filled)) <= set(ENTITIES), template
            written = "".join(piece.text for piece in Draft(random, "train", "train").write(template))
            assert not set("{}[]|") & set(written), written
            assert re.search(r"[.,?!:]", filled), template


def test_there_are_many_sentences_of_each_intent_and_none_twice() -> None:
    assert tuple(SENTENCES) == INTENTS
    every = [template for of in SENTENCES.values() for template in (*of.train, *of.held_out)]
    assert len(every) == len(set(every))
    assert min(len(of.train) for of in MORE_REQUESTS.values()) >= 60


def test_what_is_held_out_is_what_conversations_hold_out() -> None:
    assert not any(of.held_out for of in MORE_REQUESTS.values())
    assert {intent: of.held_out for intent, of in SENTENCES.items()} == {
        intent: of.held_out for intent, of in WORDINGS.items()
    }


@pytest.mark.slow
def test_what_another_writer_wrote_is_for_measuring_alone() -> None:
    assert tuple(BLIND_REQUESTS) == INTENTS
    assert {len(of.held_out) for of in BLIND_REQUESTS.values()} == {12}
    assert not any(of.train or of.wide for of in BLIND_REQUESTS.values())
    measured = list(sentences())
    assert {one["label"] for one in measured} == {topic(intent).strip() for intent in INTENTS}
    assert len(measured) > 0.9 * 12 * len(INTENTS)
    slot = re.compile(r"\{\w+\}")
    for intent, of in BLIND_REQUESTS.items():
        texts = [one["text"] for one in measured if one["label"] == topic(intent).strip()]
        known = {slot.sub("{}", text).lower() for template in SENTENCES[intent].train for text in expansions(template)}
        for said in of.held_out:
            shown = sum(re.search(pattern(said), text) is not None for text in texts)
            assert shown == (slot.sub("{}", said).lower() not in known), said


@pytest.mark.slow
@pytest.mark.parametrize("split", SPLITS)
def test_messages_say_their_intent_in_a_sentence_of_their_side(split: str) -> None:
    said: dict[str, re.Pattern[str]] = {}
    for intent, of in SENTENCES.items():
        any_of = "|".join(map(pattern, of.held_out if split == "new_wordings" else of.train))
        said[intent] = re.compile(any_of.replace(r"\ ", " *"))  # two spaces around nothing become one
    for one in filings(split, 0, 200):
        assert said[one.intent].fullmatch(one.sentence)
        assert said[one.intent].fullmatch(one.other)
        assert one.sentence in one.message
        assert "\n" not in one.message


def test_hurried_messages_lack_words_or_are_two_sentences_in_one_and_are_never_empty() -> None:
    random, source = Random(0), list(filings("train", 0, 400))
    left = [hurried(one, random) for one in source]
    assert all(left)
    assert sum(text == text.lower() for text in left) > 20
    same = sum(text in (one.message, one.sentence) for one, text in zip(source, left, strict=True)) / len(source)
    assert 0.15 < same < 0.5
    ends = sum(text.split()[-1] == one.other.split()[-1] for one, text in zip(source, left, strict=True)) / len(source)
    assert 0.25 < ends < 0.5
    words = [set(f"{one.message} {one.other}".lower().split()) for one in source]
    known = sum(set(text.lower().split()) <= of for of, text in zip(words, left, strict=True)) / len(source)
    assert 0.9 < known < 1


def test_the_topic_is_predicted_and_some_messages_too() -> None:
    tokenizer = tokenizer_of_family()
    rows = rows_of(FAMILY["large-intents"], tokenizer)(0, 400)
    for one, (tokens, begin) in zip(filings("wide", 0, 400, seed=1), rows, strict=True):
        prompt, _, written = tokenizer.decode(tokens).rpartition("\nTopic:")
        assert prompt.startswith("Customer: ")
        assert written == one.written == f"{topic(one.intent)}\n"
        assert begin == 1 or tokenizer.decode(tokens[begin:]) == written
    assert 12 < sum(begin == 1 for _, begin in rows) < 60
