"""Write the signal pages from the registry; with `--check`, fail where they are out of date."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from clausewise.signals import HEADINGS, SIGNALS, SignalSpec, load_signals
from clausewise.types import Need

PAGES = Path(__file__).parent / "signals"
RATES = PAGES / "gold_firing_rates.json"
NOTICE = "<!-- Generated from the signal's docstring by `make docs`; edit there. -->"

NOT_MEASURED = (
    "Not measured: how often it fires on gold queries depends on the model that is asked, and none "
    "worth measuring ships with clausewise. `clausewise evaluate` gives its figures for yours."
)


def page(spec: SignalSpec, rates: dict[str, dict[str, float]]) -> str:
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
    for heading in HEADINGS:
        body = spec.sections[heading]
        fenced = heading in ("Fires on", "Stays silent on")
        lines += ["", f"## {heading}", "", f"```sql\n{body}\n```" if fenced else body]
    if spec.name in rates:
        lines += ["", "## False alarms", "", _rate_table(rates[spec.name])]
    elif Need.LLM in spec.needs:
        lines += ["", "## False alarms", "", NOT_MEASURED]
    return "\n".join(lines) + "\n"


def _rate_table(rates: dict[str, dict[str, float]]) -> str:
    lines = [
        "How often the signal fires on gold queries, which people wrote as correct "
        "(some of them are not).",
        "",
        "| gold queries of | fired | of answered | rate | 95 % interval |",
        "|---|---|---|---|---|",
    ]
    for source, rate in rates.items():
        interval = f"{rate['low']:.3f} to {rate['high']:.3f}"
        lines.append(
            f"| {source} | {rate['fired']} | {rate['answered']} | {rate['rate']:.3f} | {interval} |"
        )
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
    """Return every generated page by its path."""
    load_signals()
    specs = sorted(SIGNALS.values(), key=lambda spec: spec.code)
    rates = json.loads(RATES.read_text(encoding="utf-8")) if RATES.exists() else {}
    made = {PAGES / f"{spec.name}.md": page(spec, rates) for spec in specs}
    made[PAGES / "README.md"] = index(specs)
    return made


def main(arguments: list[str]) -> int:
    """Write the pages, or compare them; return the exit code."""
    made = pages()
    stale = [
        path
        for path, text in made.items()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    ]
    left_over = sorted(set(PAGES.glob("*.md")) - set(made))
    if "--check" in arguments:
        for path in [*stale, *left_over]:
            sys.stderr.write(f"{path.relative_to(PAGES.parent.parent)} is out of date: make docs\n")
        return 1 if stale or left_over else 0
    PAGES.mkdir(exist_ok=True)
    for path in stale:
        path.write_text(made[path], encoding="utf-8")
    for path in left_over:
        path.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
