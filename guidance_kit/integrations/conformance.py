"""Conformance of grammars behind vLLM's interface, by drawn schedules of a serving engine.

A schedule is what an engine does with one request: it samples tokens, drafts lines and trees of them, verifies them,
keeps some and rolls back the others; the model reasons before the grammar begins, and a draft may cross that place, or
the end of the sequence; the request is preempted and comes back. Each answer of the grammar is compared with a twin
that tests, for every token, whether one of the few texts of the grammar begins with it.

    from guidance_kit.integrations.conformance import check

    report = check(lambda texts: backend.compile_grammar(CHOICE, json.dumps(texts), {eos}), vocabulary)
    print(report)
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import torch

from guidance_kit.vocabulary import Vocabulary

__all__ = ["RULES", "ConformanceReport", "DraftMasks", "RequestGrammar", "check", "engine_masks"]

RULES = {
    "mask": "the mask is that of the texts",
    "accept": "an allowed token is accepted",
    "refuse": "a forbidden token is not accepted",
    "validate": "validation returns the longest allowed beginning of a draft, up to the end of the sequence",
    "validate only": "validation changes nothing",
    "draft masks": "the masks before and after each drafted token are those of the texts",
    "draft tree": "so are those along the branches of a tree, from which it comes back",
    "rollback": "rolling back a draft restores the mask",
    "rollback over the end": "also where the draft has the end of the sequence",
    "reasoning": "of a draft in which the reasoning ends, the grammar reads and masks what comes after it",
    "refused draft": "a forbidden token in a draft repeats the mask that forbids it, and leaves no trace",
    "end": "it is terminated after the end of the sequence, and not before",
    "after the end": "tokens after the end of the sequence are taken",
    "replay": "a new grammar that accepts all tokens at once, as after a preemption, has the same mask",
    "reset": "it begins anew",
}
"""Rules, by name."""

_MAX_DRAFT = 6
_STEPS = 12


class RequestGrammar(Protocol):
    """vLLM's `StructuredOutputGrammar`, in so far as it is driven here."""

    def accept_tokens(self, request_id: str, tokens: list[int], /) -> bool: ...
    def validate_tokens(self, tokens: list[int], /) -> list[int]: ...
    def rollback(self, num_tokens: int, /) -> None: ...
    def fill_bitmask(self, bitmask: torch.Tensor, batch_index: int, /) -> None: ...
    def is_terminated(self) -> bool: ...
    def reset(self) -> None: ...


@dataclass
class ConformanceReport:
    """Counts of answers.

    Attributes:
        right, wrong: by rule.
        first: the first wrong answer of each rule, in words.
    """

    right: Counter[str] = field(default_factory=Counter[str])
    wrong: Counter[str] = field(default_factory=Counter[str])
    first: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def conforms(self) -> bool:
        """True if every rule was tested, and no answer was wrong."""
        return not self.wrong and set(self.right) == set(RULES)

    def __str__(self) -> str:
        lines = [f"{rule:<22} {self.right[rule]:>7,} right {self.wrong[rule]:>7,} wrong" for rule in RULES]
        return "\n".join([*lines, *(f"{rule}: {text}" for rule, text in self.first.items())])


DraftMasks = Callable[[RequestGrammar, list[int], int, int, torch.Tensor], None]
"""Function that writes the masks before each of some drafted tokens, and after them.

Its arguments are the grammar, the tokens, the numbers of the first token that the grammar reads and of the first mask,
and int32 (tokens + 1, words) to write to.
"""


