"""`rules` over the systems' predictions: fixed, broken, net, by repair and by system.

    python -m experiments.rules.run DATA --out experiments/rules/results

What scores and audits is trained on the other benchmark, and so is the choice of risky repairs in
one of the settings. Labels that say nothing are left out. No language model is asked.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from clausewise.correction.rules import REPAIRS, RulesOptions
from experiments.common.results import (
    Cell,
    Row,
    grouped,
    interval,
    number,
    read_csv,
    write_csv,
    write_report,
)
from experiments.common.tables import interval_text, markdown_table
from experiments.common.workspace import Workspace, parser
from experiments.correction.figures import ALL, figures, system_rows
from experiments.correction.trials import Corrected
from experiments.rules.trying import Predictions, Setting, each_benchmark

AUDITS: Mapping[str, float | None] = {"none": None, "0": 0.0, "0.38": 0.38}
"""The auditor's margin by what it is called in tables; the last one is the common default."""
DEFAULT, RISKY, ELSEWHERE = "default", "all, risky ones too", "default and chosen elsewhere"
FIXES_FOR_ONE = 10
"""Fixes for each break from which a risky repair is chosen for the other benchmark."""
LEAST_FIXED = 3


def by_repair(found: Predictions) -> Iterator[tuple[dict[str, Cell], list[Corrected]]]:
    """Yield a row for every repair alone and every margin, with what became of the predictions."""
    for name, spec in REPAIRS.items():
        for audit, margin in AUDITS.items():
            rows = found.corrected(Setting(RulesOptions(only=(name,)), margin))
            row: dict[str, Cell] = {"benchmark": found.name, "repair": name}
            row |= {"risky": spec.risky, "margin": audit, **figures(rows)}
            yield row, rows


def together(found: Predictions, settings: Mapping[str, RulesOptions]) -> Iterator[dict[str, Cell]]:
    """Yield a row for every set of repairs, margin and system."""
    for name, options in settings.items():
        for audit, margin in AUDITS.items():
            rows = found.corrected(Setting(options, margin))
            yield from system_rows(rows, repairs=name, margin=audit)


def chosen(repairs: list[Row], benchmark: str) -> tuple[str, ...]:
    """Return the repairs for a benchmark: those that are on, and what the others speak for.

    A risky repair is chosen where, on the other benchmarks and without an auditor, it fixes at
    least `LEAST_FIXED` predictions and `FIXES_FOR_ONE` for each one that it breaks.
    """
    names = [name for name, spec in REPAIRS.items() if not spec.risky]
    others = [r for r in repairs if r["benchmark"] != benchmark and r["margin"] == "none"]
    for (name,), rows in grouped(others, "repair").items():
        fixed = sum(number(row, "fixed") for row in rows)
        broken = sum(number(row, "broken") for row in rows)
        if name not in names and fixed >= max(LEAST_FIXED, FIXES_FOR_ONE * broken):
            names.append(name)
    return tuple(names)


def measure(workspace: Workspace) -> None:
    """Write both tables and every prediction that a repair alone changed."""
    repairs: list[dict[str, Cell]] = []
    strategies: list[dict[str, Cell]] = []
    changed: list[str] = []
    kept: list[Predictions] = []

    def try_all(found: Predictions) -> None:
        for row, rows in by_repair(found):
            repairs.append(row)
            changed.extend(_line(row, one) for one in rows if one.result.changed)
        settings = {DEFAULT: RulesOptions(), RISKY: RulesOptions(risky=True)}
        strategies.extend(together(found, settings))
        kept.append(found)

    each_benchmark(workspace, try_all)
    write_csv(workspace.out / "repairs.csv", repairs)
    known = read_csv(workspace.out / "repairs.csv")
    for found in kept:
        names = chosen(known, found.name)
        strategies.extend(together(found, {ELSEWHERE: RulesOptions(only=names)}))
    write_csv(workspace.out / "strategy.csv", strategies)
    (workspace.cache / "rules-changed.jsonl").write_text("".join(changed), encoding="utf-8")


def _line(row: Mapping[str, Cell], one: Corrected) -> str:
    record = {
        **{name: row[name] for name in ("benchmark", "repair", "margin")},
        "system": one.system,
        "right_before": one.right_before,
        "right_after": one.right_after,
        "gold": one.question,
        **one.result.to_dict(),
    }
    return json.dumps(record, ensure_ascii=False) + "\n"


def report(folder: Path) -> str:
    """Return the tables of the strategy and of its repairs."""
    strategies, repairs = read_csv(folder / "strategy.csv"), read_csv(folder / "repairs.csv")
    parts = ["# Results\n"]
    header = ["benchmark", "repairs", "margin", "cases", "changed", "fixed", "broken", "net"]
    header += ["EX before", "EX after", "gain"]
    rows = [
        [r["benchmark"], r["repairs"], r["margin"], *_counts(r), *_shares(r)]
        for r in strategies
        if r["system"] == ALL
    ]
    parts.append(
        "All systems, repairs together; 95 % intervals over resampled questions.\n\n"
        + markdown_table(header, sorted(rows, key=lambda row: row[0], reverse=True))
    )
    for (benchmark,), of in grouped(repairs, "benchmark").items():
        names = chosen(repairs, benchmark)
        lines = []
        for (name,), by_margin in grouped(of, "repair").items():
            counts = {row["margin"]: row for row in by_margin}
            cells = [
                f"{_count(counts[m], 'fixed')} / {_count(counts[m], 'broken')}" for m in AUDITS
            ]
            first = counts["none"]
            on = "on" if first["risky"] == "False" else "chosen" if name in names else "off"
            lines.append([name, on, _count(first, "changed"), *cells])
        top = ["repair", "", "changed", *(f"margin {name}" for name in AUDITS)]
        parts.append(
            f"## Each repair alone on {benchmark}: fixed / broken\n\n"
            "`chosen`: risky, and chosen by the other benchmark.\n\n" + markdown_table(top, lines)
        )
    golds = [
        [r["repair"], *(_count(r, name) for name in ("golds", "found", "repaired", "changed"))]
        for r in read_csv(folder / "golds.csv")
    ]
    parts.append(
        "## What repairs do to gold queries that nobody reports on\n\n"
        "`found`: golds with a finding that the repair is for; `changed`: with another result.\n\n"
        + markdown_table(["repair", "golds", "found", "repaired", "changed"], golds)
    )
    parts.append("## By system, margin 0\n")
    lines = [
        [r["benchmark"], r["system"], r["repairs"], *_counts(r), *_shares(r)]
        for r in strategies
        if r["system"] != ALL and r["margin"] == "0" and r["repairs"] != RISKY
    ]
    header = ["benchmark", "system", "repairs", *header[3:]]
    parts.append(markdown_table(header, sorted(lines)))
    return "\n".join(parts)


def _counts(row: Row) -> list[str]:
    names = ("cases", "changed", "fixed", "broken")
    return [*(_count(row, name) for name in names), f"{number(row, 'net'):+.0f}"]


def _shares(row: Row) -> list[str]:
    before, after = (interval_text(interval(row, name)) for name in ("ex_before", "ex_after"))
    return [before, after, interval_text(interval(row, "gain"), signed=True)]


def _fixed_and_broken(row: Row) -> str:
    return f"{_count(row, 'fixed')} / {_count(row, 'broken')}"


def _count(row: Row, name: str) -> str:
    return f"{number(row, name):.0f}"


def main() -> None:
    """Run the experiment and write its results."""
    workspace = Workspace.of(parser(__doc__).parse_args())
    measure(workspace)
    print(write_report(workspace.out, report))


if __name__ == "__main__":
    main()
