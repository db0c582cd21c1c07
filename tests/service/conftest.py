"""One service for all tests that change nothing about it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from clausewise.datasets import sample_dir
from tests.service.running import Served, serving


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    log = tmp_path_factory.mktemp("service") / "log"
    with serving(log, "--databases", sample_dir() / "databases") as served:
        yield served
