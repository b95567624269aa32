"""The matcher: where one text stands in a constraint. The only mutable thing in this package's interface."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from guidance_kit.errors import BudgetError, MatchError, OptionError, UnsupportedFeature
from guidance_kit.fsm import bitmask
from guidance_kit.fsm.completion_weights import Measure
from guidance_kit.fsm.kernels.codes import DEAD, FINISHED
from guidance_kit.fsm.network import MARK, RECALLING
from guidance_kit.fsm.token_index import TokenIndex
from guidance_kit.fsm.written import Written
from guidance_kit.vocabulary import Vocabulary

__all__ = ["Matcher"]


class _Place(NamedTuple):
    """State of a text in its constraint: a history that forks share.

    Attributes:
        config: the configuration.
        before: the place one step ago.
        steps: number of steps up to here.
        left: number of tokens that may still be taken, None for any number.
        is_after_token: whether the last step was a token, not a text.
        said: the token or the text of the last step; -1 for the end of the sequence.
        written: which names the text has, see `KeyTracker`.
    """

    config: int
    before: _Place | None
    steps: int
    left: int | None
    is_after_token: bool
    said: int | bytes = b""
    written: Written | None = None


class Matcher:
    """Follow one text token by token: what is allowed next, one step on, some steps back.

    Args:
        index: the constraint over a vocabulary; shared by any number of matchers.
        eos: end-of-sequence ids of this text, in place of those of the vocabulary; an engine has them for each request.
            They spell no text.
    Raises:
        OptionError: an id beyond the rows of the vocabulary, or of a token that spells text, which needs a `Vocabulary`
            of its own, as other tokens must then spell that text.
    """

    __slots__ = ("_ends", "_place", "_read", "index")

    def __init__(self, index: TokenIndex, *, eos: Iterable[int] | None = None) -> None:
        self.index = index
        self._ends = None if eos is None else _own_ends(eos, index.vocabulary)
        self._place = _Place(index.automaton.start, None, 0, None, False)
        self._read = self._place, b""  # a place on the way, and the text that leads there

    @property
    def eos(self) -> tuple[int, ...]:
        """End-of-sequence ids of this text."""
        return self.index.vocabulary.eos if self._ends is None else self._ends

    @property
    def is_complete(self) -> bool:
        """True if the text so far satisfies the constraint (it may still go on)."""
        config = self._place.config
        return config == FINISHED or self.index.automaton.is_complete(config)

    @property
    def is_finished(self) -> bool:
        """True if an end-of-sequence token was taken: nothing can follow."""
        return self._place.config == FINISHED

    @property
    def is_over(self) -> bool:
        """True if the text is complete, and nothing can follow but the end of the sequence, or not even that."""
        config, left = self._place.config, self._place.left
        if not self.is_complete:
            return False
        if config == FINISHED or left == 0:
            return True
        if left is None:  # all texts of an index can be spelled, so where a byte can follow, a token can
            return not self.index.automaton.live_bytes(config).any()
        allowed = self.allowed()
        return int(bitmask.count(allowed)) <= len(self.eos) and all(
            self._after(token) == (FINISHED, None) for token in bitmask.tokens_of(allowed).tolist()
        )

    @property
    def tokens_left(self) -> int | None:
        """Number of tokens that may still be taken, see `within`; None for any number."""
        return self._place.left

    @property
    def mask_key(self) -> tuple[int, int, int]:
        """Key of the next mask, as numbers that mean the same as long as the process runs.

        They are the constraint, the configuration in it, and the tokens that are left, 0 if these make no difference;
        or a negative number that stands for the text, if it depends on that.
        """
        config, left = self._place.config, self._place.left
        number = self.index.number
        if config == FINISHED:
            return number, config, 0
        if left == 0:
            return number, FINISHED, 0
        key = self._key_of_text(config, left)
        if self._ends is None or not self.index.automaton.is_complete(config):
            return key
        return number, config, -self.index.number_of(repr((key, self._ends)).encode())

    def _key_of_text(self, config: int, left: int | None) -> tuple[int, int, int]:
        """Key of the mask with the vocabulary's ends of sequence."""
        number = self.index.number
        if left is None and self._recalls and self.index.recalls(config):
            return number, config, -self.index.number_of(self._said())
        last = left if left is not None and self.index.restricts(config, left) else 0
        names = self.index.names
        if names is not None and names.matter(self._place.written, left):
            excluded = self._narrow(self.index.mask(config))
            if excluded:
                return number, config, -self.index.number_of(repr((last, excluded)).encode())
        return number, config, last

    def canonical_mask_key(self) -> tuple[int, int, int] | None:
        """One key for all mask keys with the mask of this one; None if nothing is allowed any more."""
        number, config, left = self.mask_key
        if config == FINISHED:
            return None
        return (number, config, left) if left else (number, self.index.automaton.canonical(config), 0)

    def __len__(self) -> int:
        """Number of steps that `rollback` can take back."""
        return self._place.steps

    @property
    def can_be_bounded(self) -> bool:
        """True if there are budgets for the constraint, as there are for most; see `within`."""
        network = self.index.automaton.network
        return not (network.depends_on_texts or network.needs_exhaustible_keys or network.has_many_sets)

    def min_tokens_to_complete(self) -> int | None:
        """The number of tokens that complete the text, without an end-of-sequence token; 0 if it is complete.

        It is the fewest tokens into which the shortest completions, in bytes, can be cut: a longer one may have fewer.

        Returns:
            None if the vocabulary has no tokens for that, which is never so with byte-level or byte-fallback ones.
        Raises:
            UnsupportedFeature: if there are no budgets for the constraint.
        """
        self._check_budget()
        config, _, _, _, _, _, written = self._place
        if config == FINISHED:
            return 0
        needed = self.index.min_tokens_to_complete(config)
        names = self.index.names
        if needed is not None and names is not None:
            while not names.suffices(config, needed, self._said, written):
                needed += 1
        return needed

    def within(self, tokens: int | None) -> Matcher:
        """A matcher at the same place that completes its text within a number of tokens.

        Tokens after which the text could not be completed are forbidden there; see `min_tokens_to_complete`. At the end
        the text is complete, and no token is allowed any more, not even the end of the sequence.

        Args:
            tokens: the most that may still be taken; None for any number.
        Raises:
            BudgetError: if they do not suffice.
            UnsupportedFeature: if there are no budgets for the constraint.
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
        """True if a token that the constraint allows is forbidden to complete the text in time, or was on the way."""
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
        config = self.mask_config
        if config == FINISHED:
            out[:] = 0
        else:
            self.index.fill_mask(config, out)
            if self.has_own_mask:
                self.adapt_mask(out)
        return out

    @property
    def mask_config(self) -> int:
        """The configuration whose mask becomes that of the text by `adapt_mask`; FINISHED if nothing can follow."""
        return FINISHED if self._place.left == 0 else self._place.config

    @property
    def has_own_mask(self) -> bool:
        """True if the mask of the text may differ from that of `mask_config`, where that is not FINISHED."""
        place = self._place
        return place.left is not None or place.written is not None or self._ends is not None or self.index.adapts_masks

    def adapt_mask(self, mask: np.ndarray) -> None:
        """Make the mask of `mask_config`, where that is not FINISHED, that of the text, in place."""
        self._narrow(mask)
        self._set_ends(mask)

    def _set_ends(self, mask: np.ndarray) -> None:
        """Replace the vocabulary's ends of sequence in a mask by those of the text, in place."""
        if self._ends is None or not self.index.automaton.is_complete(self._place.config):
            return
        for token in {*self._ends, *self.index.vocabulary.eos}:
            bit = np.int32(1) << np.int32(token & 31)
            if self.can_advance(token):  # as an end, or because the constraint names it
                mask[token >> 5] |= bit
            else:
                mask[token >> 5] &= ~bit

    def _narrow(self, mask: np.ndarray) -> list[int]:
        """Make the mask of the configuration that of the text, in place; return what is not in it because of names."""
        index, place = self.index, self._place
        if self._recalls:
            index.add_recalling(place.config, self._said(), mask)
        if place.left is not None:
            index.restrict(place.config, place.left, mask)
        excluded: list[int] = []
        if index.names is not None and index.names.matter(place.written, place.left):
            excluded = index.names.exclude(place.config, place.left, self._said, place.written, mask)
        if index.token_id_sets is not None:
            index.token_id_sets.add(place.config, place.left, mask)
            is_told = place.left is None or index.names is None
            for token in [] if is_told else index.token_id_sets.ambiguous(place.config):
                bit = np.int32(1) << np.int32(token & 31)
                if self.can_advance(token):
                    mask[token >> 5] |= bit
                else:
                    mask[token >> 5] &= ~bit
                    excluded.append(token)
        return excluded

    def completion_weights(self, measure: Measure) -> tuple[float, np.ndarray, np.ndarray]:
        """Ln of the number of the completions, or of their model-free mass, of the text and after each allowed token.

        Returns:
            Of the text; the allowed tokens, int64, ascending; after each of them, float64, 0 after the end of the
            sequence.
        Raises:
            UnsupportedFeature: see `CompletionWeights`.
        """
        tokens = self.allowed_tokens()
        config = self._place.config
        with self.index.automaton.lock:
            weights = self.index.completion_weights(measure)
            return weights.of(config), tokens, weights.after(config, tokens)

    def allowed_tokens(self) -> np.ndarray:
        """Numbers of the tokens that can come next: int64, ascending."""
        return bitmask.tokens_of(self.allowed())

    def can_advance(self, token: int) -> bool:
        """Test whether `token` can come next, without computing the mask."""
        return self._after(token) is not None

    def advance(self, token: int) -> None:
        """Take `token`; an end-of-sequence token ends the text, unless the constraint names it here.

        Raises:
            MatchError: if it is not allowed here; the matcher is unchanged.
        """
        if not self.try_advance(token):
            raise MatchError(self._refusal(token))

    def try_advance(self, token: int) -> bool:
        """Take `token` if it is allowed here.

        Returns:
            False if it is not; the matcher is unchanged.
        """
        after = self._after(token)
        if after is None:
            return False
        self._take(token, *after)
        return True

    def advance_bytes(self, text: bytes) -> None:
        """Take a text that is not made of tokens, as one step.

        Raises:
            MatchError: at the first byte that is not allowed, which every byte of a special token is; the matcher is
                unchanged.
        """
        config, _, _, left, _, _, written = self._place
        if not text:
            self._step(config, written, is_token=False, said=b"")
            return
        is_text = config != FINISHED and MARK not in text
        path = np.empty(0, np.int32)
        if is_text:
            path, written = self.index.automaton.read(config, text, self._before(), written)
        if len(path) < len(text):
            raise MatchError(
                f"{text!r} is not allowed here: byte {len(path)} ({text[len(path) :][:1]!r}) cannot follow"
            )
        config = int(path[-1])
        if not self._suffices(config, left, lambda: self._said() + text, written):
            why = "no new key or item could follow" if left is None else f"the {left} tokens left would not complete it"
            raise MatchError(f"{text!r} is not allowed here: {why}")
        self._step(config, written, is_token=False, said=text)

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
        twin._ends = self._ends
        twin._place = self._place
        twin._read = self._read
        return twin

    def follow(self, tokens: Sequence[int], parents: Sequence[int] | None = None) -> list[Matcher | None]:
        """Matchers after drafted tokens; this one stays unchanged.

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
            reached = None if before is None else before._after(token)
            if before is None or reached is None:
                found.append(None)
            else:
                after = before.fork()
                after._take(token, *reached)
                found.append(after)
        return found

    def forced_text(self) -> bytes:
        """The bytes that must come next whatever the model says, up to a choice, a possible end or a special token."""
        automaton = self.index.automaton
        config, written = self._place.config, self._place.written
        before = self._before()
        text = bytearray()
        while config != FINISHED and not automaton.is_complete(config) and len(text) < 65536:
            live = np.flatnonzero(automaton.live_bytes(config))
            if len(live) != 1 or live[0] == MARK:
                break
            text.append(int(live[0]))
            path, written = automaton.read(config, bytes(text[-1:]), before + text[:-1], written)
            assert len(path)  # else there would be no way to complete the text
            config = int(path[0])
        return bytes(text)

    def next_bytes(self) -> list[int]:
        """Bytes of text that can come next, ascending; those that would repeat a key or an item may be among them."""
        config = self._place.config
        if config == FINISHED:
            return []
        return [int(byte) for byte in np.flatnonzero(self.index.automaton.live_bytes(config)) if byte != MARK]

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

    def _said(self) -> bytes:
        """The text so far; what was asked for last is remembered, since the next text mostly continues it."""
        known, text = self._read
        later: list[bytes] = []
        place = self._place
        while place is not known and place.before is not None:
            said = place.said
            later.append(said if isinstance(said, bytes) else self.index.trie.texts[said] if said >= 0 else b"")
            place = place.before
        text = b"".join([text if place is known else b"", *reversed(later)])
        self._read = self._place, text
        return text

    def _before(self) -> bytes:
        """The text so far, if anything may depend on it."""
        return self._said() if self._recalls or self.index.names is not None else b""

    def _check_budget(self) -> None:
        if self.index.automaton.network.depends_on_texts:
            raise UnsupportedFeature("a budget of tokens", where=RECALLING)
        if self.index.automaton.network.has_many_sets:
            raise UnsupportedFeature("a budget of tokens", where="arrays whose different items have too many sets")
        if not self.can_be_bounded:
            raise UnsupportedFeature("a budget of tokens", where="objects that need several keys of few kinds")

    def _take(self, token: int, config: int, written: Written | None) -> None:
        """Go on with a token that leads to a configuration."""
        self._step(config, written, said=token if config != FINISHED else -1)

    def _step(self, config: int, written: Written | None, *, said: int | bytes, is_token: bool = True) -> None:
        """Go on to a configuration."""
        before = self._place
        left = None if before.left is None else before.left - is_token
        self._place = _Place(config, before, before.steps + 1, left, is_token, said, written)

    def _after(self, token: int) -> tuple[int, Written | None] | None:
        """Configuration after `token`, FINISHED after an end, with the names then; None if it is not allowed."""
        config, _, _, left, _, _, written = self._place
        index, vocabulary = self.index, self.index.vocabulary
        if config == FINISHED or left == 0:
            return None
        is_known = 0 <= token < len(vocabulary.token_bytes)
        after, then = index.advance(config, int(token), self._said, written) if is_known else (DEAD, None)
        if not after:
            is_end = token in self.eos and index.automaton.is_complete(config)
            return (FINISHED, None) if is_end else None
        left = None if left is None else left - 1
        if (left is None and then is None) or self._suffices(
            after, left, lambda: self._said() + index.trie.texts[int(token)], then
        ):
            return after, then
        return None

    def _suffices(self, config: int, left: int | None, text: Callable[[], bytes], written: Written | None) -> bool:
        """Test whether so many tokens, None for any number, complete a text."""
        index = self.index
        if left is not None and not index.suffices(config, left):
            return False
        return index.names is None or index.names.suffices(config, left, text, written)

    def _refusal(self, token: int) -> str:
        vocabulary = self.index.vocabulary
        if self.is_finished:
            return f"token {token} after the end of the sequence"
        if self.tokens_left == 0:
            return f"token {token}, but there are no tokens left"
        is_known = 0 <= token < len(vocabulary.token_bytes)
        place = self._place
        after = self.index.advance(place.config, token, self._said, place.written)[0] if is_known else DEAD
        if token in self.eos and not after:
            return f"end-of-sequence token {token}, but the text is not complete"
        if not is_known:
            return f"token {token} is not in the vocabulary of {len(vocabulary.token_bytes)}"
        if not (shown := vocabulary.shown(token)):
            return f"token {token} spells no text"
        what = f"token {token} ({shown!r}) is not allowed here"
        if after and self.tokens_left is None:
            return f"{what}: no name that is new could follow"
        if after:
            return f"{what}: {self.tokens_left} tokens, it included, would not complete the text"
        return what


def _own_ends(eos: Iterable[int], vocabulary: Vocabulary) -> tuple[int, ...] | None:
    """Ends of sequence of a text; None if they are the vocabulary's."""
    ends = tuple(sorted({*eos}))
    for token in ends:
        if not 0 <= token < vocabulary.rows:
            raise OptionError(f"end-of-sequence id {token} lies outside the {vocabulary.rows} rows of the vocabulary")
        if token < len(vocabulary) and vocabulary.token_bytes[token]:
            raise OptionError(
                f"end-of-sequence id {token} spells text, {vocabulary.token_bytes[token]!r}; "
                "make a Vocabulary with these ends, so that other tokens spell it"
            )
    return None if set(ends) == set(vocabulary.eos) else ends
