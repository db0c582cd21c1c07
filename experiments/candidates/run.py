"""What candidates add, by how independent they are, and the formula learned from it.

    python -m experiments.candidates.run DATA --out RESULTS

The packaged detector scores every query alone; the candidates' log-odds are added. What they are
worth is learned without the database that is scored, or on the other benchmark alone.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from clausewise.models.agreement import AgreementWeights, added, domain_factor
from clausewise.models.probability import sigmoid
from clausewise.types import Inspection, ScoredCase, Verdict
from experiments.candidates.learning import Floats, Rows, learned, line_of, rows_of
from experiments.candidates.settings import SYSTEMS, Setting, settings
from experiments.common.data import BENCHMARKS
from experiments.common.means import SystemFigures, system_figures
from experiments.common.results import (
    Cell,
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

NONE, FIXED = "no candidates", "fixed weight, every candidate a voice"
LEFT_OUT, TRANSFER, PACKAGED = "learned, database left out", "learned, other benchmark", "packaged"
RESAMPLES = 300
FIXED_WEIGHT, FIXED_CENTER = 10.0, 0.3
"""The weight before: log-odds that a disagreement of 1 adds, and where it is neutral."""


@dataclass(frozen=True)
class Learned:
    """What was learned: of everything, without each database, without each benchmark.

    `lines` bring the log-odds of the single query, and those with the fixed weight, to scale; each
    was fitted on the other benchmark.
    """

    everything: AgreementWeights
    databases: dict[str, AgreementWeights]
    benchmarks: dict[str, AgreementWeights]
    lines: dict[str, tuple[Floats, Floats]]


def benchmark_of(rows: Rows) -> NDArray[np.str_]:
    """Return `[n]` the benchmark of each case."""
    return np.array([name.split(":")[0].split(",")[0] for name in rows.group])


def learned_of(found: Sequence[Setting]) -> Learned:
    """Learn the formula and the lines."""
    rows = rows_of(found)
    benchmark = benchmark_of(rows)
    alone = np.zeros(len(rows.alone))
    for name in np.unique(benchmark):
        here = benchmark == name
        shift, slope = line_of(rows.of(here), rows.alone[here])
        alone[here] = shift + slope * rows.alone[here]

    def without(values: NDArray[np.str_]) -> dict[str, AgreementWeights]:
        parts = {str(name): values != name for name in np.unique(values)}
        return {name: learned(rows.of(rest), alone[rest]) for name, rest in parts.items()}

    lines: dict[str, tuple[Floats, Floats]] = {}
    for setting in (of for of in found if of.name == SYSTEMS and of.benchmark in BENCHMARKS):
        own = rows_of([setting])
        other = next(name for name in BENCHMARKS if name != setting.benchmark)
        lines[other] = (line_of(own, own.alone), line_of(own, fixed_sum(setting, own)))
    return Learned(learned(rows, alone), without(rows.database), without(benchmark), lines)


def log_odds(rows: Rows, fixed: Floats, of: Learned) -> dict[str, Floats]:
    """Return `[n]` log-odds of being incorrect by each way, for the cases of one setting."""
    benchmark = str(benchmark_of(rows)[0])
    single, summed = of.lines[benchmark]
    alone = single[0] + single[1] * rows.alone
    found = {NONE: alone, FIXED: summed[0] + summed[1] * fixed, LEFT_OUT: np.zeros(len(alone))}
    for name in np.unique(rows.database):
        here = rows.database == name
        found[LEFT_OUT][here] = _total(rows, alone, of.databases[str(name)])[here]
    found[TRANSFER] = _total(rows, alone, of.benchmarks[benchmark])
    found[PACKAGED] = _total(rows, alone, of.everything)
    return found


def _total(rows: Rows, alone: Floats, weights: AgreementWeights) -> Floats:
    return np.asarray(alone + added(alone, rows.disagreement, rows.voices, weights=weights))


def fixed_sum(setting: Setting, rows: Rows) -> Floats:
    """Return `[n]` log-odds with the weight before: every candidate counts, smoothed."""
    score = []
    for item in (item for system in setting.systems for item in system.inspections):
        assert isinstance(item, Inspection)
        names = ("candidates", "agreeing", "near")
        ran, agreeing, near = (item.agreement.get(name, 0.0) for name in names)
        silent = agreeing == ran
        score.append(0.0 if silent else (ran - agreeing - 0.5 * near + 0.5) / (ran + 1.5))
    has = rows.voices > 0
    return rows.alone + FIXED_WEIGHT * np.where(has, np.array(score) - FIXED_CENTER, 0.0)


def figures(setting: Setting, total: Floats) -> SystemFigures:
    """Return what log-odds are worth, system by system."""
    start = 0
    scored: dict[str, list[ScoredCase]] = {}
    for system in setting.systems:
        cases = setting.alone[system.name]
        incorrect = sigmoid(total[start : start + len(cases)])
        start += len(cases)
        scored[system.name] = [
            dataclasses.replace(
                case,
                p_correct=float(1.0 - wrong),
                verdict=Verdict.INCORRECT if wrong >= 0.5 else Verdict.CORRECT,
            )
            for case, wrong in zip(cases, incorrect, strict=True)
        ]
    return system_figures(setting.systems, scored, setting.gold, RESAMPLES)


def measured(found: Sequence[Setting], of: Learned) -> Iterator[dict[str, Cell]]:
    """Yield a row for every setting and way."""
    for setting in found:
        rows = rows_of([setting])
        totals = log_odds(rows, fixed_sum(setting, rows), of)
        results = {way: figures(setting, total) for way, total in totals.items()}
        has = rows.voices > 0
        factors = [
            domain_factor(totals[NONE][here], rows.disagreement[here], rows.voices[here])
            for here in (rows.system == name for name in np.unique(rows.system))
        ]
        for way, result in results.items():
            gain = result.gain(results[NONE], "auc")
            print(setting.benchmark, setting.name, way, result.mean("auc"), gain, flush=True)
            yield {
                "benchmark": setting.benchmark,
                "candidates": setting.name,
                "way": way,
                "systems": len(setting.systems),
                "cases": len(has),
                "voices": float(rows.voices[has].mean()),
                "lowest_domain_factor": min(factors),
                **result.row(),
                **interval_columns("auc_gain", gain),
                **interval_columns("within_gain", result.gain(results[NONE], "auc_within")),
            }


def report(folder: Path) -> str:
    """Return the table of every benchmark."""
    rows = read_csv(folder / "results.csv")
    parts = [
        "# Results\n\nMeans over systems with 95 % intervals (resampled questions), executable "
        "queries only, no vacuous labels. The single query's log-odds are brought to scale by a "
        f"line fitted on the other benchmark; *{PACKAGED}* was learned of all databases.\n"
    ]
    header = ["candidates", "systems", "voices", "way", "AUC", "AUC less none"]
    header += ["within databases, less none", "ECE", "F1"]
    for (benchmark,), of in grouped(rows, "benchmark").items():
        lines = []
        for (candidates,), ways in grouped(of, "candidates").items():
            for place, row in enumerate(ways):
                first = [candidates, row["systems"], f"{number(row, 'voices'):.1f}"]
                lines.append(
                    [
                        *(first if place == 0 else ["", "", ""]),
                        row["way"],
                        interval_text(interval(row, "auc")),
                        interval_text(interval(row, "auc_gain"), signed=True),
                        interval_text(interval(row, "within_gain"), signed=True),
                        f"{number(row, 'ece'):.3f}",
                        f"{number(row, 'f1'):.3f}",
                    ]
                )
        parts.append(f"## {benchmark}\n\n{markdown_table(header, lines)}")
    weights = read_csv(folder / "weights.csv")
    names = list(weights[0])
    lines = [[row[name] for name in names] for row in weights]
    parts.append(f"## The formula\n\n{markdown_table(names, lines)}")
    return "\n".join(parts)


def write(found: Sequence[Setting], out: Path) -> None:
    """Write the results as CSV and Markdown."""
    of = learned_of(found)
    print(of, flush=True)
    write_csv(out / "results.csv", list(measured(found, of)))
    known = {"nothing": of.everything, **of.databases, **of.benchmarks}
    write_csv(
        out / "weights.csv",
        [{"learned without": name, **dataclasses.asdict(each)} for name, each in known.items()],
    )
    write_report(out, report)


def main() -> None:
    """Run the experiment and write its results."""
    parsed = parser(__doc__).parse_args()
    workspace = Workspace.of(parsed)
    write(list(settings(workspace)), workspace.out)


if __name__ == "__main__":
    main()