def engine_masks(
    grammar: RequestGrammar, drafted: list[int], grammar_start: int, constraint_start: int, masks: torch.Tensor
) -> None:
    """Write masks of a draft as vLLM's `StructuredOutputManager.grammar_bitmask` does, from the grammar's methods."""
    accepted, refused, is_padding = 0, None, False
    for number in range(len(drafted) + 1):
        if refused is not None:
            masks[number] = masks[refused]
            continue
        masks[number] = -1
        if number >= constraint_start and not is_padding and not grammar.is_terminated():
            grammar.fill_bitmask(masks, number)
        if number == len(drafted) or is_padding:
            continue
        if drafted[number] == -1:
            is_padding = True
        elif number >= grammar_start:
            if grammar.is_terminated() or not grammar.accept_tokens("request", [drafted[number]]):
                refused = number
            else:
                accepted += 1
    if accepted:
        grammar.rollback(accepted)


class _Twin:
    """The texts of a grammar, and what was said of one of them."""

    def __init__(self, texts: Sequence[bytes], vocabulary: Vocabulary) -> None:
        self.texts = texts
        self.vocabulary = vocabulary
        self.said = b""
        self.has_ended = False

    def fork(self) -> _Twin:
        twin = _Twin(self.texts, self.vocabulary)
        twin.said, twin.has_ended = self.said, self.has_ended
        return twin

    def allows(self, token: int) -> bool:
        if self.has_ended:
            return False
        if token in self.vocabulary.eos:
            return self.said in self.texts
        piece = self.vocabulary.token_bytes[token] if token < len(self.vocabulary) else b""
        return bool(piece) and any(text.startswith(self.said + piece) for text in self.texts)

    def take(self, token: int) -> None:
        if token in self.vocabulary.eos:
            self.has_ended = True
        else:
            self.said += self.vocabulary.token_bytes[token]

    def allowed(self) -> list[int]:
        return [token for token in range(self.vocabulary.rows) if self.allows(token)]


