"""The matcher: where one text stands in a constraint. The only mutable thing in this package's interface."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from guidance_kit.errors import BudgetError, MatchError, UnsupportedFeature
from guidance_kit.fsm import bitmask, kernels
from guidance_kit.fsm.kernels import DEAD, FINISHED
from guidance_kit.fsm.network import MARK
from guidance_kit.fsm.token_index import TokenIndex

__all__ = ["Matcher", "fill_masks"]


class _Place(NamedTuple):
    """Where a text stands: a history that forks share.

    Attributes:
        config: the configuration.
        before: the place one step ago.
        steps: number of steps up to here.
        left: number of tokens that may still be taken, None for any number.
        is_after_token: whether the last step was a token, not a text.
        said: what the last step read, if the constraint recalls texts.
    """

    config: int
    before: _Place | None
    steps: int
    left: int | None
    is_after_token: bool
    said: bytes = b""


class Matcher:
    """Follow one text token by token: what is allowed next, one step on, some steps back.

    Args:
        index: the constraint over a vocabulary; shared by any number of matchers.
    """

    __slots__ = ("_place", "index")

    def __init__(self, index: TokenIndex) -> None:
        self.index = index
        self._place = _Place(index.automaton.start, None, 0, None, False)

    @property
    def is_complete(self) -> bool:
        """Whether the text so far satisfies the constraint (it may still go on)."""
        config = self._place.config
        return config == FINISHED or self.index.automaton.is_complete(config)

    @property
    def is_finished(self) -> bool:
        """Whether an end-of-sequence token was taken: nothing can follow."""
        return self._place.config == FINISHED

    @property
    def is_over(self) -> bool:
        """Whether the text is complete, and nothing can follow but the end of the sequence, or not even that."""
        config, left = self._place.config, self._place.left
        if not self.is_complete:
            return False
        if config == FINISHED or left == 0:
            return True
        if left is None:  # all texts of an index can be spelled, so where a byte can follow, a token can
            return not self.index.automaton.live_bytes(config).any()
        allowed = self.allowed()
        return int(bitmask.count(allowed)) <= len(self.index.vocabulary.eos) and all(
            self._after(token) == FINISHED for token in bitmask.tokens_of(allowed).tolist()
        )

    @property
    def tokens_left(self) -> int | None:
        """Number of tokens that may still be taken, see `within`; None for any number."""
        return self._place.left

    @property
    def situation(self) -> tuple[int, int, int]:
        """What the next mask depends on, as numbers that mean the same as long as the process runs.

        They are the constraint, the configuration in it, and the tokens that are left, 0 if these make no difference;
        or a negative number that stands for the text, if it depends on that.
        """
        config, left = self._place.config, self._place.left
        number = self.index.number
        if config != FINISHED and left is None and self._recalls:
            return number, config, -self.index.number_of(self._text) if self.index.recalls(config) else 0
        if left is None or config == FINISHED:
            return number, config, 0
        if left == 0:
            return number, FINISHED, 0
        return number, config, left if self.index.restricts(config, left) else 0

    def mask_key(self) -> tuple[int, int, int] | None:
        """The situation that stands for all those with the mask of this one; None if nothing is allowed any more."""
        number, config, left = self.situation
        if config == FINISHED:
            return None
        return (number, config, left) if left else (number, self.index.automaton.canonical(config), 0)

    def __len__(self) -> int:
        """Number of steps that `rollback` can take back."""
        return self._place.steps

    def min_tokens_to_complete(self) -> int | None:
        """The number of tokens that complete the text, without an end-of-sequence token; 0 if it is complete.

        It is the fewest tokens into which the shortest completions, in bytes, can be cut: a longer one may have fewer.

        Returns:
            None if the vocabulary has no tokens for that, which is never so with byte-level or byte-fallback ones.
        Raises:
            UnsupportedFeature: if the constraint recalls texts.
        """
        self._check_budget()
        config = self._place.config
        return 0 if config == FINISHED else self.index.min_tokens_to_complete(config)

    def within(self, tokens: int | None) -> Matcher:
        """A matcher at the same place that completes its text within a number of tokens.

        Tokens after which the text could not be completed are forbidden there; see `min_tokens_to_complete`. At the end
        the text is complete, and no token is allowed any more, not even the end of the sequence.

        Args:
            tokens: the most that may still be taken; None for any number.
        Raises:
            BudgetError: if they do not suffice.
            UnsupportedFeature: if the constraint recalls texts.
        """
        if tokens is not None:
            self._check_budget()
            needed = self.min_tokens_to_complete()
            if needed is None or needed > tokens:
                raise BudgetError(tokens=tokens, needed=needed)
        twin = self.fork()
        twin._place = self._place._replace(left=tokens)
        return twin

    @property
    def is_restricted(self) -> bool:
        """Whether a token that the constraint allows is forbidden to complete the text in time, or was on the way."""
        place, following = self._place, None
        while place is not None:
            is_choice = (following is None or following.is_after_token) and place.config != FINISHED
            if is_choice and place.left is not None and self.index.restricts(place.config, place.left):
                return True
            place, following = place.before, place
        return False

    def allowed(self, out: np.ndarray | None = None) -> np.ndarray:
        """Tokens that can come next.

        An end-of-sequence token is allowed exactly where the text is complete, or where the constraint names it. The
        mask is never empty before the text is finished, or there are no tokens left.

        Args:
            out: int32, (words,), contiguous, to write to; None: a new array.
        Returns:
            `out`: bit i % 32 of word i // 32 for row i.
        """
        if out is None:
            out = np.empty(self.index.words, dtype=np.int32)
        index, place = self.index, self._place
        config, left = place.config, place.left
        if config == FINISHED or left == 0:
            out[:] = 0
        else:
            index.fill_mask(config, out)
            if index.has_recalls:
                index.add_recalling(config, self._text, out)
            if left is not None:
                index.restrict(config, left, out)
        return out

    def allowed_tokens(self) -> np.ndarray:
        """Numbers of the tokens that can come next: int64, ascending."""
        return bitmask.tokens_of(self.allowed())

    def can_advance(self, token: int) -> bool:
        """Whether `token` can come next, without computing the mask."""
        return self._after(token) is not None

    def advance(self, token: int) -> None:
        """Take `token`; an end-of-sequence token ends the text, unless the constraint names it here.

        Raises:
            MatchError: if it is not allowed here; the matcher is unchanged.
        """
        config = self._after(token)
        if config is None:
            raise MatchError(self._refusal(token))
        self._take(token, config)

    def advance_bytes(self, text: bytes) -> None:
        """Take a text that is not made of tokens, as one step.

        Raises:
            MatchError: at the first byte that is not allowed, which every byte of a special token is; the matcher is
                unchanged.
        """
        config = self._place.config
        if not text:
            self._step(config, is_token=False)
            return
        before = self._text if self._recalls else b""
        is_text = config != FINISHED and MARK not in text
        path = self.index.automaton.advance(config, text, before) if is_text else np.empty(0, np.int32)
        if len(path) < len(text):
            raise MatchError(
                f"{text!r} is not allowed here: byte {len(path)} ({text[len(path) :][:1]!r}) cannot follow"
            )
        config, left = int(path[-1]), self._place.left
        if left is not None and not self.index.suffices(config, left):
            raise MatchError(f"{text!r} is not allowed here: the {left} tokens that are left would not complete it")
        self._step(config, is_token=False, said=text if self._recalls else b"")

    def rollback(self, steps: int = 1) -> None:
        """Take back the last `steps` calls of `advance` or `advance_bytes`.

        Raises:
            ValueError: if there were fewer.
        """
        if not 0 <= steps <= self._place.steps:
            raise ValueError(f"cannot take back {steps} steps of {self._place.steps}")
        place = self._place
        for _ in range(steps):
            assert place.before is not None
            place = place.before
        self._place = place

    def fork(self) -> Matcher:
        """An independent matcher at the same place; costs the same wherever that is."""
        twin = object.__new__(Matcher)
        twin.index = self.index
        twin._place = self._place
        return twin

    def follow(self, tokens: Sequence[int], parents: Sequence[int] | None = None) -> list[Matcher | None]:
        """Where drafted tokens lead; this matcher stays where it is.

        Args:
            tokens: a draft: a line of tokens, or a tree of them.
            parents: for each token the place in `tokens` of the one before it, -1 for none; a token comes after its
                parent. None: each follows the one before it.
        Returns:
            For each token a matcher after it; None if it is not allowed there, or one before it is not.
        Raises:
            ValueError: if a parent is not in front of its token.
        """
        found: list[Matcher | None] = []
        for number, token in enumerate(tokens):
            parent = number - 1 if parents is None else parents[number]
            if not -1 <= parent < number:
                raise ValueError(f"the parent of token {number} is {parent}, which is not before it")
            before = self if parent < 0 else found[parent]
            config = None if before is None else before._after(token)
            if before is None or config is None:
                found.append(None)
            else:
                after = before.fork()
                after._take(token, config)
                found.append(after)
        return found

    def forced_text(self) -> bytes:
        """The bytes that must come next whatever the model says, up to a choice, a possible end or a special token."""
        automaton = self.index.automaton
        config = self._place.config
        before = self._text if self._recalls else b""
        text = bytearray()
        while config != FINISHED and not automaton.is_complete(config) and len(text) < 65536:
            live = np.flatnonzero(automaton.live_bytes(config))
            if len(live) != 1 or live[0] == MARK:
                break
            text.append(int(live[0]))
            config = int(automaton.advance(config, bytes(text[-1:]), before + text[:-1])[0])
        return bytes(text)

    def forced_tokens(self, limit: int = 256) -> list[int]:
        """The tokens that must come next because each is the only one allowed; at most `limit`.

        Fewer than `forced_text` spells, since most texts can be cut into tokens in several ways.
        """
        probe = self.fork()
        tokens: list[int] = []
        while len(tokens) < limit and not probe.is_finished:
            allowed = probe.allowed()
            if int(bitmask.count(allowed)) != 1:
                break
            tokens.append(int(bitmask.tokens_of(allowed)[0]))
            probe.advance(tokens[-1])
        return tokens

    def advance_all(self, tokens: Iterable[int]) -> None:
        """Take several tokens, all or none.

        Raises:
            MatchError: at the first that is not allowed; the matcher is unchanged.
        """
        place = self._place
        try:
            for token in tokens:
                self.advance(token)
        except MatchError:
            self._place = place
            raise

    @property
    def _recalls(self) -> bool:
        return self.index.has_recalls

    @property
    def _text(self) -> bytes:
        """The text so far, if the constraint recalls texts."""
        said: list[bytes] = []
        place = self._place
        while place is not None:
            said.append(place.said)
            place = place.before
        return b"".join(reversed(said))

    def _check_budget(self) -> None:
        if self._recalls:
            raise UnsupportedFeature("a budget of tokens", where="uniqueItems where items have many values")

    def _take(self, token: int, config: int) -> None:
        """Go on with a token that leads to a configuration."""
        self._step(config, said=self.index.trie.spelt(token) if self._recalls and config != FINISHED else b"")

    def _step(self, config: int, *, is_token: bool = True, said: bytes = b"") -> None:
        """Go on to a configuration."""
        before = self._place
        left = None if before.left is None else before.left - is_token
        self._place = _Place(config, before, before.steps + 1, left, is_token, said)

    def _after(self, token: int) -> int | None:
        """Configuration after `token`, FINISHED after an end, None if it is not allowed."""
        config, left = self._place.config, self._place.left
        vocabulary = self.index.vocabulary
        if config == FINISHED or left == 0:
            return None
        is_known = 0 <= token < len(vocabulary.token_bytes)
        after = self.index.advance(config, int(token), self._text if self._recalls else b"") if is_known else DEAD
        if not after and token in vocabulary.eos and self.index.automaton.is_complete(config):
            return FINISHED
        if not after or (left is not None and not self.index.suffices(after, left - 1)):
            return None
        return after

    def _refusal(self, token: int) -> str:
        vocabulary = self.index.vocabulary
        if self.is_finished:
            return f"token {token} after the end of the sequence"
        if self.tokens_left == 0:
            return f"token {token}, but there are no tokens left"
        is_known = 0 <= token < len(vocabulary.token_bytes)
        before = self._text if self._recalls else b""
        after = self.index.advance(self._place.config, token, before) if is_known else DEAD
        if token in vocabulary.eos and not after:
            return f"end-of-sequence token {token}, but the text is not complete"
        if not is_known:
            return f"token {token} is not in the vocabulary of {len(vocabulary.token_bytes)}"
        if not (shown := vocabulary.shown(token)):
            return f"token {token} spells no text"
        what = f"token {token} ({shown!r}) is not allowed here"
        if after:
            return f"{what}: {self.tokens_left} tokens, it included, would not complete the text"
        return what


def fill_masks(
    matchers: Sequence[Matcher | None], out: np.ndarray, *, threads: ThreadPoolExecutor | None = None
) -> None:
    """The masks of many texts at once, which may have different constraints.

    Masks that are known are copied in one go, without the interpreter's lock; the others are computed.

    Args:
        matchers: one a row, over vocabularies of the same width; the mask of None allows nothing.
        out: int32, (rows, words), contiguous.
        threads: to compute the masks of different constraints side by side.
    Raises:
        ValueError: if the shape of `out` is another one.
        LimitError: if a limit of a constraint is reached.
    """
    if len(matchers) != len(out):
        raise ValueError(f"{len(matchers)} matchers do not fit masks of shape {out.shape}")
    indexes = {matcher.index for matcher in matchers if matcher is not None}
    if any(index.words != out.shape[1] for index in indexes):
        raise ValueError(f"masks of {out.shape[1]} words do not fit the vocabulary")
    places = [None if matcher is None else matcher._place for matcher in matchers]
    configs = np.array([FINISHED if p is None or p.left == 0 else p.config for p in places], dtype=np.int32)
    missing = np.empty(len(matchers), dtype=np.int32)
    locks = [index.automaton.lock for index in sorted(indexes, key=lambda index: index.number)]
    held = 0
    try:
        for lock in locks:  # in order, so that nobody waits in a circle
            lock.acquire()
            held += 1
        shelves = kernels.addresses([0 if m is None else m.index.shelf_address for m in matchers])
        count = kernels.copy_masks(shelves, configs, out, missing)
    finally:
        for lock in locks[:held]:
            lock.release()
    for index in indexes:
        index.touch()
    rest: dict[TokenIndex, list[int]] = {}
    for row in missing[:count].tolist():
        matcher = matchers[row]
        assert matcher is not None
        rest.setdefault(matcher.index, []).append(row)

    def compute(index: TokenIndex) -> None:
        for row in rest[index]:
            index.fill_mask(int(configs[row]), out[row])

    for _ in map(compute, rest) if threads is None else threads.map(compute, rest):
        pass
    recalling = {index for index in indexes if index.has_recalls}
    for row, (matcher, place) in enumerate(zip(matchers, places, strict=True)):
        if matcher is None or place is None or place.config == FINISHED:
            continue
        if place.left:
            matcher.index.restrict(place.config, place.left, out[row])
        elif recalling and matcher.index in recalling:
            matcher.index.add_recalling(place.config, matcher._text, out[row])
