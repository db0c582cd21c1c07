"""Does one call that answers six signals agree with six calls, and what does it save?

    python -m experiments.llm.combined.run --llm MODEL --llm-base-url URL --out FOLDER

Asks about the first cases of the packaged sample both ways. What comes out is the model's affair:
the table says nothing of other models.
"""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Sequence
from pathlib import Path

from clausewise.databases import Databases
from clausewise.datasets import read_cases, sample_dir
from clausewise.llm import LLM, LLMSettings
from clausewise.signals import inspect_cases, select_signals
from clausewise.types import Inspection, OutcomeStatus
from experiments.common.results import Cell, read_csv, write_csv, write_report
from experiments.common.tables import markdown_table
from experiments.llm.tokens.run import TOGETHER


def inspect(settings: LLMSettings, most: int) -> tuple[list[Inspection], dict[str, int]]:
    """Return the inspections of the first cases, and what they cost together."""
    sample = sample_dir()
    cases = read_cases(sample / "cases.jsonl")[:most]
    with LLM(settings) as llm:
        found = inspect_cases(
            cases, Databases(sample / "databases"), select_signals(",".join(TOGETHER)), llm=llm
        )
    kept = [item for item in found if isinstance(item, Inspection) and item.cost is not None]
    names = ("calls", "prompt_tokens", "completion_tokens")
    return kept, {name: sum(int(str((item.cost or {})[name])) for item in kept) for name in names}


def agreement(apart: Sequence[Inspection], together: Sequence[Inspection]) -> list[dict[str, Cell]]:
    """Return for each signal on how many cases both ways answered, fired, and agreed."""
    rows: list[dict[str, Cell]] = []
    for name in TOGETHER:
        pairs = [
            (one.outcomes[name], other.outcomes[name])
            for one, other in zip(apart, together, strict=True)
        ]
        both = [pair for pair in pairs if all(outcome.answered for outcome in pair)]
        fired = [[outcome.status is OutcomeStatus.FIRED for outcome in pair] for pair in both]
        same = sum(one == other for one, other in fired)
        by_chance = _by_chance(fired)
        rows.append(
            {
                "signal": name,
                "answered_both": len(both),
                "faults_apart": sum(a.status is OutcomeStatus.FAULT for a, _ in pairs),
                "faults_together": sum(b.status is OutcomeStatus.FAULT for _, b in pairs),
                "fired_apart": sum(one for one, _ in fired),
                "fired_together": sum(other for _, other in fired),
                "agree": round(same / len(both), 3) if both else None,
                "agree_by_chance": by_chance,
            }
        )
    return rows


def _by_chance(fired: Sequence[Sequence[bool]]) -> float | None:
    """Return how often two that fire as often, each at random, would agree."""
    if not fired:
        return None
    one, other = (sum(pair[at] for pair in fired) / len(fired) for at in (0, 1))
    return round(one * other + (1 - one) * (1 - other), 3)


def report(folder: Path) -> str:
    """Return both tables as Markdown."""
    rows = [list(row.values()) for row in read_csv(folder / "agreement.csv")]
    costs = [list(row.values()) for row in read_csv(folder / "cost.csv")]
    model, cases = costs[0][:2]
    header = ["signal", "answered by both", "faults apart", "together", "fired apart", "together",
              "agree", "by chance"]  # fmt: skip
    asked = ["asked", "calls", "prompt tokens", "tokens of answers"]
    return (
        f"# One combined call against six, {model}, {cases} cases\n\n"
        f"{markdown_table(header, rows)}\n"
        f"{markdown_table(asked, [row[2:] for row in costs])}"
    )


def main() -> None:
    """Ask both ways and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--llm", required=True)
    parser.add_argument("--llm-base-url")
    parser.add_argument("--cases", type=int, default=40)
    parser.add_argument("--concurrency", type=int, default=8)
    parser.add_argument("--timeout", type=float, default=120.0, help="seconds for one try")
    parser.add_argument("--max-tokens", type=int, default=1_024)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    settings = LLMSettings(
        arguments.llm,
        base_url=arguments.llm_base_url,
        concurrency=arguments.concurrency,
        timeout=arguments.timeout,
        max_tokens=arguments.max_tokens,
    )
    apart, cost_apart = inspect(settings, arguments.cases)
    together, cost_together = inspect(dataclasses.replace(settings, combined=True), arguments.cases)
    arguments.out.mkdir(parents=True, exist_ok=True)
    write_csv(arguments.out / "agreement.csv", agreement(apart, together))
    key: dict[str, Cell] = {"model": arguments.llm, "cases": len(apart)}
    costs = {"each by itself": cost_apart, "combined": cost_together}
    write_csv(
        arguments.out / "cost.csv", [{**key, "asked": way, **of} for way, of in costs.items()]
    )
    print(write_report(arguments.out, report), end="")


if __name__ == "__main__":
    main()
