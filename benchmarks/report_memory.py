"""Seconds and memory of `report` and `evaluate` on a large scores file.

    python -m benchmarks.report_memory [--lines 50000] [--details]

The packaged sample is scored once; its lines are repeated with question ids and databases of
their own. Every command runs in a process of its own, whose largest resident memory is read.
Seconds are those of the CPU, which other work beside does not move as much as the clock's.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from clausewise.datasets import read_gold, read_labels, sample_dir
from experiments.common.tables import markdown_table

FORMATS = ("text", "json", "markdown", "html", "csv", "sarif")
DATABASES = 7
"""Names of databases that each one of the sample becomes."""
RESAMPLES = 100


def scored_sample(folder: Path) -> Path:
    """Score the packaged sample; return the file."""
    path = folder / "sample.jsonl"
    databases = ["--databases", str(sample_dir() / "databases")]
    cases = str(sample_dir() / "cases.jsonl")
    run(["score", cases, *databases, "--out", str(path)])
    return path


def write_inputs(sample: Path, folder: Path, number: int) -> tuple[Path, Path, Path]:
    """Write `number` lines of scores with their labels and golds; return the three files."""
    lines = sample.read_text(encoding="utf-8").splitlines()
    labels, golds = (
        {str(question_id): value for question_id, value in read(sample_dir() / name).items()}
        for read, name in ((read_labels, "labels.jsonl"), (read_gold, "gold.jsonl"))
    )
    paths = folder / "scores.jsonl", folder / "labels.jsonl", folder / "gold.jsonl"
    with (
        paths[0].open("w", encoding="utf-8") as scores_file,
        paths[1].open("w", encoding="utf-8") as labels_file,
        paths[2].open("w", encoding="utf-8") as golds_file,
    ):
        for place in range(number):
            record = json.loads(lines[place % len(lines)])
            before = str(record["question_id"])
            after = f"{before}-{place // len(lines)}"
            record |= {
                "question_id": after,
                "db_id": f"{record['db_id']}_{place % DATABASES}",
            }
            scores_file.write(json.dumps(record, ensure_ascii=False) + "\n")
            labels_file.write(json.dumps({"question_id": after, "correct": labels[before]}) + "\n")
            golds_file.write(json.dumps({"question_id": after, "gold_sql": golds[before]}) + "\n")
    return paths


def commands(paths: Sequence[Path], out: Path, details: bool) -> Iterator[tuple[str, list[str]]]:
    """Yield names and arguments of what is measured."""
    scores, labels, gold = map(str, paths)
    more = ["--details"] if details else []
    for name in FORMATS:
        yield (
            f"report, {name}",
            ["report", scores, "--format", name, "--out", str(out), *more],
        )
    yield "report, html, sorted", ["report", scores, "-f", "html", "--sort", "p", "--out", str(out)]
    yield (
        "report, html, top 100",
        ["report", scores, "-f", "html", "--top", "100", "--out", str(out)],
    )
    measuring = ["evaluate", scores, "--labels", labels, "--bootstrap", str(RESAMPLES), "--json"]
    yield "evaluate", measuring
    yield "evaluate, gold", [*measuring, "--gold", gold]


def run(arguments: Sequence[str]) -> tuple[float, float]:
    """Run the command; return its CPU seconds and its largest resident memory in MB."""
    process = subprocess.Popen(
        [sys.executable, "-m", "clausewise", *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1, 3):
        raise SystemExit(f"{' '.join(arguments)} ended with {process.returncode}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, default=50_000)
    parser.add_argument("--details", action="store_true", help="write out every case")
    asked = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        paths = write_inputs(scored_sample(folder), folder, asked.lines)
        out = folder / "report"
        for label, arguments in commands(paths, out, asked.details):
            out.unlink(missing_ok=True)
            seconds, megabytes = run(arguments)
            size = f"{out.stat().st_size / 2**20:.0f}" if out.exists() else "-"
            rows.append([label, f"{seconds:.1f}", f"{megabytes:.0f}", size])
    print(markdown_table(["command", "CPU seconds", "peak memory, MB", "report, MB"], rows))


if __name__ == "__main__":
    main()
