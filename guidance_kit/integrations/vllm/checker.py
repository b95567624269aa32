"""Checks of constraints in a process of their own: reading a large schema does not hold up a server's front end.

The process reads pickled questions from its standard input and writes pickled answers to its standard output. Both ends
are this file; of a request, only texts and numbers are pickled.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import select
import subprocess
import sys
import threading
from collections import OrderedDict
from collections.abc import Iterable
from typing import BinaryIO, cast

from guidance_kit.errors import GuidanceKitError
from guidance_kit.integrations.vllm.request_matcher import BackendOptions, Kind, request_matcher
from guidance_kit.vocabulary import Vocabulary

__all__ = ["ConstraintChecker", "serve"]

_MOST_VERDICTS = 4096
_PATIENCE = 60.0
"""Seconds that a check may take; work on a constraint is bounded, and takes a few seconds at most."""

_Question = tuple[Kind, str, BackendOptions, tuple[int, ...]]


class ConstraintChecker:
    """Say why a constraint of a request cannot be used, before the engine sees it.

    Constraints are checked one after the other, in one process, which is started by the first check. Answers are kept.
    May be used by several threads.

    Args:
        vocabulary: of the model.
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._verdicts: OrderedDict[_Question, str | None] = OrderedDict()

    def refusal(self, kind: Kind, source: str, options: BackendOptions, eos: Iterable[int] = ()) -> str | None:
        """Reason for which a constraint cannot be used; None if it can. See `request_matcher` for the arguments."""
        question = kind, source, options, tuple(sorted(eos))
        with self._lock:
            if question in self._verdicts:
                self._verdicts.move_to_end(question)
                return self._verdicts[question]
            found = self._ask(question)
            self._verdicts[question] = found
            if len(self._verdicts) > _MOST_VERDICTS:
                self._verdicts.popitem(last=False)
            return found

    def close(self) -> None:
        """End the process."""
        with self._lock:
            self._end()

    def _ask(self, question: _Question) -> str | None:
        try:
            process = self._started()
            assert process.stdin is not None
            assert process.stdout is not None
            pickle.dump(question, process.stdin)
            process.stdin.flush()
            if not select.select([process.stdout], [], [], _PATIENCE)[0]:
                self._end()
                return f"the constraint could not be checked within {_PATIENCE:.0f} seconds"
            return cast("str | None", pickle.load(process.stdout))
        except (EOFError, OSError, pickle.UnpicklingError):
            self._end()
            return "the process that checks constraints ended while it read this one, as it does for want of memory"

    def _started(self) -> subprocess.Popen[bytes]:
        """The process, which knows the vocabulary."""
        if self._process is None or self._process.poll() is not None:
            code = f"import sys; sys.path[:] = {sys.path!r}; from guidance_kit.integrations.vllm import checker; "
            self._process = subprocess.Popen(
                [sys.executable, "-c", code + "checker.serve()"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
            )
            assert self._process.stdin is not None
            pickle.dump(self._vocabulary, self._process.stdin)
        return self._process

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None


def serve() -> None:
    """Answer questions until the input ends."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints does not get among the answers
    questions = cast(BinaryIO, sys.stdin.buffer)
    with contextlib.suppress(EOFError, KeyboardInterrupt):
        vocabulary = cast(Vocabulary, pickle.load(questions))
        while True:
            kind, source, options, eos = cast(_Question, pickle.load(questions))
            try:
                request_matcher(kind, source, options, vocabulary, eos)
                found = None
            except GuidanceKitError as error:
                found = str(error)
            except Exception as error:  # of any kind: the request is refused, the server goes on
                found = f"the constraint could not be read: {type(error).__name__}: {error}"
            pickle.dump(found, answers)
            answers.flush()
