"""Requests of vLLM without vLLM: their matchers, options and failures, and the process that checks constraints."""

from __future__ import annotations

import logging
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from pydantic import ValidationError

import guidance_kit as gk
from guidance_kit.errors import GuidanceKitError, LimitError, UnspellableError, VocabularyError
from guidance_kit.fsm import bitmask
from guidance_kit.integrations.vllm import checker as checker_file
from guidance_kit.integrations.vllm import plugin, request_grammar
from guidance_kit.integrations.vllm.checker import ConstraintChecker
from guidance_kit.integrations.vllm.request_grammar import MatcherGrammar, fill_rows
from guidance_kit.integrations.vllm.request_matcher import SWITCH, BackendOptions, engine_options, request_matcher

BYTES = gk.Vocabulary.from_bytes(rows=320)
DEFAULT = BackendOptions()


def takes(matcher: gk.Matcher, text: str) -> bool:
    probe = matcher.fork()
    return all(probe.try_advance(byte) for byte in text.encode()) and probe.is_complete


@pytest.mark.parametrize(
    ("kind", "source", "good", "bad"),
    [
        ("json", '{"type": "integer", "multipleOf": 7}', ["14", "-7"], ["15", '"7"']),
        ("json_object", "", ['{"a": [1]}', "{}"], ["[]", "1"]),
        ("regex", "a+b?", ["aab", "a"], ["b", "aabb"]),
        ("choice", '["yes", "no"]', ["yes", "no"], ["y", "maybe"]),
        ("grammar", 'root ::= "a"+ "b"', ["aab"], ["b"]),
        ("grammar", 'start: "x" /[0-9]+/', ["x12"], ["12"]),
        ("grammar", 'start: x{2}\nx[capture]: /[a-z]/ | %json {"const": 7}', ["a7", "bc"], ["a", "8a"]),
        (
            "grammar",
            '{"grammars": [{"lark_grammar": "start: \\"a\\" @b"}, {"name": "b", "lark_grammar": "start: /[0-9]/"}]}',
            ["a1"],
            ["a"],
        ),
        ("grammar", 'root ::= Regex("[0-9]{2}") tail\ntail[lazy] ::= "a" [ab]*', ["12a"], ["1a", "12ab"]),
        (
            "structural_tag",
            '{"type": "structural_tag", "format": {"type": "const_string", "value": "hello"}}',
            ["hello"],
            ["hell"],
        ),
    ],
)
def test_each_kind_of_request(kind, source, good, bad):
    matcher = request_matcher(kind, source, DEFAULT, BYTES)
    assert [takes(matcher, text) for text in good] == [True] * len(good)
    assert [takes(matcher, text) for text in bad] == [False] * len(bad)


def test_texts_of_one_constraint_share_it():
    first, second = (request_matcher("regex", "ab*", DEFAULT, BYTES, eos=ends) for ends in ([256], [300, 301]))
    assert first.index is second.index
    assert second.eos == (300, 301)


def test_an_end_of_sequence_of_text_spells_it_no_more():
    vocabulary = gk.Vocabulary(token_bytes=(b"a", b"b", b"b", b""), special=frozenset({3}), eos=(3,), rows=4)
    matcher = request_matcher("regex", "(ab)+", DEFAULT, vocabulary, eos=[1, 3])
    matcher.advance(0)
    assert matcher.allowed_tokens().tolist() == [2]  # 1 would end the text
    matcher.advance(2)
    assert matcher.allowed_tokens().tolist() == [0, 1, 3]
    with pytest.raises(UnspellableError):
        request_matcher("regex", "a", DEFAULT, vocabulary, eos=[0])
    with pytest.raises(VocabularyError, match="outside"):
        vocabulary.with_eos([9])


def test_settings_of_an_engine(monkeypatch):
    flexible, compact = (SimpleNamespace(disable_any_whitespace=flag) for flag in (False, True))
    monkeypatch.setenv(SWITCH, "1")
    assert engine_options(flexible) == BackendOptions()
    assert engine_options(compact).whitespace == "compact"
    monkeypatch.setenv(SWITCH, '{"order": "any", "escapes": "all"}')
    assert engine_options(flexible) == BackendOptions(order="any", escapes="all")
    matcher = request_matcher(
        "json", '{"properties": {"a": {}, "b": {}}, "required": ["a", "b"]}', engine_options(flexible), BYTES
    )
    assert takes(matcher, '{"b": 1, "a": 2}')
    for value in ('{"odrer": "any"}', '{"order": "all"}', "yes"):
        monkeypatch.setenv(SWITCH, value)
        with pytest.raises(ValidationError):
            engine_options(flexible)


def test_without_the_variable_the_plugin_imports_nothing(monkeypatch):
    for value in (None, "", "0"):
        monkeypatch.delenv(SWITCH, raising=False)
        if value is not None:
            monkeypatch.setenv(SWITCH, value)
        assert plugin.register() is None  # vLLM is not installed here
    assert plugin.SWITCH == SWITCH


def failing(matcher: gk.Matcher, monkeypatch, name: str, error: Exception) -> MatcherGrammar:
    """A request whose matcher raises in a method."""

    class Failing(gk.Matcher):
        pass

    def fail(*arguments, **options):
        raise error

    monkeypatch.setattr(Failing, name, fail, raising=False)
    broken = Failing(matcher.index)
    return MatcherGrammar(broken)


