"""Write the signal pages from the registry, and into all pages what their commands print.

With `--check` nothing is written: it fails where a page is out of date. With paths of pages, only
their blocks are run.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import query_facts
from blocks import PageResult, check_pages

from clausewise.reporting.schemas import schemas
from clausewise.signals import HEADINGS, SIGNALS, SignalSpec, load_signals
from clausewise.types import Need

ROOT = Path(__file__).resolve().parent.parent
PAGES = ROOT / "docs" / "signals"
SCHEMAS = ROOT / "clausewise" / "reporting" / "schema"
RATES = PAGES / "gold_firing_rates.csv"
NOTICE = "<!-- Generated from the signal's docstring by `make docs`; edit there. -->"

NOT_MEASURED = (
    "Not measured: how often it fires on gold queries depends on the model that is asked, and none "
    "worth measuring ships with clausewise. `clausewise evaluate` gives its figures for yours."
)


def page(spec: SignalSpec, rates: dict[str, list[dict[str, str]]]) -> str:
    """Return the page of one signal."""
    rows = {
        "Code": spec.code,
        "Group": spec.group.value,
        "Family": spec.family,
        "Points at": ", ".join(sorted(clause.value for clause in spec.clauses)),
        "Needs": ", ".join(sorted(need.value for need in spec.needs)) or "nothing",
        "Cost": spec.cost.name.lower(),
        "Sets": ", ".join(sorted(spec.sets)) or "none",
        "Version": str(spec.version),
    }
    lines = [NOTICE, f"# {spec.name}", "", spec.description, "", "| | |", "|---|---|"]
    lines += [f"| {key} | {value} |" for key, value in rows.items()]
    if spec.reasons:
        lines += ["", "## Reasons", "", _reason_table(spec)]
    for heading in HEADINGS:
        body = spec.sections[heading]
        fenced = heading in ("Fires on", "Stays silent on")
        lines += ["", f"## {heading}", "", f"```sql\n{body}\n```" if fenced else body]
    if spec.name in rates:
        lines += ["", "## False alarms", "", _rate_table(rates[spec.name])]
    elif Need.LLM in spec.needs:
        lines += ["", "## False alarms", "", NOT_MEASURED]
    return "\n".join(lines) + "\n"


def _reason_table(spec: SignalSpec) -> str:
    lines = [
        "| reason | means | grade | strength | level | precision elsewhere | spread | "
        "Spider | BIRD | world |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for reason in spec.reasons.values():
        to = "" if reason.at_most is None else f" to {reason.at_most:g}"
        strength = f"{reason.strength:g}{to}"
        mark = " A convention." if reason.is_convention else ""
        populations = " | ".join(
            _population_cell(reason.populations.get(name)) for name in ("spider", "bird", "world")
        )
        lines.append(
            f"| `{reason.name}` | {reason.meaning}{mark} | {reason.grade.value} | {strength} "
            f"| {reason.level.value} | {_digits(reason.precision)} | {_digits(reason.spread)} "
            f"| {populations} |"
        )
    if not any(reason.populations for reason in spec.reasons.values()):
        return "\n".join(
            [*lines, "", "Nothing was counted: the strengths are those of the grades."]
        )
    return "\n".join([*lines, "", _COUNTED])


_NOT_COUNTED = "Nothing was counted: the strengths are those of the grades."
_COUNTED = (
    "Precision: the share of queries with such a finding that are incorrect, where a quarter of "
    "all is. Elsewhere: what is to be expected of a database nobody has seen, from all databases "
    "counted; the spread is the standard deviation of its log-odds between databases. By "
    "population: precision, predictions that had it, and on how many databases. A convention is "
    "reported and moves nothing under relaxed conventions."
)


def _population_cell(counted: Mapping[str, Any] | None) -> str:
    if counted is None:
        return "-"
    return f"{counted['precision']:.2f} ({counted['count']} on {counted['databases']})"


def _digits(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _rate_table(rates: list[dict[str, str]]) -> str:
    lines = [
        "How often the signal fires on gold queries, which people wrote as correct "
        "(some of them are not).",
        "",
        "| gold queries of | fired | of answered | rate | 95 % interval |",
        "|---|---|---|---|---|",
    ]
    for row in rates:
        rate, low, high = (f"{float(row[name]):.3f}" for name in ("rate", "rate_low", "rate_high"))
        counts = f"{row['source']} | {row['fired']} | {row['answered']}"
        lines.append(f"| {counts} | {rate} | {low} to {high} |")
    return "\n".join(lines)


def index(specs: list[SignalSpec]) -> str:
    """Return the page that lists all signals."""
    lines = [
        NOTICE,
        "# Signals",
        "",
        "| code | signal | family | what it says |",
        "|---|---|---|---|",
    ]
    lines += [
        f"| {spec.code} | [{spec.name}]({spec.name}.md) | {spec.family} | {spec.description} |"
        for spec in specs
    ]
    return "\n".join(lines) + "\n"


def pages() -> dict[Path, str]:
    """Return every generated page and JSON Schema by its path."""
    load_signals()
    specs = sorted(SIGNALS.values(), key=lambda spec: spec.code)
    rates: dict[str, list[dict[str, str]]] = {}
    with RATES.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            rates.setdefault(row["signal"], []).append(row)
    made = {PAGES / f"{spec.name}.md": page(spec, rates) for spec in specs}
    made[PAGES / "README.md"] = index(specs)
    made[ROOT / "docs" / "how-to" / "query-facts.md"] = query_facts.page()
    return made | {SCHEMAS / name: text for name, text in schemas().items()}


def written_pages() -> list[Path]:
    """Return the pages that people write."""
    docs = sorted(set((ROOT / "docs").rglob("*.md")) - set(PAGES.glob("*.md")))
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *docs]


def update_signal_pages(check: bool) -> list[str]:
    """Write the signal pages, or only compare them; return those that were out of date."""
    made = pages()
    stale = [
        path
        for path, text in made.items()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    ]
    left_over = sorted(set(PAGES.glob("*.md")) - set(made))
    if not check:
        PAGES.mkdir(exist_ok=True)
        for path in stale:
            path.write_text(made[path], encoding="utf-8")
        for path in left_over:
            path.unlink()
    return [f"{_name(path)} is out of date" for path in [*stale, *left_over]]


def update_blocks(result: PageResult, check: bool) -> list[str]:
    """Write into a page what its commands print, or only compare; return where it differed."""
    if result.stale and not check:
        result.path.write_text(result.text, encoding="utf-8")
    return [f"{_name(result.path)}:{line}: shows something else" for line in result.stale]


def _name(path: Path) -> Path:
    return path.relative_to(ROOT) if path.is_relative_to(ROOT) else path


def main(arguments: list[str]) -> int:
    """Write the pages, or compare them; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing, fail where stale")
    parser.add_argument("pages", nargs="*", type=Path, help="run the blocks of these pages only")
    options = parser.parse_args(arguments)
    stale = [] if options.pages else update_signal_pages(options.check)
    problems: list[str] = []
    for result in check_pages(options.pages or written_pages()):
        stale += update_blocks(result, options.check)
        problems += [f"{_name(result.path)}: {problem}" for problem in result.problems]
        for block in result.not_run:
            sys.stdout.write(f"not run: {_name(result.path)}: {block}\n")
    for line in problems:
        sys.stderr.write(f"{line}\n")
    for line in stale:
        sys.stderr.write(f"{line}: make docs\n" if options.check else f"written: {line}\n")
    return 1 if problems or (stale and options.check) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
