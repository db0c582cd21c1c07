"""What the verdict is worth on databases of the world that nothing was learned from.

    python -m experiments.world.run DATA --out experiments/world/results --jobs 2

The databases are dealt out to five folds. Each is scored by a detector like the packaged one, for
relaxed conventions, that was trained on the benchmarks and on the other folds; threshold and
calibration of a fold come from its own training databases. Labels that a second reader disputed are
left out. The sets of predictions are reported apart: six in ten composed queries are wrong, which
no log is.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from clausewise.models import within_risk
from clausewise.models.prior import estimate_share, moved, share_shift
from clausewise.signals.reasons import BASE_SHARE
from clausewise.types import Verdict
from experiments.common.results import Cell, number, read_csv, write_csv, write_report
from experiments.common.tables import markdown_table
from experiments.common.workspace import Workspace, parser
from experiments.world import alarms, judges, labels, parts
from experiments.world.left_out import (
    SETS,
    Fold,
    Scored,
    all_systems,
    columns,
    folds,
    scored_by,
)
from experiments.world.measures import area, ece, recall_at

RISKS = (0.05, 0.1, 0.2)
FEWEST = 20
"""Kinds of errors and reasons with fewer cases are put together or left out."""
Floats = NDArray[np.float64]


def called(scored: Sequence[Scored]) -> NDArray[np.bool_]:
    """Return `[n]` whether each case is called incorrect."""
    return np.array([one.case.verdict is Verdict.INCORRECT for one in scored], dtype=bool)


def figures(scored: Sequence[Scored]) -> dict[str, Cell]:
    """Return what the verdicts and probabilities of a set are worth."""
    wrong, p = columns(scored)
    is_called = called(scored)
    share = float(wrong.mean())
    own = moved(p, share_shift(BASE_SHARE, share))
    databases = len({one.case.db_id for one in scored})
    found = estimate_share(p, BASE_SHARE, databases).share
    estimated = moved(p, share_shift(BASE_SHARE, found))
    return {
        "cases": len(p),
        "incorrect": share,
        "auc": area(wrong, p),
        "recall_at_5": recall_at(wrong, p, 0.05),
        "right_called": float(is_called[~wrong].mean()),
        "wrong_called": float(is_called[wrong].mean()),
        "without_finding": sum(
            one.case.verdict is Verdict.INCORRECT
            and not any((of.contribution or 0.0) > 0.0 for of in one.case.findings)
            for one in scored
        ),
        "share_estimated": found,
        "ece_as_given": ece(wrong, p),
        "ece_at_known_share": ece(wrong, own),
        "ece_at_estimated_share": ece(wrong, estimated),
    }


def risks(scored: Sequence[Scored]) -> Iterator[dict[str, Cell]]:
    """Yield what `--max-risk` keeps, over a whole file and database by database."""
    by_database: dict[str | None, list[Scored]] = defaultdict(list)
    for one in scored:
        by_database[one.case.db_id].append(one)
    files = {"one file": [list(scored)], "a file a database": list(by_database.values())}
    for name, batches in files.items():
        for risk in RISKS:
            kept = errors = count = 0
            for part in batches:
                marked = within_risk([one.case for one in part], risk)
                for one, case in zip(part, marked, strict=True):
                    count += 1
                    kept += not case.abstained
                    is_called = case.verdict is Verdict.INCORRECT
                    errors += not case.abstained and is_called != one.incorrect
            yield {
                "given": name,
                "max_risk": risk,
                "kept": kept / count,
                "wrong_verdicts": errors / kept if kept else None,
            }


def by_error(scored: Sequence[Scored], kinds: dict[str, str]) -> Iterator[dict[str, Cell]]:
    """Yield how many of each kind of error are called, the most frequent kinds first."""
    counted: dict[str, list[bool]] = defaultdict(list)
    for one, is_called in zip(scored, called(scored).tolist(), strict=True):
        if one.incorrect:
            counted[kinds.get(str(one.case.question_id), "unknown")].append(is_called)
    for kind, of in sorted(counted.items(), key=lambda item: -len(item[1])):
        if len(of) >= FEWEST:
            yield {"error": kind, "cases": len(of), "called": float(np.mean(of))}


def by_reason(scored: Sequence[Scored]) -> Iterator[dict[str, Cell]]:
    """Yield for each reason how often it stands in right queries that are called incorrect."""
    right: Counter[str] = Counter()
    told: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    for one, is_called in zip(scored, called(scored).tolist(), strict=True):
        reasons = {
            f"{of.signal}.{of.reason}"
            for of in one.case.findings
            if (of.contribution or 0.0) > 0.0 and of.reason
        }
        (wrong if one.incorrect else right).update(reasons)
        if is_called and not one.incorrect:
            told.update(reasons)
    for name, count in sorted(told.items(), key=lambda item: (-item[1], item[0])):
        yield {
            "reason": name,
            "right_called": count,
            "right_with_it": right[name],
            "wrong_with_it": wrong[name],
        }


def kinds_of(data: Path) -> dict[str, str]:
    """Return the kind of error of each composed query."""
    import json

    lines = (data / "world" / "labels" / "composed.jsonl").read_text(encoding="utf-8").splitlines()
    return {
        str(record["question_id"]): record["error"]
        for record in map(json.loads, filter(str.strip, lines))
        if record.get("error")
    }


def tables(
    workspace: Workspace, made: Sequence[Fold]
) -> dict[str, Callable[[], Iterator[dict[str, Cell]]]]:
    """Return what is measured on folds, by the name of its CSV file."""
    scored = [one for fold in made for one in scored_by(fold)]
    sets = {name: [one for one in scored if one.set == name] for name in SETS}

    def risk_rows() -> Iterator[dict[str, Cell]]:
        return ({"set": name, **row} for name, of in sets.items() for row in risks(of))

    return {
        "sets": lambda: ({"set": name, **figures(of)} for name, of in sets.items()),
        "risks": risk_rows,
        "errors": lambda: by_error(sets["composed"], kinds_of(workspace.data)),
        "reasons": lambda: by_reason([one for of in sets.values() for one in of]),
        "alarms": lambda: alarms.rows(scored),
        "parts": lambda: parts.rows(all_systems(workspace), made[0]),
        "judges": lambda: judges.rows(made, workspace.data),
        "labels": lambda: labels.rows(made),
    }


def report(folder: Path) -> str:
    """Return the figures as tables."""
    parts = ["# Results\n\nDatabases left out; conventions relaxed; disputed labels left out.\n"]
    rows = read_csv(folder / "sets.csv")
    header = ["", *(row["set"] for row in rows)]
    lines = [[name, *(_text(row, name) for row in rows)] for name in rows[0] if name != "set"]
    parts.append("## Sets\n\n" + markdown_table(header, lines))
    parts.append("## Kept at `--max-risk`\n\n" + _table(folder / "risks.csv"))
    parts.append("## Composed errors by kind: called incorrect\n\n" + _table(folder / "errors.csv"))
    parts.append("## Reasons in right queries that are called\n\n" + _table(folder / "reasons.csv"))
    for name, title in (
        ("alarms", "A hundred false alarms of the detector before, and those that are left"),
        ("labels", "Labels of one's own databases"),
        ("judges", "Judges' votes, without labels"),
        ("parts", "What each part adds"),
    ):
        if (folder / f"{name}.csv").exists():
            parts.append(f"## {title}\n\n" + _table(folder / f"{name}.csv"))
    return "\n".join(parts)


def _table(path: Path, most: int = 40) -> str:
    rows = read_csv(path)
    header = list(rows[0])
    return markdown_table(header, [[_text(row, name) for name in header] for row in rows[:most]])


def _text(row: dict[str, str], name: str) -> str:
    value = row[name]
    try:
        float(value)
    except ValueError:
        return value or "-"
    return value if "." not in value else f"{number(row, name):.3f}"


def main() -> None:
    """Run the experiment and write its results."""
    known = parser(__doc__)
    known.add_argument("--only", default="", help="names of CSV files, comma-separated; else all")
    arguments = known.parse_args()
    workspace = Workspace.of(arguments)
    wanted = [name for name in arguments.only.split(",") if name]
    for name, rows in tables(workspace, list(folds(workspace))).items():
        if not wanted or name in wanted:
            found = list(rows())
            write_csv(workspace.out / f"{name}.csv", found)
            print(name, len(found), "rows", flush=True)
    write_report(workspace.out, report)


if __name__ == "__main__":
    main()
