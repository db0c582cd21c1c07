"""Running the command line: in this process for speed, in one of its own where that matters."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from clausewise.cli import main
from clausewise.datasets import sample_dir


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    code: int
    out: str
    err: str

    def lines(self) -> list[dict[str, Any]]:
        """Return standard output as JSON lines."""
        return [json.loads(line) for line in self.out.splitlines()]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Done]:
    def command(*arguments: object) -> Done:
        monkeypatch.setattr(sys, "argv", ["clausewise", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        captured = capsys.readouterr()
        return Done(int(ended.value.code or 0), captured.out, captured.err)

    return command


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    """A copy of the packaged sample that a test may spoil."""
    return Path(shutil.copytree(sample_dir(), tmp_path / "sample"))


@pytest.fixture(scope="session")
def detector(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A light detector fitted on the sample, without labels."""
    from clausewise.datasets import read_cases
    from clausewise.models import Detector

    folder = tmp_path_factory.mktemp("light") / "detector"
    made = Detector(signals="sqlens", label_model="weighted", classifier="logistic")
    made.fit(read_cases(sample_dir() / "cases.jsonl"), sample_dir() / "databases").save(folder)
    return folder


@pytest.fixture
def few_cases(sample: Path) -> Path:
    """Six cases of one database."""
    lines = (sample / "cases.jsonl").read_text(encoding="utf-8").splitlines()[8:14]
    path = sample / "few.jsonl"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
