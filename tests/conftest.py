"""Fixtures for all tests: caches and keys stay inside the test's own folders."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings

pytest_plugins = ["tests.servers.plugin"]

settings.register_profile("same-every-time", derandomize=True, deadline=None)
settings.load_profile("same-every-time")

_SESSION_CACHE = Path(tempfile.mkdtemp(prefix="clausewise-tests-"))
os.environ["CLAUSEWISE_CACHE_DIR"] = str(_SESSION_CACHE)


@pytest.fixture(autouse=True)
def _own_user_data(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Keep the signing key and whatever else belongs to the user out of the real home."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path_factory.getbasetemp() / "user-data"))
