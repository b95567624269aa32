"""Connection to a Ray cluster."""

# pyright: reportMissingImports=false

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager

import ray

from guidance_kit.errors import OptionError

__all__ = ["connected"]


@contextmanager
def connected(address: str) -> Iterator[None]:
    """Connect to a cluster, unless this process is connected already.

    Args:
        address: HOST:PORT of its head, "auto" for the cluster of this machine, "local" for a new one that ends with the
            context.
    Raises:
        OptionError: there is no cluster.
    """
    if ray.is_initialized():
        yield
        return
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # a cluster that begins here reports to nobody
    options = {"include_dashboard": False} if address == "local" else {}
    try:
        _check_listening(address)
        ray.init(address=address, log_to_driver=False, logging_level=logging.WARNING, **options)
    except (OSError, ValueError, RuntimeError) as error:
        said = str(error).strip().splitlines() or [type(error).__name__]
        raise OptionError(f"there is no Ray cluster at {address}: {said[0]}") from error
    try:
        yield
    finally:
        ray.shutdown()


def _check_listening(address: str) -> None:
    """Connect to the port of a head once, since Ray itself tries for minutes where nothing listens.

    Raises:
        OSError: nothing listens there.
        ValueError: the port is no number.
    """
    host, colon, port = address.rpartition(":")
    if colon and "://" not in address:
        socket.create_connection((host.strip("[]"), int(port)), timeout=10).close()
