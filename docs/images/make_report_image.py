"""Make the picture of a report: the packaged sample without candidates, shown by Chromium.

python docs/images/make_report_image.py [CHROMIUM]
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from clausewise.databases import Databases
from clausewise.datasets import read_cases, sample_dir
from clausewise.models import packaged_detector
from clausewise.reporting import render
from clausewise.types import Case, CaseStatus

IMAGE = Path(__file__).with_name("report.png")
SIZE = "1060,1376"


def main(chromium: str = "chromium") -> None:
    """Score the sample, write the report and take its picture."""
    sample = sample_dir()
    cases = [
        case.model_copy(update={"candidates": ()})
        for case in read_cases(sample / "cases.jsonl")
        if isinstance(case, Case)
    ]
    scored = packaged_detector().score(cases, Databases(sample / "databases"))
    runs = [case for case in scored if case.status is CaseStatus.OK]
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        page.write_text(render(runs, "html", sort="p"), encoding="utf-8")
        command = [
            chromium, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
            f"--screenshot={IMAGE}", f"--window-size={SIZE}", page.as_uri(),
        ]  # fmt: skip
        subprocess.run(command, check=True, capture_output=True)
    print(f"written: {IMAGE} ({IMAGE.stat().st_size:,} bytes)")


if __name__ == "__main__":
    main(*sys.argv[1:])
