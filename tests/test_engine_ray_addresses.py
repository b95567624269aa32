"""Addresses of Ray clusters at which there is none: an error at once, where Ray itself would try for minutes."""

from __future__ import annotations

import socket

import pytest

pytest.importorskip("ray", reason="needs Ray: make test-engines")

from guidance_kit.errors import OptionError
from guidance_kit.integrations.ray_jobs.cluster import connected

pytestmark = pytest.mark.engines


def test_a_port_at_which_nothing_listens():
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
    with pytest.raises(OptionError, match=rf"^there is no Ray cluster at {address}: .*refused"), connected(address):
        pass


@pytest.mark.parametrize("address", ["127.0.0.1:port", "[::1]:"])
def test_a_port_that_is_no_number(address):
    with (
        pytest.raises(OptionError, match=r"^there is no Ray cluster at .*: invalid literal for int"),
        connected(address),
    ):
        pass