@pytest.mark.parametrize("error", [LimitError("max_states", 5), ValueError("a fault of ours"), RecursionError()])
@pytest.mark.parametrize("name", ["try_advance", "fork", "rollback", "allowed"])
def test_a_request_fails_alone(name, error, monkeypatch, caplog):
    """Whatever a method of its matcher raises, the engine goes on, and the request ends with an error."""
    good = MatcherGrammar(request_matcher("regex", "[ab]{3}", DEFAULT, BYTES))
    bad = failing(request_matcher("regex", "[ab]{4}", DEFAULT, BYTES), monkeypatch, name, error)
    masks = torch.zeros((3, bitmask.words(BYTES.rows)), dtype=torch.int32)
    if name == "allowed":
        monkeypatch.setattr(request_grammar, "fill_masks", lambda *a, **k: (_ for _ in ()).throw(error))
    with caplog.at_level(logging.ERROR):
        bad.validate_tokens([97])
        bad.accept_tokens("bad", [97])
        bad.rollback(0)
        bad.reset()
        fill_rows([(good, good.matcher), None, (bad, bad.matcher)], masks.numpy())
    assert caplog.messages == [f"a request fails: {error}"]
    assert bitmask.tokens_of(masks[0].numpy()).tolist() == [97, 98]
    assert (masks[1] == -1).all()
    assert bitmask.tokens_of(masks[2].numpy()).tolist() == [256]  # an end, which is then not accepted
    assert not bad.is_terminated()
    assert not bad.accept_tokens("bad", [256])
    assert bad.validate_tokens([97]) == []
    assert good.accept_tokens("good", [97, 98, 97, 256])
    assert good.is_terminated()


def test_a_limit_in_a_batch_fails_one_request():
    vocabulary = gk.Vocabulary(
        token_bytes=(b"a", b"b", b"c", b"ba", b"baa", b""), special=frozenset({5}), eos=(5,), rows=6
    )
    limits = gk.Limits(max_configurations=2)
    bad = gk.Matcher(gk.regex("(?:a|b){3,300}c").compile(vocabulary, limits=limits))
    good = request_matcher("regex", "[ab]{3}", DEFAULT, vocabulary)
    grammars = [MatcherGrammar(matcher) for matcher in (bad, good)]
    masks = np.empty((2, bitmask.words(vocabulary.rows)), dtype=np.int32)
    fill_rows([(grammar, grammar.matcher) for grammar in grammars], masks)
    assert isinstance(grammars[0].error, LimitError)
    assert grammars[1].error is None
    assert [bitmask.tokens_of(mask).tolist() for mask in masks] == [[5], [0, 1, 3, 4]]


def test_forced_text():
    grammar = MatcherGrammar(request_matcher("choice", '["yes, é!", "yes, è!"]', DEFAULT, BYTES))
    assert grammar.jump_forward_string() == "yes, "


REFUSED = [
    ("json", '{"type": "strin"}', "(at /type)"),
    (
        "json",
        '{"type": "array", "items": {"type": "string", "minLength": 3, "maxLength": 2}, "minItems": 1}',
        "(at /items)",
    ),
    ("json", '{"$ref": "https://example.com/x"}', "(at /$ref)"),
    ("json", "{", "not JSON"),
    ("regex", "((", "position 1"),
    ("grammar", "start: x", "line 1, column 8"),
    ("grammar", 'root ::= "a" /* b */', "say dialect="),
    ("grammar", 'start: "x" y\ny[max_tokens=3]: /[0-9]+/', "regions"),
    ("choice", "[]", "nothing to choose"),
    ("choice", '"a"', "not a list"),
    ("choice", "[1]", "must be a str"),
    ("choice", "[", "not a list in JSON"),
    ("structural_tag", '{"format": {"type": "nope"}}', "/format"),
    ("structural_tag", '{"format": {"type": "any_text", "max_tokens": 3}}', "regions"),
    ("structural_tag", '{"format": {"type": "token", "token": "<nope>"}}', "no special token '<nope>'"),
    ("json", "[" * 100_000, "max_schema_depth"),
]


@pytest.mark.parametrize(("kind", "source", "reason"), REFUSED)
def test_reasons_of_refusals(kind, source, reason):
    with pytest.raises(GuidanceKitError) as caught:
        request_matcher(kind, source, DEFAULT, BYTES)
    assert reason in str(caught.value)


@pytest.mark.slow
def test_constraints_are_checked_in_another_process():
    checker = ConstraintChecker(BYTES)
    try:
        for kind, source, reason in REFUSED:
            assert reason in (checker.refusal(kind, source, DEFAULT) or "")
        assert checker.refusal("regex", "a+", DEFAULT) is None
        process = checker._process
        assert process is not None
        assert checker.refusal("regex", "a+", DEFAULT) is None
        process.kill()
        process.wait()
        assert checker.refusal("regex", "b+", DEFAULT) is None  # by a new process
        assert checker._process is not process
    finally:
        checker.close()
    assert checker._process is None


@pytest.mark.parametrize(
    ("code", "reason"),
    [("import os; os._exit(1)", "ended while it read this one"), ("import time; time.sleep(60)", "within 0 seconds")],
)
def test_a_check_that_ends_or_hangs_refuses(code, reason, monkeypatch):
    popen = checker_file.subprocess.Popen

    def other(command, **options):
        return popen([*command[:2], code], **options)

    monkeypatch.setattr(checker_file.subprocess, "Popen", other)
    monkeypatch.setattr(checker_file, "_PATIENCE", 0.2)
    checker = ConstraintChecker(BYTES)
    assert reason in (checker.refusal("regex", "a+", DEFAULT) or "")
    assert checker._process is None
