"""The conformance kit of vLLM's interface: ours conforms, and grammars with known faults are found."""

from __future__ import annotations

import pytest
from marks import slow

import guidance_kit as gk
from guidance_kit.integrations.conformance import RULES, check, engine_masks
from guidance_kit.integrations.vllm.request_grammar import MatcherGrammar, draft_rows, fill_rows


def letters() -> gk.Vocabulary:
    """Letters, pieces of two and three, a piece twice, two ends of sequence, an unused row."""
    pieces = [b"ab", b"ba", b"aa", b"abc", b"cde", b"bb", b"ab", b"ee", b"z"]
    texts = [b"", b"", *(bytes([byte]) for byte in b"abcde"), *pieces]
    return gk.Vocabulary(token_bytes=tuple(texts), special=frozenset({0, 1}), eos=(0, 1), rows=len(texts) + 1)


def ours(texts: list[str]) -> MatcherGrammar:
    return MatcherGrammar(gk.Matcher(gk.choice(texts).compile(letters())))


def batch_masks(grammar: MatcherGrammar, drafted, grammar_start, constraint_start, masks) -> None:
    """Those that the plugin writes for all requests of a step at once."""
    rows = draft_rows(grammar, drafted, grammar_start=grammar_start, constraint_start=constraint_start, has_bonus=True)
    fill_rows(rows, masks.numpy())


@pytest.mark.parametrize("draft_masks", [*slow(engine_masks), batch_masks])
def test_ours_conforms(draft_masks):
    report = check(ours, letters(), schedules=150, draft_masks=draft_masks)
    assert report.conforms, str(report)
    assert all(report.right[rule] > 20 for rule in RULES)


class ForgetsTheEnd(MatcherGrammar):
    def is_terminated(self) -> bool:
        return False


class EndsForEver(MatcherGrammar):
    has_ended = False

    def accept_tokens(self, request_id, tokens):
        accepted = super().accept_tokens(request_id, tokens)
        self.has_ended |= self.matcher.is_finished
        return accepted

    def is_terminated(self) -> bool:
        return self.has_ended


class ValidatesForReal(MatcherGrammar):
    def validate_tokens(self, tokens):
        kept = super().validate_tokens(tokens)
        self.accept_tokens("", kept)
        return kept


class ValidatesTooMuch(MatcherGrammar):
    def validate_tokens(self, tokens):
        return list(tokens)


class RollsBackTooLittle(MatcherGrammar):
    def rollback(self, num_tokens):
        super().rollback(max(0, num_tokens - 1))


class EndsEarly(MatcherGrammar):
    def fill_bitmask(self, bitmask, batch_index):
        super().fill_bitmask(bitmask, batch_index)
        bitmask[batch_index, 0] |= 1


class RefusesAfterTheEnd(MatcherGrammar):
    def accept_tokens(self, request_id, tokens):
        return not self.matcher.is_finished and super().accept_tokens(request_id, tokens)


class AcceptsAll(MatcherGrammar):
    def accept_tokens(self, request_id, tokens):
        super().accept_tokens(request_id, tokens)
        return True


class NeverResets(MatcherGrammar):
    def reset(self):
        return


@pytest.mark.parametrize(
    ("faulty", "rules"),
    [
        *slow((ForgetsTheEnd, {"end"})),
        (EndsForEver, {"rollback over the end", "end", "reset"}),
        (ValidatesForReal, {"validate only"}),
        (ValidatesTooMuch, {"validate"}),
        (RollsBackTooLittle, {"rollback", "draft tree", "rollback over the end"}),
        (EndsEarly, {"mask", "draft masks", "replay"}),
        (RefusesAfterTheEnd, {"after the end"}),
        (AcceptsAll, {"refuse", "refused draft"}),
        (NeverResets, {"reset"}),
    ],
)
def test_faults_are_found(faulty, rules):
    report = check(lambda texts: faulty(ours(texts).matcher), letters(), schedules=40)
    assert not report.conforms
    assert rules <= set(report.wrong), str(report)
    assert rules <= set(report.first)
