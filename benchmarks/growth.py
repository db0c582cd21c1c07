"""How time and memory grow with the number of cases, on the packaged sample.

    python -m benchmarks.growth [--jobs 1]

Each size is scored by the command in a process of its own. Constants in the queries are varied,
so that no answer is remembered from another case.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from clausewise.datasets import sample_dir
from experiments.common.tables import markdown_table

SIZES = (1_000, 2_000, 5_000, 10_000)


def write_cases(path: Path, size: int, distinct: bool = True) -> None:
    """Write `size` cases: the sample's, again and again, each query made `distinct` or not."""
    lines = (sample_dir() / "cases.jsonl").read_text(encoding="utf-8").splitlines()
    with path.open("w", encoding="utf-8") as file:
        for number in range(size):
            case = json.loads(lines[number % len(lines)])
            case["question_id"] = number
            if distinct:
                case["predicted_sql"] = case["predicted_sql"].rstrip("; \n") + f" /* {number} */"
            file.write(json.dumps(case) + "\n")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=1)
    jobs = parser.parse_args().jobs
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for size in SIZES:
            cases = Path(folder) / f"{size}.jsonl"
            write_cases(cases, size)
            command = [
                str(Path(sys.executable).with_name("clausewise")), "score", str(cases),
                "--databases", str(sample_dir() / "databases"), "--out", f"{cases}.scores.jsonl",
                "--jobs", str(jobs),
            ]  # fmt: skip
            began = time.perf_counter()
            done = subprocess.run(command, check=False, capture_output=True, text=True)
            seconds = time.perf_counter() - began
            if done.returncode not in (0, 1, 3):
                raise SystemExit(done.stderr)
            peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
            rows.append(
                [f"{size:,}", f"{seconds:.1f}", f"{seconds / size * 1e3:.2f}", f"{peak:.0f}"]
            )
    print(markdown_table(["cases", "seconds", "ms a case", "peak memory so far, MB"], rows))


if __name__ == "__main__":
    main()
