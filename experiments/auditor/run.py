"""Which rule and margin keep harmful proposals out, and what good ones they cost.

    python -m experiments.auditor.run DATA --out experiments/auditor/results

For every rule the smallest margin is chosen on one benchmark by which at most 2 % of the harmful
proposals are accepted, alone and with candidates in view, and measured on the other one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from clausewise.correction.base import DEFAULT_MARGIN
from experiments.auditor.pairs import ALONE, GOOD, HARMFUL, IN_VIEW, MUTANT, Pair, cached_pairs
from experiments.auditor.rules import MARGINS, RULES
from experiments.common.data import BENCHMARKS
from experiments.common.results import (
    Cell,
    Row,
    grouped,
    interval,
    interval_columns,
    number,
    read_csv,
    write_csv,
    write_report,
)
from experiments.common.tables import interval_text, markdown_table
from experiments.common.workspace import Workspace, parser

MOST_HARM = 0.02
RESAMPLES = 1_000
DEFAULT_RULE = "odds"
KINDS = (HARMFUL, MUTANT, GOOD)
VIEWS = (ALONE, IN_VIEW)
CHOSEN, IN_FORCE = "chosen", "in force"
Pairs = dict[tuple[str, str, str], list[Pair]]
"""By benchmark, view and kind."""


def accepted(pairs: Sequence[Pair], rule: str, margin: float) -> np.ndarray:
    """Return `[n]`: whether each proposal is taken."""
    takes = RULES[rule]
    return np.array([takes(pair.before, pair.after, margin) for pair in pairs], dtype=bool)


def smallest_margin(pairs: Pairs, benchmark: str, rule: str) -> float | None:
    """Return the smallest margin that keeps harm within the limit in both views."""
    for margin in MARGINS:
        harm = (accepted(pairs[benchmark, view, HARMFUL], rule, margin).mean() for view in VIEWS)
        if max(harm) <= MOST_HARM:
            return margin
    return None


def curve(pairs: Pairs) -> Iterator[dict[str, Cell]]:
    """Yield the share that each rule accepts, at every margin."""
    for (benchmark, view, kind), of in pairs.items():
        for rule in RULES:
            for margin in MARGINS:
                taken = accepted(of, rule, margin)
                yield {
                    "benchmark": benchmark,
                    "view": view,
                    "kind": kind,
                    "rule": rule,
                    "margin": margin,
                    "pairs": len(of),
                    "accepted": float(taken.mean()),
                }


def measured(pairs: Pairs, benchmark: str, rule: str, margin: float) -> Iterator[dict[str, Cell]]:
    """Yield what a rule accepts on a benchmark, with intervals."""
    for view in VIEWS:
        row: dict[str, Cell] = {"benchmark": benchmark, "view": view, "rule": rule}
        row["margin"] = margin
        for kind in KINDS:
            of = pairs[benchmark, view, kind]
            shares = _resampled(accepted(of, rule, margin), [pair.question for pair in of])
            row[f"{kind} pairs"] = len(of)
            row |= interval_columns(kind, shares)
        yield row


def _resampled(taken: np.ndarray, questions: Sequence[str]) -> list[float]:
    """Return the share with its 95 % interval over resampled questions."""
    place = {text: number for number, text in enumerate(dict.fromkeys(questions))}
    of_case = np.array([place[text] for text in questions])
    count = np.bincount(of_case)
    hits = np.bincount(of_case, weights=taken)
    drawn = np.random.default_rng(0).multinomial(
        len(place), [1 / len(place)] * len(place), RESAMPLES
    )
    low, high = np.percentile((drawn @ hits) / (drawn @ count), [2.5, 97.5])
    return [float(taken.mean()), float(low), float(high)]


def chosen_rows(pairs: Pairs) -> Iterator[dict[str, Cell]]:
    """Yield each rule on the benchmark that it was not chosen on, then the one in force."""
    for rule in RULES:
        for other, benchmark in (BENCHMARKS, BENCHMARKS[::-1]):
            margin = smallest_margin(pairs, other, rule)
            if margin is not None:
                for row in measured(pairs, benchmark, rule, margin):
                    yield {"why": CHOSEN, "chosen_on": other, **row}
    for benchmark in BENCHMARKS:
        for row in measured(pairs, benchmark, DEFAULT_RULE, DEFAULT_MARGIN):
            yield {"why": IN_FORCE, "chosen_on": "", **row}


def report(folder: Path) -> str:
    """Return both tables."""
    rows = grouped(read_csv(folder / "chosen.csv"), "why")
    header = ["margin", "measured on", "in view", "harmful", "harmful mutants", "good"]
    parts = [
        "# Results\n\nShare of proposals accepted, 95 % intervals over resampled questions.\n",
        f"## The rule in force: odds, margin {DEFAULT_MARGIN}\n",
        markdown_table(header, [_line(row) for row in rows[IN_FORCE,]]),
        "## Rules, each with the margin that the other benchmark chose\n",
        markdown_table(["rule", *header], [[row["rule"], *_line(row)] for row in rows[CHOSEN,]]),
    ]
    return "\n".join(parts)


def _line(row: Row) -> list[str]:
    shares = [interval_text(interval(row, kind)) for kind in KINDS]
    return [f"{number(row, 'margin'):.2f}", row["benchmark"], row["view"], *shares]


def main() -> None:
    """Run the experiment and write its results."""
    workspace = Workspace.of(parser(__doc__).parse_args())
    pairs: Pairs = {
        (name, view, kind): [] for name in BENCHMARKS for view in VIEWS for kind in KINDS
    }
    for name in BENCHMARKS:
        for pair in cached_pairs(workspace, name):
            pairs[name, pair.view, pair.kind].append(pair)
    write_csv(workspace.out / "results.csv", list(curve(pairs)))
    write_csv(workspace.out / "chosen.csv", list(chosen_rows(pairs)))
    print(write_report(workspace.out, report))


if __name__ == "__main__":
    main()
