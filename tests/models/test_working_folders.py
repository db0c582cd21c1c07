"""What a library writes while it learns does not outlive the process, however that ends."""

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from clausewise.models.classifiers import working
from clausewise.models.classifiers.working import remove_abandoned, working_folder

CHILD = """
import sys
from clausewise.cli import main
import clausewise.signals
from clausewise.models.classifiers.working import working_folder

def learning():
    folder = working_folder(learning)
    (folder / "half a model").write_text("x")
    print(folder, flush=True)
    sys.stdin.read()

clausewise.signals.load_signals = learning
sys.argv = ["clausewise", "signals"]
main()
"""


class Owner:
    """Anything that can be referred to weakly."""


@pytest.fixture(autouse=True)
def _temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)


def _child() -> tuple[subprocess.Popen[str], Path]:
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    assert child.stdout is not None
    return child, Path(child.stdout.readline().strip())


def test_a_folder_goes_with_its_owner(tmp_path: Path) -> None:
    owner = Owner()
    folder = working_folder(owner)
    assert folder.parent == tmp_path
    assert str(os.getpid()) in folder.name
    assert folder.stat().st_mode & 0o077 == 0
    (folder / "model").write_text("x")
    del owner
    assert not list(tmp_path.iterdir())


def test_a_killed_process_leaves_a_folder_that_the_next_one_removes(tmp_path: Path) -> None:
    child, folder = _child()
    with child:
        assert (folder / "half a model").exists()
        remove_abandoned()
        assert (folder / "half a model").exists(), "its process is still there"
        child.kill()
    owner = Owner()
    assert working_folder(owner).exists()
    assert not folder.exists()
    assert len(list(tmp_path.iterdir())) == 2


def test_a_process_that_is_ended_removes_its_own(tmp_path: Path) -> None:
    child, folder = _child()
    with child:
        assert folder.exists()
        child.send_signal(signal.SIGTERM)
        assert child.wait() == 143
    assert not list(tmp_path.iterdir())


def test_what_others_own_or_link_is_left_alone(tmp_path: Path, monkeypatch) -> None:
    precious = tmp_path / "precious"
    precious.mkdir()
    link = tmp_path / f"{working.PREFIX}1-linked"
    link.symlink_to(precious)
    link.with_name(link.name + ".lock").touch()
    (precious / "file").write_text("x")
    remove_abandoned()
    assert (precious / "file").exists()
    other = tmp_path / f"{working.PREFIX}2-other"
    other.mkdir()
    other.with_name(other.name + ".lock").touch()
    monkeypatch.setattr(os, "getuid", lambda: -1)
    remove_abandoned()
    assert other.exists()
