"""The conversations of the support world, and the scores of replies: what models are trained on and judged by."""

from __future__ import annotations

from random import Random

import pytest

from guidance_kit.evaluation.judges import ReplyScore, WordClassifier, distinct, score_reply
from guidance_kit.evaluation.sets import Answered, Message, World
from tools.support_world.conversations import (
    DETAILS,
    HELD_OUT_INTENTS,
    INTENTS,
    STYLES,
    WORDINGS,
    Conversation,
    conversation,
    conversations,
    document,
    topic,
)
from tools.support_world.splits import SPLITS
from tools.support_world.templates import replies
from tools.support_world.wording import expand, pattern

WORLD = World.bundled()

STYLE_NAMES = pytest.mark.parametrize("style", STYLES)


def scored(reply: str, one: Conversation) -> ReplyScore:
    """The score of a reply to the message of a conversation."""
    details = tuple(one.details.values())
    return score_reply(reply, Message(text=one.message, intent=one.intent, tone=one.tone, details=details), WORLD)


def test_the_same_number_gives_the_same_conversation() -> None:
    assert list(conversations("train", 5, 25)) == [conversation("train", index) for index in range(5, 25)]
    assert conversation("train", 3, seed=0) != conversation("train", 3, seed=1)
    assert conversation("train", 3) != conversation("new_entities", 3)


@pytest.mark.slow
@pytest.mark.parametrize("split", SPLITS)
@STYLE_NAMES
def test_a_reply_says_what_its_fields_claim(split: str, style: str) -> None:
    for one in conversations(split, 0, 400, style=STYLES[style]):
        assert all(words in one.message for words in one.details.values())
        assert one.intent in INTENTS
        assert WORLD.answered(one.reply) <= {one.intent}, one
        assert WORLD.is_rude(one.reply) == (one.reply_tone == "rude"), one
        assert WORLD.is_polite(one.reply) == (one.reply_tone == "polite"), one
        assert not any(mark in document(one) for mark in ("{", "}", "[", "]", "|", "  "))
        assert "\n" not in one.message + one.reply + one.thanks


def test_styles_are_what_they_promise() -> None:
    tones = {name: {one.reply_tone for one in conversations("train", 0, 300, style=of)} for name, of in STYLES.items()}
    assert tones == {
        "raw": {"polite", "neutral", "rude"}, "polite": {"polite"}, "rude": {"rude"}, "task": {"polite"},
    }  # fmt: skip
    for one in conversations("train", 0, 400, style=STYLES["task"]):
        assert scored(one.reply, one).total == 1, one
        assert one.intent not in HELD_OUT_INTENTS
    raw = [scored(one.reply, one) for one in conversations("train", 0, 1000)]
    assert 0.6 < sum(score.answer for score in raw) / len(raw) < 0.85
    assert 0.2 < sum(score.politeness for score in raw) / len(raw) < 0.45
    assert {one.intent for one in conversations("train", 0, 1000)} == set(INTENTS)


@pytest.mark.slow
def test_rude_customers_get_rude_answers_more_often() -> None:
    shares = {}
    for tone in ("polite", "neutral", "rude"):
        answers = [one.reply_tone for one in conversations("train", 0, 1500) if one.tone == tone]
        shares[tone] = answers.count("rude") / len(answers)
    assert shares["polite"] + 0.05 < shares["neutral"] < shares["rude"] - 0.1


@pytest.mark.slow
def test_held_out_details_are_never_in_training() -> None:
    seen = {
        (slot, words) for one in conversations("train", 0, 4000) for slot, words in one.details.items()
        if slot in ("name", "order_id", "product")
    }  # fmt: skip
    held_out = {
        (slot, words) for split in ("new_entities", "new_wordings") for one in conversations(split, 0, 1000)
        for slot, words in one.details.items()
    }  # fmt: skip
    assert not seen & held_out
    assert {slot for slot, _ in held_out} == {"name", *DETAILS}


def test_every_intent_is_answered_in_words_of_its_own() -> None:
    """No action of an intent is found in those of another, nor in what answers nothing."""
    assert tuple(replies.ANSWERS) == INTENTS
    assert len({topic(intent) for intent in INTENTS}) == len(INTENTS) >= 20
    random = Random(0)
    for intent, answer in replies.ANSWERS.items():
        assert {frozenset(WORLD.answered(expand(answer.action.train[0], random))) for _ in range(40)} == {
            frozenset({intent})
        }
        assert not WORLD.answered(expand(replies.EVASIONS.train[0], random))


def test_patterns_match_what_templates_become() -> None:
    import re

    random = Random(1)
    for template in ("[a|b[c|d]|] {x}.", "[Oh great, {name}|Ugh, {name}, what now].", "a+b"):
        for _ in range(40):
            text = re.sub(r"\{\w+\}", "Zoë O'Brien", expand(template, random))
            assert re.fullmatch(pattern(template), text)
    assert not re.search(pattern("a+b"), "aab")


def test_scores_of_replies() -> None:
    one = next(
        one for one in conversations("train", 0, 400, style=STYLES["task"]) if len(one.details) == 2
    )  # fmt: skip
    first, second = one.details.values()
    assert scored(one.reply, one).total == 1
    assert scored(one.reply.replace(first, "..."), one).details == 0.5
    assert scored(one.reply.replace(first, "...").replace(second, "..."), one).details == 0
    assert scored(f"{one.reply} You clown.", one).politeness == 0
    other = next(intent for intent in INTENTS if intent != one.intent)
    action = expand(replies.ANSWERS[other].action.train[0], Random(0))
    assert scored(f"{one.reply} We will {action}.", one).answer == 0
    assert scored("", one).total == 0


def test_distinct_counts_as_the_paper_does() -> None:
    assert distinct(["a b a b", "a b"], 1) == 2 / 6
    assert distinct(["a b a b", "a b"], 2) == 2 / 6  # divided by words, not by pairs
    assert distinct([], 1) == 0


@pytest.mark.slow
def test_the_judge_of_words_agrees_with_the_tones() -> None:
    """On entities and wordings that it has not seen; one in twenty may be missed."""
    judge = WordClassifier.of_rudeness(
        [
            Answered(text=one.message, intent=one.intent, reply=one.reply, tone=one.reply_tone)
            for one in conversations("train", 0, 1500, seed=99)
        ]
    )
    source = list(conversations("new_wordings", 0, 400))
    found = [score > 0.5 for score in judge.rudeness([one.reply for one in source])]
    agreed = sum(rude == (one.reply_tone == "rude") for rude, one in zip(found, source, strict=True))
    assert agreed >= 0.95 * len(source)


def test_held_out_sentences_are_not_those_of_training() -> None:
    for intent, of in WORDINGS.items():
        assert len(of.train) >= 11, intent
        assert len(of.held_out) >= 3, intent
        assert not set(of.train) & set(of.held_out), intent
