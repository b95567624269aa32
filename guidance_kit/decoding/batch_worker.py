"""Worker thread of a continuous batch: texts come from other threads, and what they become is called back."""

from __future__ import annotations

import threading
from collections import deque

from guidance_kit.decoding.continuous_batch import BatchedText, ContinuousBatch

__all__ = ["BatchWorker"]


class BatchWorker:
    """Run a continuous batch in one thread, which exists as long as there are texts.

    A text waits until the batch has room for it; those that came first join first. `submit` and `cancel` may be called
    from any thread; the callbacks of the texts are called in the worker thread.

    Args:
        batch: the batch; only the worker thread touches it.
    """

    def __init__(self, batch: ContinuousBatch) -> None:
        self._batch = batch
        self._waiting: deque[BatchedText] = deque()
        self._cancelled: deque[BatchedText] = deque()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def submit(self, text: BatchedText) -> None:
        """Let a text join as soon as there is room."""
        with self._lock:
            self._waiting.append(text)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="guidance_kit batch")
                self._thread.start()

    def cancel(self, text: BatchedText) -> None:
        """Let a text leave before the next step; without a lock, as garbage collection may call it anywhere."""
        self._cancelled.append(text)

    def _run(self) -> None:
        while self._renew():
            self._batch.step()

    def _renew(self) -> bool:
        """Let cancelled texts leave and waiting ones join; return whether there are any, else the thread ends."""
        while True:
            while self._cancelled:
                self._cancel(self._cancelled.popleft())
            with self._lock:
                if self._waiting and self._batch.has_room(self._waiting[0].rows):
                    joining = self._waiting.popleft()
                else:
                    if not self._batch.texts:
                        self._thread = None
                    return bool(self._batch.texts)
            self._batch.add(joining)

    def _cancel(self, text: BatchedText) -> None:
        """Let one text leave the queue or the batch."""
        with self._lock:
            if text in self._waiting:
                self._waiting.remove(text)
        self._batch.cancel(text)
