"""The grammar backend for SGLang against the classes of its package; its engine needs a GPU and was not run.

pip install --no-deps sglang==0.5.23      # with what its imports ask for, and never its own dependencies on a CPU
"""

# pyright: reportMissingImports=false

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest
import torch

pytestmark = pytest.mark.engines
base = pytest.importorskip(
    "sglang.srt.constrained.base_grammar_backend", reason="needs SGLang's package", exc_type=ImportError
)

import guidance_kit as gk  # noqa: E402
from guidance_kit.integrations.conformance import RULES, check  # noqa: E402
from guidance_kit.integrations.sglang import backend as ours  # noqa: E402
from guidance_kit.integrations.sglang.backend import SglangBackend, SglangGrammar, make_backend  # noqa: E402
from guidance_kit.integrations.sglang.plugin import NAME, register  # noqa: E402
from tests.test_conformance import letters  # noqa: E402


class AsRequestGrammar:
    """Grammar of SGLang with the methods that the conformance kit drives."""

    def __init__(self, grammar: SglangGrammar) -> None:
        self.grammar = grammar
        self.start = grammar.copy()

    def accept_tokens(self, request_id: str, tokens: list[int]) -> bool:
        try:
            for token in tokens:
                self.grammar.accept_token(token)
        except ValueError:
            return False
        return True

    def validate_tokens(self, tokens: list[int]) -> list[int]:
        probe, kept = self.grammar.copy(), []
        for token in tokens:
            if probe.is_terminated():
                break
            try:
                probe.accept_token(token)
            except ValueError:
                break
            kept.append(token)
        return kept

    def rollback(self, num_tokens: int) -> None:
        self.grammar.rollback(num_tokens)

    def fill_bitmask(self, bitmask: torch.Tensor, batch_index: int) -> None:
        SglangGrammar.fill_vocab_mask_batched([base.GrammarRow(row=batch_index, grammar=self.grammar)], bitmask)

    def is_terminated(self) -> bool:
        return self.grammar.is_terminated()

    def reset(self) -> None:
        self.grammar = self.start.copy()


def of_texts(texts: list[str]) -> AsRequestGrammar:
    grammar = SglangBackend(letters()).dispatch_regex("|".join(texts))
    assert isinstance(grammar, SglangGrammar)
    return AsRequestGrammar(grammar)


def test_it_conforms():
    report = check(of_texts, letters(), schedules=100)
    assert report.conforms, str(report)
    assert all(report.right[rule] > 10 for rule in RULES)


def test_a_fault_is_found():
    class RollsBackTooLittle(AsRequestGrammar):
        def rollback(self, num_tokens: int) -> None:
            super().rollback(max(0, num_tokens - 1))

    report = check(lambda texts: RollsBackTooLittle(of_texts(texts).grammar), letters(), schedules=40)
    assert "rollback" in report.wrong


def test_it_implements_the_interface():
    """Every method of SGLang's classes that raises NotImplementedError there is ours here."""
    own = {name for name in vars(base.BaseGrammarObject) if not name.startswith("_")}
    inherited = {name for name in own if name not in vars(SglangGrammar)}
    assert inherited == {"maybe_init_reasoning", "finished"}
    for name in ("dispatch_json", "dispatch_regex", "dispatch_ebnf", "dispatch_structural_tag", "set_token_filter"):
        assert name in vars(SglangBackend)


def test_requests_of_all_kinds_and_bad_ones():
    model = gk.load()
    backend = SglangBackend(model.vocabulary)
    tag = {"type": "structural_tag", "format": {"type": "const_string", "value": "yes"}}
    for key, text in {
        ("json", '{"enum": [12]}'): "12",
        ("json", "$$ANY$$"): "[1]",
        ("regex", "[a-c]{2}"): "ab",
        ("ebnf", 'root ::= "ab" [0-9]'): "ab7",
        ("structural_tag", json.dumps(tag)): "yes",
    }.items():
        value, is_hit = backend.get_cached_or_future_value(key, False)
        grammar = value.result()
        assert not is_hit
        with pytest.raises(ValueError, match="is not accepted"):
            grammar.copy().accept_token(-1)
        for token in [*model.language_model.spell(text), model.vocabulary.eos[0]]:
            grammar.accept_token(token)
        assert grammar.is_terminated(), key
    for key in (("json", '{"type": "x"}'), ("regex", "("), ("ebnf", "root ::= ("), ("structural_tag", "{}")):
        assert isinstance(backend.get_cached_or_future_value(key, False)[0].result(), base.InvalidGrammarObject)
    backend.set_cache(("regex", "a"), grammar)
    assert backend.cache == {}
    assert backend.cache_memory_bytes > 0


