"""Batches of a job on the actors of a Ray cluster, each with a model of its own; a lost actor loses no document."""

# pyright: reportMissingImports=false

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from types import ModuleType
from typing import Any

import ray
from ray import cloudpickle
from ray.exceptions import RayActorError, RayTaskError

from guidance_kit.errors import ModelError, OptionError
from guidance_kit.extraction.careful_work import Batch, CarefulWork, Explain, Work
from guidance_kit.extraction.entry import Entry, failed_entry, message_of

__all__ = ["ActorPool", "ModelWork"]

MOST_DEATHS = 3
"""So many actors may die of a batch before its documents run alone, and of one document before it counts as failed."""

_PATIENCE = 600.0
"""Seconds without any actor after which the job ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelWork:
    """Work that an actor prepares for itself.

    Args:
        load: makes the model.
        work: makes the work of a model, `RecordWork(...).on`, say.
        explain: the message of an error, for the line of its document.
        module: one that other machines may not have, of a type in the work; it is sent along.
    """

    load: Callable[[], Any]
    work: Callable[[Any], Work]
    explain: Explain = message_of
    module: ModuleType | None = None

    def packed(self) -> bytes:
        """Work for another process."""
        if self.module is not None:
            cloudpickle.register_pickle_by_value(self.module)
        try:
            return cloudpickle.dumps(replace(self, module=None))
        finally:
            if self.module is not None:
                cloudpickle.unregister_pickle_by_value(self.module)


class ActorPool:
    """Actors that run the batches of a job; `run` is a `RunBatches`.

    Batches run in any order, and their entries come in the order of the batches. If an actor dies, with its machine or
    alone, another one takes its place when the cluster has room, and what it was doing is done again elsewhere. A
    document of which actors die again and again gets an error.

    Args:
        prepared: what the actors do.
        actors: number of actors; by default one for each GPU of the cluster, or without any for each of its machines.
        cpus: CPU cores of each actor, which are its threads.
    Raises:
        OptionError: a number out of range.
    """

    def __init__(self, prepared: ModelWork, *, actors: int | None = None, cpus: int = 1) -> None:
        resources = ray.cluster_resources()
        self._gpus = 1 if resources.get("GPU", 0) >= 1 else 0
        machines = sum(node["Alive"] and node["Resources"].get("CPU", 0) > 0 for node in ray.nodes())
        self.count = (int(resources["GPU"]) if self._gpus else machines) if actors is None else actors
        if self.count < 1 or cpus < 1:
            raise OptionError(f"a job on Ray needs at least 1 actor with at least 1 CPU, not {self.count} with {cpus}")
        self._cpus = cpus
        self._prepared = prepared.packed()

    def run(self, batches: Iterable[Batch]) -> Iterator[list[Entry]]:
        """The entries of each batch, in its order; batches are taken as actors are free for them.

        Raises:
            ModelError: actors die before any of them is ready; none starts.
            Exception: as the preparation of the work, before the first entries; as `CarefulWork.entries`.
        """
        run = _Run(batches, self._new_actor, self.count)
        try:
            yield from run
        finally:
            run.end()

    def _new_actor(self) -> Any:
        kind = ray.remote(
            num_cpus=self._cpus, num_gpus=self._gpus, max_restarts=0, max_task_retries=0, scheduling_strategy="SPREAD"
        )
        return kind(_Actor).remote(self._prepared)


class _Actor:
    """Process with a model."""

    def __init__(self, prepared: bytes) -> None:
        self._prepared = prepared
        self._careful: CarefulWork | None = None

    def ready(self) -> None:
        """Load the model, if it is not there."""
        self._loaded()

    def entries(self, batch: Batch) -> list[Entry]:
        """The entries of a batch, with errors that other processes can read."""
        return [_portable(entry) for entry in self._loaded().entries(batch)]

    def _loaded(self) -> CarefulWork:
        if self._careful is None:
            prepared: ModelWork = cloudpickle.loads(self._prepared)
            self._careful = CarefulWork(prepared.work(prepared.load()), prepared.explain)
        return self._careful


def _portable(entry: Entry) -> Entry:
    try:
        cloudpickle.loads(cloudpickle.dumps(entry.error))
    except Exception:  # whatever the error of somebody's type raises
        return replace(entry, error=RuntimeError(f"{type(entry.error).__name__}: {entry.message}"))
    return entry


@dataclass(slots=True)
class _Window:
    """Batch whose entries are on their way.

    Attributes:
        entries: by place in the batch; None for one that is to come.
    """

    batch: Batch
    entries: list[Entry | None]


@dataclass(slots=True)
class _Task:
    """Part of a batch for one actor.

    Attributes:
        places: of its documents in the batch.
        deaths: actors that died of it.
    """

    window: _Window
    places: Sequence[int]
    deaths: int = 0

    @property
    def batch(self) -> Batch:
        return [self.window.batch[place] for place in self.places]

    def put(self, entries: Sequence[Entry]) -> None:
        for place, entry in zip(self.places, entries, strict=True):
            self.window.entries[place] = entry


@dataclass(slots=True)
class _Run:
    """One pass over the batches of a job."""

    source: Iterable[Batch]
    new_actor: Callable[[], Any]
    count: int
    windows: deque[_Window] = field(default_factory=deque[_Window])
    waiting: deque[_Task] = field(default_factory=deque[_Task])
    calls: dict[Any, tuple[Any, _Task | None]] = field(default_factory=dict[Any, tuple[Any, _Task | None]])
    """Actor and task of each call; None for an actor that loads its model."""
    idle: list[Any] = field(default_factory=list[Any])
    early_deaths: int = 0
    """Actors that died before they were ready, since one was."""

    def __iter__(self) -> Iterator[list[Entry]]:
        batches = iter(self.source)
        is_over = False
        for _ in range(self.count):
            self._start_actor()
        while True:
            while not is_over and len(self.windows) < 4 * self.count:
                batch = next(batches, None)
                is_over = batch is None
                if batch is not None:
                    self._take(batch)
            while self.windows and all(entry is not None for entry in self.windows[0].entries):
                yield [entry for entry in self.windows.popleft().entries if entry is not None]
            if self.windows:
                self._wait()
            elif is_over:
                return

    def end(self) -> None:
        """Let go of all actors."""
        for actor in [*self.idle, *(actor for actor, _ in self.calls.values())]:
            ray.kill(actor)

    def _take(self, batch: Batch) -> None:
        window = _Window(batch, [None] * len(batch))
        self.windows.append(window)
        if batch:
            self.waiting.append(_Task(window, range(len(batch))))

    def _start_actor(self) -> None:
        actor = self.new_actor()
        self.calls[actor.ready.remote()] = actor, None

    def _wait(self) -> None:
        """Give work to idle actors, and take the result of one call."""
        while self.idle and self.waiting:
            actor, task = self.idle.pop(), self.waiting.popleft()
            self.calls[actor.entries.remote(task.batch)] = actor, task
        loading = all(task is None for _, task in self.calls.values())
        done, _ = ray.wait(list(self.calls), timeout=_PATIENCE if loading else None)
        if not done:
            raise ModelError(f"no actor of the Ray cluster was ready within {_PATIENCE:.0f} seconds; see `ray status`")
        actor, task = self.calls.pop(done[0])
        try:
            result = ray.get(done[0])
        except RayTaskError as error:
            self.idle.append(actor)
            raise error.cause from None
        except RayActorError as error:
            self._replace(task, error)
            return
        self.idle.append(actor)
        if task is None:
            self.early_deaths = 0
        else:
            task.put(result)

    def _replace(self, task: _Task | None, error: RayActorError) -> None:
        """Start an actor in place of one that died, and see to what it was doing."""
        why = str(error).strip().splitlines()[0]
        if task is None:
            self.early_deaths += 1
            if self.early_deaths >= MOST_DEATHS * self.count:
                raise ModelError(f"actors of the Ray cluster die while they load the model: {why}") from error
        else:
            task.deaths += 1
            self.waiting.extendleft(reversed(self._again(task, why)))
        self._start_actor()

    def _again(self, task: _Task, why: str) -> list[_Task]:
        """The tasks that are left of one of which an actor died."""
        if task.deaths < MOST_DEATHS:
            return [task]
        if len(task.places) > 1:
            return [_Task(task.window, [place]) for place in task.places]
        failure = ModelError(f"{task.deaths} processes died of it; the last one: {why}")
        task.put([failed_entry(task.batch[0], failure, str(failure))])
        return []
