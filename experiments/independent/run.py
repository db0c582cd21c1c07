"""What a detector says of queries made by hand on databases that it has never seen.

    python -m experiments.independent.run --out experiments/independent/results
    python -m experiments.independent.run --split held --out RESULTS

The packaged detector by default; another one with `--detector FOLDER`. `held` is there to report
on: nobody should improve on its failures. So single cases are written for `dev` only, and kinds of
errors for `held` only where it is asked for alone.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from clausewise.evaluation.measuring import Sample, auc_of_resamples, interval_figure, measure
from clausewise.models import Detector
from clausewise.models.registries import PACKAGED
from clausewise.types import ScoredCase, Verdict
from experiments.common.results import Cell, grouped, read_csv, write_csv, write_report
from experiments.common.tables import interval_text, markdown_table
from experiments.independent.cases import (
    SPLITS,
    WORDINGS,
    HandMade,
    make_databases,
    read_hand_made,
)

RESAMPLES = 1000
ALL = "all"
DEV = SPLITS[0]
Pair = tuple[HandMade, ScoredCase]
Pairs = dict[str, list[Pair]]
"""Cases with what a detector says of them, by wording; every wording has the same cases."""


def scored_pairs(splits: Sequence[str], detector: Detector) -> Pairs:
    """Return the cases of the splits in each wording, with what the detector says of them."""
    made = read_hand_made(splits)
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        make_databases(Path(folder))
        for wording in WORDINGS:
            scored = detector.score([item.worded(wording) for item in made], folder)
            found[wording] = list(zip(made, scored, strict=True))
    return found


def summaries(split: str, pairs: Pairs) -> list[dict[str, Cell]]:
    """Return a row for each wording, and one for all of them.

    The AUC of all wordings is the mean of theirs; its interval is over cases, not over wordings.
    """
    rows = [summary(split, wording, of) for wording, of in pairs.items()]
    together = summary(split, ALL, [pair for of in pairs.values() for pair in of])
    values = [auc_of_resamples(_sample(of), RESAMPLES, 0) for of in pairs.values()]
    figure = interval_figure(np.mean(values, axis=0))
    together |= {"auc": figure.value, "auc_low": figure.low, "auc_high": figure.high}
    return [*rows, together]


def summary(split: str, wording: str, pairs: Sequence[Pair]) -> dict[str, Cell]:
    """Return the figures of some cases: AUC with its interval over cases, and counts."""
    wrong = [scored for made, scored in pairs if not made.correct]
    right = [scored for made, scored in pairs if made.correct]
    figures = measure(_sample(pairs), bootstrap=RESAMPLES)
    auc = figures["auc"]
    return {
        "split": split,
        "wording": wording,
        "wrong": len(wrong),
        "right": len(right),
        "auc": auc.value,
        "auc_low": auc.low,
        "auc_high": auc.high,
        "wrong_called": sum(map(called, wrong)),
        "right_called": sum(map(called, right)),
        "wrong_silent": sum(not scored.findings for scored in wrong),
        "right_silent": sum(not scored.findings for scored in right),
        "ece": figures["ece"].value,
    }


def _sample(pairs: Sequence[Pair]) -> Sample:
    return Sample(
        np.array([not made.correct for made, _ in pairs]),
        np.array([1.0 - (scored.p_correct or 0.0) for _, scored in pairs]),
        np.array([called(scored) for _, scored in pairs]),
        probability=True,
    )


def called(scored: ScoredCase) -> bool:
    """Return whether the verdict is INCORRECT."""
    return scored.verdict is Verdict.INCORRECT


def kind_rows(split: str, pairs: Sequence[Pair]) -> list[dict[str, Cell]]:
    """Return a row for each kind of error, and of correct query, each wording a case."""
    kinds = sorted({(made.correct, made.kind) for made, _ in pairs})
    rows: list[dict[str, Cell]] = []
    for correct, kind in kinds:
        of = [scored for made, scored in pairs if (made.correct, made.kind) == (correct, kind)]
        mean = float(np.mean([1.0 - (scored.p_correct or 0.0) for scored in of]))
        rows.append(
            {
                "split": split,
                "correct": correct,
                "kind": kind,
                "cases": len(of),
                "called": sum(map(called, of)),
                "silent": sum(not scored.findings for scored in of),
                "mean_p_incorrect": mean,
            }
        )
    return rows


def case_rows(pairs: Pairs) -> list[dict[str, Cell]]:
    """Return a row for each case and wording of the split that may be read."""
    return [
        {
            "question_id": made.case.question_id,
            "wording": wording,
            "correct": made.correct,
            "kind": made.kind,
            "p_correct": scored.p_correct,
            "verdict": scored.verdict.value,
            "signals": " ".join(sorted({finding.signal for finding in scored.findings})),
        }
        for wording, of in pairs.items()
        for made, scored in of
        if made.split == DEV
    ]


def report(folder: Path) -> str:
    """Return the tables of a folder of results."""
    columns = ("wrong_called", "right_called", "wrong_silent", "right_silent")
    lines = []
    for row in read_csv(folder / "results.csv"):
        auc = [float(row[name] or "nan") for name in ("auc", "auc_low", "auc_high")]
        totals = [row["wrong"], row["right"]] * 2
        counts = [f"{row[name]} of {of}" for name, of in zip(columns, totals, strict=True)]
        lines.append(
            [row["split"], row["wording"], interval_text(auc), *counts, f"{float(row['ece']):.3f}"]
        )
    header = ["split", "wording", "AUC", "wrong called", "right called", "wrong, no finding"]
    header += ["right, no finding", "ECE"]
    parts = ["# Results\n\n" + markdown_table(header, lines)]
    for (split, correct), rows in grouped(
        read_csv(folder / "kinds.csv"), "split", "correct"
    ).items():
        cells = [
            [r["kind"], r["cases"], r["called"], r["silent"], f"{float(r['mean_p_incorrect']):.2f}"]
            for r in rows
        ]
        header = ["kind", "cases", "called incorrect", "no finding", "mean p(incorrect)"]
        title = "correct queries" if correct == "True" else "errors"
        parts.append(f"## {split}: {title}\n\n{markdown_table(header, cells)}")
    return "\n".join(parts)


def main() -> None:
    """Score the cases, write the results, and print them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--split", choices=SPLITS, help="one split; default: both")
    parser.add_argument("--out", type=Path, required=True, help="folder of the results")
    parser.add_argument("--detector", type=Path, default=PACKAGED, help="folder of a detector")
    arguments = parser.parse_args()
    splits = SPLITS if arguments.split is None else (arguments.split,)
    pairs = scored_pairs(splits, Detector.load(arguments.detector))
    results, kinds = [], []
    for split in splits:
        of = {
            name: [pair for pair in found if pair[0].split == split]
            for name, found in pairs.items()
        }
        results += summaries(split, of)
        if split in (DEV, arguments.split):
            kinds += kind_rows(split, [pair for found in of.values() for pair in found])
    if len(splits) > 1:
        results += summaries(ALL, pairs)
    arguments.out.mkdir(parents=True, exist_ok=True)
    write_csv(arguments.out / "results.csv", results)
    write_csv(arguments.out / "kinds.csv", kinds)
    if DEV in splits:
        write_csv(arguments.out / "dev_cases.csv", case_rows(pairs))
    print(write_report(arguments.out, report))


if __name__ == "__main__":
    main()