class _Schedule:
    """One request and its twin, driven by random events."""

    def __init__(
        self,
        make: Callable[[list[str]], RequestGrammar],
        vocabulary: Vocabulary,
        rng: random.Random,
        report: ConformanceReport,
        name: str,
        draft_masks: DraftMasks,
    ) -> None:
        self._rng = rng
        self._report = report
        self._name = name
        self._vocabulary = vocabulary
        letters = "ab" if rng.random() < 0.5 else "abcde"
        texts = {"".join(rng.choices(letters, k=rng.randint(1, 9))) for _ in range(rng.randint(1, 8))}
        self._texts = sorted(texts)
        self._make = make
        self._draft_masks = draft_masks
        self._grammar = make(self._texts)
        self._twin = _Twin([text.encode() for text in self._texts], vocabulary)
        self._taken: list[int] = []

    def run(self) -> None:
        self._reason()
        events = [self._sample, self._sample, self._speculate, self._speculate, self._grow_tree, self._replay]
        for _ in range(_STEPS):
            if self._twin.has_ended:
                break
            self._rng.choice(events)()
        self._finish()

    def _judge(self, rule: str, is_right: bool, what: Callable[[], str]) -> None:
        if is_right:
            self._report.right[rule] += 1
            return
        self._report.wrong[rule] += 1
        told = f"schedule {self._name}, texts {self._texts}, after {self._twin.said!r}: {what()}"
        self._report.first.setdefault(rule, told)

    def _mask(self, rule: str, twin: _Twin, grammar: RequestGrammar) -> None:
        bits = torch.full((3, (self._vocabulary.rows + 31) // 32), -1, dtype=torch.int32)
        grammar.fill_bitmask(bits, 1)
        words = bits[1].tolist()
        found = [token for token in range(self._vocabulary.rows) if words[token >> 5] >> (token & 31) & 1]
        expected = twin.allowed()
        self._judge(rule, found == expected, lambda: f"allowed {found}, expected {expected}")

    def _draft(self, twin: _Twin) -> list[int]:
        """Tokens, most of which the texts allow."""
        probe, tokens = twin.fork(), list[int]()
        for _ in range(self._rng.randint(1, _MAX_DRAFT)):
            allowed = probe.allowed()
            if not allowed or self._rng.random() < 0.15:
                tokens.append(self._rng.randrange(self._vocabulary.rows))
            else:
                tokens.append(self._rng.choice(allowed))
            if probe.allows(tokens[-1]):
                probe.take(tokens[-1])
        return tokens

    def _valid(self, twin: _Twin, tokens: Sequence[int]) -> list[int]:
        probe, found = twin.fork(), list[int]()
        for token in tokens:
            if not probe.allows(token):
                break
            probe.take(token)
            found.append(token)
        return found

    def _walk(self, rule: str, tokens: Sequence[int]) -> _Twin:
        """Accept drafted tokens one by one, as a verification does, with the mask before each and after all."""
        probe = self._twin.fork()
        for token in tokens:
            self._mask(rule, probe, self._grammar)
            is_accepted = self._grammar.accept_tokens("request", [token])
            self._judge("accept", is_accepted, lambda token=token: f"drafted token {token} was refused")
            probe.take(token)
        if not probe.has_ended:
            self._mask(rule, probe, self._grammar)
        self._judge("end", self._grammar.is_terminated() == probe.has_ended, lambda: "after a draft")
        return probe

    def _go_back(self, count: int, probe: _Twin) -> None:
        self._grammar.rollback(count)
        rule = "rollback over the end" if probe.has_ended else "rollback"
        is_open = self._grammar.is_terminated() == self._twin.has_ended
        self._judge(rule, is_open, lambda: "it is terminated")
        self._mask(rule, self._twin, self._grammar)

    def _keep(self, tokens: list[int]) -> None:
        is_accepted = self._grammar.accept_tokens("request", tokens)
        self._judge("accept", is_accepted, lambda: f"{tokens} were refused")
        for token in tokens:
            self._twin.take(token)
        self._taken += tokens
        self._judge("end", self._grammar.is_terminated() == self._twin.has_ended, lambda: f"after {tokens}")

    def _reason(self) -> None:
        """Let a draft begin in the reasoning, which the grammar does not read, and end behind it, or in padding.

        An engine validates drafts, but not always: one may hold a forbidden token.
        """
        start, drafted = self._rng.randint(0, 3), self._draft(self._twin)
        kept = self._valid(self._twin, drafted)
        for rule, tokens in [("reasoning", kept), *([("refused draft", drafted)] if kept != drafted else [])]:
            before = [self._rng.randrange(self._vocabulary.rows) for _ in range(start)]
            after = [-1] * self._rng.choice([0, 0, 1, 2])
            self._read_late(rule, [*before, *tokens, *after], start)

    def _read_late(self, rule: str, drafted: list[int], start: int) -> None:
        """Compare the masks of a draft that a new grammar reads from a place on."""
        grammar = self._make(self._texts)
        free = start + 1 if self._rng.random() < 0.3 else start  # the token that ends the reasoning may be content
        masks = torch.zeros((len(drafted) + 1, (self._vocabulary.rows + 31) // 32), dtype=torch.int32)
        self._draft_masks(grammar, list(drafted), start, free, masks)
        expected, rows = self._expected(drafted, start, free), range(self._vocabulary.rows)
        for number, row in enumerate(masks.tolist()):
            found = {token for token in rows if row[token >> 5] >> (token & 31) & 1}
            told = f"of {drafted}, read from {start}, masked from {free}, mask {number} "
            unlike = sorted(found ^ expected[number])
            self._judge(rule, not unlike, lambda told=told, unlike=unlike: f"{told}is wrong about {unlike[:20]}")
        self._mask(rule, self._twin, grammar)

    def _expected(self, drafted: Sequence[int], start: int, free: int) -> list[set[int]]:
        """Allowed tokens before each drafted one and after them."""
        probe, everything, found = self._twin.fork(), set(range(self._vocabulary.rows)), list[set[int]]()
        is_refused = is_padding = False
        for number, token in enumerate([*drafted, -1]):
            if is_refused:
                found.append(found[-1])
                continue
            is_masked = number >= free and not is_padding and not probe.has_ended
            found.append(set(probe.allowed()) if is_masked else everything)
            is_padding |= token == -1
            if is_padding or number < start:
                continue
            is_refused = not probe.allows(token)
            if not is_refused:
                probe.take(token)
        return found

    def _validated(self, rule: str, drafted: list[int]) -> list[int]:
        found, expected = self._grammar.validate_tokens(list(drafted)), self._valid(self._twin, drafted)
        self._judge(rule, list(found) == expected, lambda: f"of {drafted} it keeps {found}, expected {expected}")
        self._mask("validate only", self._twin, self._grammar)
        return expected

    def _sample(self) -> None:
        self._mask("mask", self._twin, self._grammar)
        self._keep([self._rng.choice(self._twin.allowed())])

    def _speculate(self) -> None:
        kept = self._validated("validate", self._draft(self._twin))
        if kept:
            self._go_back(len(kept), self._walk("draft masks", kept))
        count = self._rng.randint(0, len(kept))
        tokens, probe = kept[:count], self._twin.fork()
        for token in tokens:
            probe.take(token)
        if not probe.has_ended:
            tokens.append(self._rng.choice(probe.allowed()))  # sampled in place of the draft, or behind it
        self._keep(tokens)

    def _grow_tree(self) -> None:
        """Visit a tree of drafts depth first: two branches, which begin alike."""
        trunk = self._valid(self._twin, self._draft(self._twin))[:2]
        if not trunk or self._is_over(trunk):
            return
        probe = self._walk("draft tree", trunk)
        for _ in range(2):
            branch = self._valid(probe, self._draft(probe))
            for token in branch:
                accepted = self._grammar.accept_tokens("request", [token])
                self._judge("accept", accepted, lambda token=token: f"token {token} of a branch was refused")
            if branch:
                self._grammar.rollback(len(branch))
            self._mask("draft tree", probe, self._grammar)
        self._go_back(len(trunk), probe)

    def _is_over(self, tokens: Sequence[int]) -> bool:
        return tokens[-1] in self._vocabulary.eos

    def _replay(self) -> None:
        fresh = self._make(self._texts)
        if self._taken:
            is_accepted = fresh.accept_tokens("request", list(self._taken))
            self._judge("replay", is_accepted, lambda: f"{self._taken} were refused")
        self._mask("replay", self._twin, fresh)

    def _finish(self) -> None:
        if self._twin.has_ended:
            more = self._grammar.accept_tokens("request", [self._rng.randrange(self._vocabulary.rows)])
            self._judge("after the end", more, lambda: "refused")
        self._grammar.reset()
        start = _Twin(self._twin.texts, self._vocabulary)
        self._twin = start
        self._judge("reset", not self._grammar.is_terminated(), lambda: "it is terminated")
        self._mask("reset", start, self._grammar)
        forbidden = [token for token in range(self._vocabulary.rows) if not start.allows(token)]
        wrong = self._rng.choice(forbidden)
        is_refused = not self._make(self._texts).accept_tokens("request", [wrong])
        self._judge("refuse", is_refused, lambda: f"token {wrong} was accepted")


def check(
    make: Callable[[list[str]], RequestGrammar],
    vocabulary: Vocabulary,
    *,
    schedules: int = 300,
    seed: int = 0,
    draft_masks: DraftMasks = engine_masks,
) -> ConformanceReport:
    """Drive grammars through random schedules.

    Args:
        make: a new grammar of given texts, at its start, that ends with the ends of sequence of the vocabulary.
        vocabulary: small, as every token is tested by the twin at each step.
        schedules: number of requests.
        seed: of the schedules.
        draft_masks: writes the masks of drafts; by default with the methods of the grammar, as vLLM does.
    """
    report = ConformanceReport()
    for number in range(schedules):
        rng = random.Random(f"{seed}/{number}")
        _Schedule(make, vocabulary, rng, report, f"{seed}/{number}", draft_masks).run()
    return report