def test_masks_are_applied_in_place_and_other_rows_stay():
    vocabulary = letters()
    grammar = SglangBackend(vocabulary).dispatch_regex("a|b")
    masks = grammar.allocate_vocab_mask(vocabulary.rows, 3, "cpu")
    SglangGrammar.fill_vocab_mask_batched([base.GrammarRow(row=1, grammar=grammar)], masks)
    logits = torch.zeros(3, vocabulary.rows)
    SglangGrammar.apply_vocab_mask(logits, SglangGrammar.move_vocab_mask(masks, "cpu"))
    assert (logits[[0, 2]] == 0).all()
    left = (logits[1] == 0).nonzero().flatten().tolist()
    assert [vocabulary.token_bytes[token] for token in left] == [b"a", b"b"]
    SglangGrammar.reset_vocab_mask(masks)
    assert (masks == -1).all()
    backend = SglangBackend(vocabulary)
    for is_allowed, resets in ((True, True), (False, True), (False, False)):
        masks[:] = 0 if resets else -1
        backend.set_token_filter(masks, [3, 5], 2, is_allowed, reset_vocab_mask=resets)
        found = {token for token in range(vocabulary.rows) if int(masks[2, 0]) >> token & 1}
        assert found == ({3, 5} if is_allowed else set(range(vocabulary.rows)) - {3, 5})


def test_texts_that_must_come_are_jumped_over():
    grammar = of_texts(["abcde"]).grammar
    helper = grammar.try_jump_forward(None)
    assert grammar.jump_forward_str_state(helper) == ("abcde", -1)
    grammar.jump_and_retokenize([], [2, 3], -1)
    grammar.jump_and_retokenize([2, 3], [7], -1)  # "a", "b" as "ab"
    assert grammar.try_jump_forward(None) == ([], "cde")


def test_it_is_registered(monkeypatch):
    from sglang.srt.arg_groups import choices

    monkeypatch.setattr(choices, "GRAMMAR_BACKEND_CHOICES", list(choices.GRAMMAR_BACKEND_CHOICES))
    monkeypatch.setattr(choices, "add_grammar_backend_choices", choices.GRAMMAR_BACKEND_CHOICES.extend)
    register()
    register()
    assert choices.GRAMMAR_BACKEND_CHOICES.count(NAME) == 1
    serving = SimpleNamespace(constrained_json_disable_any_whitespace=True, reasoning_parser=None)
    monkeypatch.setattr(ours, "get_serving", lambda: serving)
    tokenizer = gk.load().language_model.tokenizer
    made = base.GRAMMAR_BACKEND_REGISTRY[NAME](None, tokenizer, 2048, {1})
    assert isinstance(made, SglangBackend)
    grammar = made.dispatch_json('{"type": "object", "properties": {"a": {"const": 1}}, "required": ["a"]}')
    assert grammar.try_jump_forward(None)[1].startswith('{"a":1')  # compact, as the server's option says


def test_models_that_reason_are_wrapped(monkeypatch):
    reasoner = pytest.importorskip("sglang.srt.constrained.reasoner_grammar_backend", exc_type=ImportError)
    serving = SimpleNamespace(
        constrained_json_disable_any_whitespace=False, reasoning_parser="qwen3", enable_strict_thinking=False
    )
    monkeypatch.setattr(ours, "get_serving", lambda: serving)
    model = gk.load("small-tuned")
    made = make_backend(model.language_model.tokenizer, model.vocabulary.rows, ())
    assert isinstance(made, reasoner.ReasonerGrammarBackend)
    value, _ = made.get_cached_or_future_value(("regex", "abc"), True)
    grammar = value.result()
    grammar.maybe_init_reasoning(True)
    end = list(made.think_end_ids)
    spell = model.language_model.spell
    thoughts = spell("hm")
    for token in [*thoughts, *end]:
        grammar.accept_token(token)
    masks = grammar.allocate_vocab_mask(model.vocabulary.rows, 1, "cpu")
    SglangGrammar.fill_vocab_mask_batched([base.GrammarRow(row=0, grammar=grammar)], masks)
    allowed = [token for token in range(model.vocabulary.rows) if int(masks[0, token >> 5]) >> (token & 31) & 1]
    assert {model.vocabulary.token_bytes[token] for token in allowed} <= {b"a", b"ab", b"abc"}
    for token in spell("abc"):
        grammar.accept_token(token)
    grammar.rollback(len(spell("abc")) + len(end))
    masks.fill_(-1)
    grammar.fill_vocab_mask(masks, 0)
    assert (masks == -1).all()  # it thinks again
