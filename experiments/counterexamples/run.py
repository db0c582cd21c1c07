"""What small instances tell apart, by `compare` and by a plain random fuzzer.

    python -m experiments.counterexamples.run DATA --out RESULTS

Pairs are predictions with their golds, which differ or agree on the database, and gold queries
with one known change. Every counterexample is run again without clausewise.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from clausewise.equivalence import EquivalenceVerdict
from experiments.common.results import Cell, Row, grouped, number, read_csv, write_csv, write_report
from experiments.common.tables import markdown_table
from experiments.common.workspace import Workspace, parser
from experiments.counterexamples.measuring import (
    ERROR,
    Measured,
    measure,
    summaries,
    times_by_verdict,
)
from experiments.counterexamples.mutations import CHANGES
from experiments.counterexamples.pairs import DIFFERENT, MUTANTS, mutant_pairs, prediction_pairs

READINGS = Path(__file__).parent / "readings.csv"
"""What a person read in pairs that were neither told apart nor proved equivalent."""
EQUIVALENT_READ, OPEN_READ = "equivalent", "open"
"""What is the same, and what differs only where SQL leaves open which rows come."""
MOST_FAULTS = 200
MISSED = (EquivalenceVerdict.UNKNOWN.value, ERROR)


def by_kind(measured: Measured) -> Iterator[dict[str, Cell]]:
    """Yield the figures of every kind of change."""
    read = readings()
    for kind in CHANGES:
        lines = [(pair, of) for pair, of in measured if pair.is_mutant and pair.kind == kind]
        verdicts = Counter(of[0].verdict for _, of in lines)
        unknown = [pair for pair, of in lines if of[0].verdict in MISSED]
        verdict_read = Counter(read.get((p.path.stem, p.gold, p.other), "") for p in unknown)
        told = verdicts[EquivalenceVerdict.NOT_EQUIVALENT.value]
        proved = verdicts[EquivalenceVerdict.EQUIVALENT.value]
        unequal = len(lines) - proved - verdict_read[EQUIVALENT_READ]
        yield {
            "change": kind,
            "pairs": len(lines),
            "told_apart": told,
            "proved": proved,
            "unknown": len(unknown),
            "unknown_read_equivalent": verdict_read[EQUIVALENT_READ],
            "unknown_read_open": verdict_read[OPEN_READ],
            "unknown_not_read": verdict_read[""],
            "share_of_not_proved": _share(told, len(lines) - proved),
            "share_of_not_equivalent": _share(told, unequal),
            "share_of_not_open": _share(told, unequal - verdict_read[OPEN_READ]),
            "fuzzer_any": sum(of[1].told_apart for _, of in lines),
            "fuzzer_certain": sum(of[2].told_apart and not of[2].fault for _, of in lines),
            "fuzzer_only": sum(
                of[2].told_apart and not of[2].fault and not of[0].told_apart for _, of in lines
            ),
        }


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def readings() -> dict[tuple[str, str, str], str]:
    """Return what was read of pairs: `equivalent`, `open`, `out of reach` or `missed`."""
    with READINGS.open(newline="", encoding="utf-8") as file:
        return {(r["database"], r["gold"], r["other"]): r["read"] for r in csv.DictReader(file)}


def missed(measured: Measured) -> Iterator[dict[str, Cell]]:
    """Yield the pairs that differ, or are changed, of which `compare` says UNKNOWN."""
    read = readings()
    for pair, of in measured:
        if of[0].verdict in MISSED and (pair.is_mutant or pair.kind == DIFFERENT):
            yield {
                "set": pair.set,
                "kind": pair.kind,
                "database": pair.path.stem,
                "gold": pair.gold,
                "other": pair.other,
                "fuzzer": of[2].told_apart and not of[2].fault,
                "note": of[0].note,
                "read": read.get((pair.path.stem, pair.gold, pair.other), ""),
            }


def faults(measured: Measured) -> Iterator[dict[str, Cell]]:
    """Yield the counterexamples that are false."""
    for pair, of in measured:
        for found in of:
            if found.fault:
                yield {
                    "way": found.way,
                    "set": pair.set,
                    "kind": pair.kind,
                    "database": pair.path.stem,
                    "gold": pair.gold,
                    "other": pair.other,
                    "fault": found.fault,
                }


def report(folder: Path) -> str:
    """Return the tables."""
    rows = read_csv(folder / "results.csv")
    parts = [
        "# Results\n\nTimes in milliseconds: *CPU* is processor time of the process, *wall* the "
        "clock, with other processes beside it. A counterexample is *false* where sqlite3 alone "
        "does not show its difference, under some order of rows (*certain*), on a valid instance.\n"
    ]
    for (name, kind), of in grouped(rows, "set", "kind").items():
        parts.append(f"## {f'{name}, {kind}'.strip(', ')}\n\n{_table(of)}")
    parts.append(f"## Times of `compare`\n\n{_times(read_csv(folder / 'times.csv'))}")
    parts.append(f"## Kinds of pairs\n\n{_plain_table(read_csv(folder / 'pairs.csv'))}")
    parts.append(f"## By kind of change\n\n{_changes(read_csv(folder / 'changes.csv'))}")
    false = read_csv(folder / "false.csv")
    counts = Counter((row["way"], row["fault"].split(":")[0]) for row in false)
    lines = [[way, fault, str(count)] for (way, fault), count in sorted(counts.items())]
    parts.append(
        f"## False counterexamples\n\n{markdown_table(['way', 'what is wrong', 'n'], lines)}"
    )
    return "\n".join(parts)


def _table(rows: Sequence[Row]) -> str:
    header = [
        "way",
        "pairs",
        "told apart",
        "proved",
        "unknown",
        "errors",
        "false",
        "CPU, median",
        "p95",
        "wall, median",
    ]
    header += ["largest table, median", "mean", "rows, median"]
    header += ["values of queries", "of database", "plain", "other"]
    lines = []
    for row in rows:
        told = f"{row['told_apart']} ({100 * number(row, 'share'):.1f} %)"
        lines.append(
            [
                row["way"],
                row["pairs"],
                told,
                *(
                    row[name]
                    for name in ("proved", "unknown", "errors", "false", "cpu_median", "cpu_p95")
                ),
                row["wall_median"],
                row["largest_table_median"],
                f"{number(row, 'largest_table_mean'):.1f}",
                row["rows_median"],
                *(f"{100 * number(row, f'values_{name}'):.0f} %" for name in VALUES),
            ]
        )
    return markdown_table(header, lines)


SHARES = ("not_proved", "not_equivalent", "not_open")
VALUES = ("of_queries", "of_database", "plain", "other")


def _plain_table(rows: Sequence[Row]) -> str:
    names = list(rows[0]) if rows else []
    return markdown_table(names, [[row[name] for name in names] for row in rows])


def _times(rows: Sequence[Row]) -> str:
    header = ["pairs of", "verdict", "pairs", "CPU, median", "p95", "wall, median", "p95"]
    names = ("verdict", "pairs", "cpu_median", "cpu_p95", "wall_median", "wall_p95")
    lines = [
        [f"{row['set']}, {row['kind']}".strip(", "), *(row[name] for name in names)] for row in rows
    ]
    return markdown_table(header, lines)


def _changes(rows: Sequence[Row]) -> str:
    counts = ["pairs", "told_apart", "proved", "unknown"]
    counts += ["unknown_read_equivalent", "unknown_read_open"]
    fuzzer = ["fuzzer_certain", "fuzzer_any", "fuzzer_only"]
    header = ["change", "pairs", "told apart", "proved", "unknown", "read as equivalent"]
    header += ["as left open by SQL", "told apart of not proved", "of not equivalent"]
    header += ["of these not open"]
    header += ["fuzzer, certain", "fuzzer, any", "fuzzer alone"]
    lines = []
    for row in rows:
        shares = [number(row, f"share_of_{name}") for name in SHARES]
        texts = ["-" if share != share else f"{100 * share:.1f} %" for share in shares]
        lines.append(
            [row["change"], *(row[name] for name in counts), *texts, *(row[n] for n in fuzzer)]
        )
    sums = {name: sum(int(row[name]) for row in rows) for name in (*counts, *fuzzer)}
    open_pairs = sums["pairs"] - sums["proved"]
    unequal = open_pairs - sums["unknown_read_equivalent"]
    wholes = (open_pairs, unequal, unequal - sums["unknown_read_open"])
    texts = [f"{100 * sums['told_apart'] / (of or 1):.1f} %" for of in wholes]
    lines.append(["all", *(str(sums[n]) for n in counts), *texts, *(str(sums[n]) for n in fuzzer)])
    return markdown_table(header, lines)


def write(measured: Measured, counts: dict[str, Counter[str]], out: Path) -> None:
    """Write the results as CSV and Markdown."""
    write_csv(out / "results.csv", list(summaries(measured)))
    write_csv(out / "times.csv", list(times_by_verdict(measured)))
    kinds = sorted({kind for of in counts.values() for kind in of})
    write_csv(
        out / "pairs.csv",
        [{"benchmark": name, **{kind: of[kind] for kind in kinds}} for name, of in counts.items()],
    )
    write_csv(out / "changes.csv", list(by_kind(measured)))
    write_csv(out / "misses.csv", list(missed(measured)))
    write_csv(out / "false.csv", list(faults(measured))[:MOST_FAULTS])
    write_report(out, report)


def main() -> None:
    """Run the experiment and write its results."""
    arguments = parser(__doc__)
    arguments.add_argument(
        "--limit", type=int, default=0, help="pairs of each benchmark, mutants of each kind"
    )
    arguments.add_argument("--sets", default="", help="spider, bird, mutants; default: all")
    parsed = arguments.parse_args()
    workspace = Workspace.of(parsed)
    wanted = parsed.sets.split(",") if parsed.sets else [*workspace.benchmarks, MUTANTS]
    pairs, counts = [], {}
    for name in (name for name in wanted if name != MUTANTS):
        found, counts[name] = prediction_pairs(workspace.benchmark(name), parsed.limit)
        pairs += found
        print(name, dict(counts[name]), flush=True)
    if MUTANTS in wanted:
        pairs += list(mutant_pairs(workspace.data, parsed.limit))
    print(len(pairs), "pairs", flush=True)
    write(measure(pairs, workspace.jobs), counts, workspace.out)
    print((workspace.out / "results.md").read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
