"""Models of `guidance-kit extract`, in this process or on a Ray cluster."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from guidance_kit.cli.drafts import draft_of
from guidance_kit.cli.engines import Engine
from guidance_kit.cli.warmup import compile_kernels
from guidance_kit.errors import OptionError

if TYPE_CHECKING:
    from guidance_kit.extraction.careful_work import RunBatches, Work
    from guidance_kit.extraction.record_work import Extractor, RecordWork

__all__ = ["ModelOptions", "batches_here", "batches_on_ray"]


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """Options of the command by which a model is loaded, and its draft."""

    model: str | None
    device: str | None
    dtype: str | None
    adapter: str | None
    draft: str | None
    trust_remote_code: bool
    engine: Engine

    def load(self) -> Extractor:
        """The model."""
        trust = self.trust_remote_code
        return self.engine.load(self.model, self.device, self.dtype, self.adapter, trust_remote_code=trust)

    def work(self, work: RecordWork, model: Extractor) -> Work:
        """Work of the model, with its draft."""
        draft = draft_of(self.draft, self.device, self.dtype, trust_remote_code=self.trust_remote_code)
        return replace(work, options={**work.options, "draft": draft}).on(model)


@contextmanager
def batches_here(options: ModelOptions, work: RecordWork) -> Iterator[RunBatches]:
    """Run batches in this process."""
    from guidance_kit.extraction.job import one_after_another

    compile_kernels()
    yield one_after_another(options.work(work, options.load()), work.explain)


@contextmanager
def batches_on_ray(
    address: str, actors: int | None, options: ModelOptions, work: RecordWork, schema: str
) -> Iterator[RunBatches]:
    """Run batches on a cluster.

    Args:
        address, actors: see `connected` and `ActorPool`.
        schema: as the user named it; a Python type in it travels with its module.
    Raises:
        OptionError: Ray is not installed; there is no cluster.
    """
    try:
        from guidance_kit.integrations.ray_jobs.actor_pool import ActorPool, ModelWork
        from guidance_kit.integrations.ray_jobs.cluster import connected
    except ModuleNotFoundError as error:
        if error.name != "ray":
            raise
        raise OptionError("--ray needs Ray: pip install 'guidance-kit[ray]'") from None
    place = schema.rpartition(":")[0]
    module = sys.modules.get(Path(place).stem if place.endswith(".py") else place)
    prepared = ModelWork(load=options.load, work=_PreparedWork(options, work), explain=work.explain, module=module)
    with (
        redirect_stdout(sys.stderr),
        connected(address),
    ):  # Ray tells of dead processes on sys.stdout, where lines may go
        yield ActorPool(prepared, actors=actors).run


@dataclass(frozen=True, slots=True)
class _PreparedWork:
    options: ModelOptions
    work: RecordWork

    def __call__(self, model: Extractor) -> Work:
        return self.options.work(self.work, model)
