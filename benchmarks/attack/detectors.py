"""Tampered detector folders, each given to `check`."""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection, Iterator
from pathlib import Path
from unittest.mock import patch

from sklearn.naive_bayes import GaussianNB

from benchmarks.attack.rows import Row
from benchmarks.attack.sandbox import Sandbox
from benchmarks.attack.scoring import sample_databases
from benchmarks.attack.tampered_detectors import TAMPERINGS, Tampering, canary
from clausewise import Detector, read_cases
from clausewise.datasets import sample_dir
from clausewise.models.registries import PACKAGED

PROMISE = (
    "Each folder is given to `clausewise check --detector`. The command ends with a clear error "
    "and exit code 2, without a traceback; no code of the folder is run; nothing is left."
)
EXPECTED = "exit code 2, one clear line, no code run"
REFUSED = frozenset({2})


def run(folder: Path, only: Collection[str] | None = None) -> Iterator[Row]:
    """Give every tampered folder to `check`; `only` names some of them."""
    sandbox = Sandbox(folder / "sandbox")
    databases = sample_databases(folder / "databases", "bookshop")
    for tampering in TAMPERINGS:
        if only is not None and tampering.name not in only:
            continue
        place = folder / "given" / "detector"
        shutil.copytree(pickled_detector(folder) if tampering.pickled else PACKAGED, place)
        tampering.spoil(place)
        yield _checked(sandbox, databases, tampering, place)
        shutil.rmtree(folder / "given")


def pickled_detector(parent: Path) -> Path:
    """Return the folder of a detector with a pickle, fitted once, by a user of another key."""
    folder = parent / "pickled"
    if folder.is_dir():
        return folder
    detector = Detector(label_model="majority", classifier=GaussianNB(), start="none")
    detector.fit(read_cases(sample_dir() / "cases.jsonl"), sample_dir() / "databases")
    with patch.dict(os.environ, XDG_DATA_HOME=str(folder.with_name("its user"))):
        detector.save(folder)
    return folder


def _checked(sandbox: Sandbox, databases: Path, tampering: Tampering, place: Path) -> Row:
    done = sandbox.run(
        "check",
        *("--db", databases / "bookshop" / "bookshop.sqlite"),
        *("--question", "How many books are there?"),
        *("--sql", "SELECT COUNT(*) FROM books"),
        *("--detector", place),
        seconds=60.0,
    )
    broken = done.broken(REFUSED)
    lines = done.err.strip().splitlines()
    if not any(line.startswith("error: ") for line in lines):
        broken.append("no line is an error")
    if canary(place).exists():
        broken.append("code of the folder was run")
    broken += sandbox.left()
    happened = " ".join(lines).replace(str(place), "DETECTOR")
    return Row(tampering.name, EXPECTED, happened, done.seconds, broken)
