"""Masks of a batch: known ones are copied at once, new ones are found for all constraints in one call of a kernel.

Kernels work without the interpreter's lock, rules are written with it. To hand it over takes as long as to find some
masks. So one thread alone runs Python and writes all rules; threads that help it stay in the kernel, where they take
the constraints whose rules are there, see `find_masks`, and need the lock only to begin and to end.
"""

from __future__ import annotations

import functools
import itertools
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager

import numpy as np

from guidance_kit.errors import LimitError
from guidance_kit.fsm.automaton import Automaton
from guidance_kit.fsm.kernels import handles
from guidance_kit.fsm.kernels.codes import ALONE, ANSWERED, FINISHED, FREE, HELPING, LEADING, PENDING
from guidance_kit.fsm.kernels.columns import REQUEST
from guidance_kit.fsm.kernels.mask_cache import copy_masks
from guidance_kit.fsm.kernels.masks import find_masks
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.fsm.token_index import TokenIndex

__all__ = ["fill_masks", "helping_threads"]

_EACH = 16
"""Constraints with new masks for each thread that helps: to begin takes as long as some masks."""

_CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1

_MOST_HELPERS = min(_CORES - 1, 3)
"""Threads that help: one that had to share a core would take time from the one that leads, and the rules that this one
writes take half as long as all masks do."""


@functools.cache
def helping_threads() -> ThreadPoolExecutor:
    """Threads of this process that can help to fill masks."""
    return ThreadPoolExecutor(3, thread_name_prefix="guidance_kit masks")


def fill_masks(
    matchers: Sequence[Matcher | None],
    out: np.ndarray,
    *,
    rows: Sequence[int] | None = None,
    threads: ThreadPoolExecutor | None = None,
) -> dict[int, LimitError]:
    """The masks of many texts at once, which may have different constraints.

    Args:
        matchers: over vocabularies of the same width; the mask of None allows nothing.
        out: int32, (rows, words), contiguous.
        rows: row of `out` for each matcher, all different; the other rows stay as they are. None: all rows in order.
        threads: for new masks of different constraints, see `helping_threads`; at most three of them help, and none
            where there are few, or a single core.
    Returns:
        By their places in `matchers`, the errors of those at which a limit of their constraint is reached; their masks
        allow nothing.
    Raises:
        ValueError: if the shape of `out`, or a row, does not fit.
    """
    if (len(out) if rows is None else len(rows)) != len(matchers):
        raise ValueError(f"{len(matchers)} matchers do not fit masks of shape {out.shape}")
    indexes = {matcher.index for matcher in matchers if matcher is not None}
    if any(index.words != out.shape[1] for index in indexes):
        raise ValueError(f"masks of {out.shape[1]} words do not fit the vocabulary")
    targets = np.arange(len(out), dtype=np.int32) if rows is None else np.array(rows, dtype=np.int32)
    if len(targets) and not 0 <= targets.min() <= targets.max() < len(out):
        raise ValueError(f"rows from {targets.min()} to {targets.max()} do not fit masks of shape {out.shape}")
    configs = np.array([FINISHED if one is None else one.mask_config for one in matchers], dtype=np.int32)
    missing = np.empty(len(matchers), dtype=np.int32)
    with _held({index.automaton for index in indexes}):
        caches = handles.addresses([0 if matcher is None else matcher.index.cache_address for matcher in matchers])
        count = copy_masks(caches, configs, targets, out, missing)
    for index in indexes:
        index.touch()
    new: dict[Automaton, list[tuple[int, TokenIndex]]] = {}
    alone: set[int] = set()  # of vocabularies with tokens that kernels do not know
    for text in missing[:count].tolist():
        matcher = matchers[text]
        assert matcher is not None
        if matcher.index.trie.overlong:
            alone.add(text)
        else:
            new.setdefault(matcher.index.automaton, []).append((text, matcher.index))
    failed: dict[int, LimitError] = {}
    if new:
        texts, of = zip(*itertools.chain.from_iterable(new.values()), strict=True)
        chosen = list(texts)
        requests = np.concatenate([index.request for index in of])
        requests[:, REQUEST.config] = configs[chosen]
        requests[:, REQUEST.first] = out.shape[1] * targets[chosen].astype(np.int64)
        requests[:, REQUEST.answer], requests[:, REQUEST.need], requests[:, REQUEST.state] = PENDING, 0, FREE
        errors = _answer(of, requests, out.reshape(-1), threads)
        failed = {texts[place]: error for place, error in errors.items()}
    for text, (matcher, config) in enumerate(zip(matchers, configs.tolist(), strict=True)):
        if matcher is None or config == FINISHED or text in failed:
            continue
        try:
            if text in alone:
                matcher.index.fill_mask(config, out[targets[text]])
            if matcher.has_own_mask:
                matcher.adapt_mask(out[targets[text]])
        except LimitError as error:
            failed[text] = error
    for text in failed:
        out[targets[text]] = 0
    return failed


def _answer(
    indexes: Sequence[TokenIndex], requests: np.ndarray, masks: np.ndarray, threads: ThreadPoolExecutor | None
) -> dict[int, LimitError]:
    """Answer requests; return the limits that were reached, by their places.

    Args:
        indexes: for each request.
        requests, masks: see `find_masks`.
    """
    failed: dict[int, LimitError] = {}
    answers, needs = requests[:, REQUEST.answer], requests[:, REQUEST.need]
    begun: set[int] = set()
    automata = {index.automaton for index in indexes}
    with _held(automata), _helped(automata, requests, masks, threads) as part:
        while find_masks(requests, masks, part) < 0:
            for place in np.flatnonzero(needs).tolist():
                try:
                    indexes[place].make_room(int(needs[place]), is_new=place not in begun)
                except LimitError as error:
                    failed[place] = error
                    answers[place] = 0
                begun.add(place)
                needs[place] = 0
        for index, answer in zip(indexes, answers.tolist(), strict=True):
            if answer > 0:
                index.note_found()
    return failed


@contextmanager
def _helped(
    automata: set[Automaton], requests: np.ndarray, masks: np.ndarray, threads: ThreadPoolExecutor | None
) -> Iterator[int]:
    """Have threads answer some of the requests; yield the part of this thread, see `find_masks`.

    When it is done, they look at nothing but the requests.
    """
    count = 0 if threads is None else min(len(automata) // _EACH, _MOST_HELPERS)
    if threads is None or not count:
        yield ALONE
        return
    for automaton in automata:
        automaton.is_shared = True
    helpers: list[Future[int]] = []
    try:
        helpers += (threads.submit(find_masks, requests, masks, HELPING) for _ in range(count))
        yield LEADING
    except BaseException:
        requests[:, REQUEST.state] = ANSWERED  # so that none is taken any more
        for helper in helpers:
            helper.cancel()
        wait(helpers)
        raise
    finally:
        for automaton in automata:
            automaton.is_shared = False


@contextmanager
def _held(automata: set[Automaton]) -> Iterator[None]:
    """Hold the locks of automata, taken in one order, so that nobody waits in a circle."""
    locks = [automaton.lock for automaton in sorted(automata, key=id)]
    held = 0
    try:
        for lock in locks:
            lock.acquire()
            held += 1
        yield
    finally:
        for lock in locks[:held]:
            lock.release()
