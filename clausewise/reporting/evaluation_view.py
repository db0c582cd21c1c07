"""An evaluation as tables for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from clausewise.reporting.console_tables import new_table, number, printed, ranged
from clausewise.text import one_line
from clausewise.types import Json

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

SIGNALS_SHOWN = 15
CURVE_WIDTH = 40
"""Columns from probability 0 to 1 in the reliability curve: | predicted, o true, o alone: both."""

_METRICS = (
    ("auc", "AUC"),
    ("average_precision", "average precision"),
    ("precision", "precision"),
    ("recall", "recall"),
    ("f1", "F1"),
    ("accuracy", "accuracy"),
    ("ece", "ECE (low is good)"),
    ("brier", "Brier (low is good)"),
    ("coverage_at_risk.5", "coverage at 5 % risk"),
    ("coverage_at_risk.10", "coverage at 10 % risk"),
    ("coverage_at_risk.20", "coverage at 20 % risk"),
)
_COLUMNS = (("clausewise", None), ("length of SQL", "length"), ("count of votes", "vote_count"))


class HasDict(Protocol):
    """An `Evaluation`: anything whose `to_dict` gives the object of `evaluate --json`."""

    def to_dict(self) -> dict[str, Json]:
        """Return the figures."""


def evaluation_text(
    evaluation: HasDict | Mapping[str, Any], *, color: bool = False, width: int = 100
) -> str:
    """Return the figures as tables of at most `width` columns, ending in a line feed.

    Main metrics with 95 % intervals beside the two baselines, over all cases and over the
    executable ones; then databases, signals and localization. An undefined figure is a dash,
    with its reason below. With `color` the text holds ANSI codes.
    """
    figures: Any = evaluation if isinstance(evaluation, Mapping) else evaluation.to_dict()
    return printed(_parts(figures), color=color, width=width)


def _parts(figures: Mapping[str, Any]) -> Iterator[RenderableType]:
    yield _header(figures)
    yield _main_table("All cases", figures)
    yield from _reasons(figures)
    executable = figures["executable_only"]
    if executable["n"] == figures["n"]:
        yield "Every case is executable: the figures over executable cases are the same."
    else:
        yield _main_table(f"Executable cases only ({executable['n']})", executable)
        yield from _reasons(executable)
    if figures.get("answered") and figures["answered"]["n"] < figures["n"]:
        yield _answered(figures["answered"], figures["n"])
    if executable.get("reliability"):
        yield _reliability_table(executable["reliability"])
    if len(figures["databases"]) > 1:
        yield _databases_table(figures["databases"])
    if figures["signals"]:
        yield _signals_table(figures["signals"])
    if figures["localization"] is not None:
        yield _localization(figures["localization"])


def _header(figures: Mapping[str, Any]) -> str:
    n, incorrect = figures["n"], figures["n_incorrect"]
    share = f" ({incorrect / n:.1%})" if n else ""
    lines = [f"{n} labeled cases, {incorrect} incorrect{share}; positive = incorrect"]
    left_out = [
        f"{count} {name.replace('_', ' ')}" for name, count in figures["excluded"].items() if count
    ]
    if left_out:
        lines.append(f"left out: {', '.join(left_out)}")
    resamples = figures["bootstrap"]["resamples"]
    if resamples:
        lines.append(
            f"intervals: 95 %, {resamples} bootstrap resamples of cases taken as independent"
        )
    return "\n".join(lines)


def _main_table(title: str, figures: Mapping[str, Any]) -> Table:
    table = new_table(title, "metric", *(head for head, _ in _COLUMNS))
    sources = [figures if key is None else figures["baselines"][key] for _, key in _COLUMNS]
    for path, name in _METRICS:
        table.add_row(name, *(_with_interval(source, path) for source in sources))
    return table


def _answered(figures: Mapping[str, Any], n: int) -> str:
    intervals = figures["intervals"]
    return (
        f"\nAbstained on {n - figures['n']} cases. Answered: "
        f"{ranged(figures['coverage'], intervals['coverage'])} of all, of which "
        f"{ranged(figures['accuracy'], intervals['accuracy'])} rightly."
    )


def _reliability_table(bins: Sequence[Mapping[str, Any]]) -> Table:
    title = "Reliability, executable cases (| predicted, o incorrect, o alone: both)"
    table = new_table(title, "predicted", "incorrect", "n")
    table.add_column(f"0{'.5':>{CURVE_WIDTH // 2 + 1}}{'1':>{CURVE_WIDTH // 2 - 1}}")
    for part in bins:
        curve = [" "] * CURVE_WIDTH
        for name, mark in (("predicted", "|"), ("incorrect", "o")):
            curve[min(int(part[name] * CURVE_WIDTH), CURVE_WIDTH - 1)] = mark
        table.add_row(
            number(part["predicted"]), number(part["incorrect"]), str(part["n"]), "".join(curve)
        )
    return table


def _databases_table(databases: Mapping[str, Any]) -> Table:
    names = ("auc", "average_precision", "f1", "ece")
    table = new_table(
        "By database", "database", "n", "incorrect", "AUC", "AP", "F1", "ECE", "AUC length",
        "AUC votes",
    )  # fmt: skip
    for database, figures in databases.items():
        table.add_row(
            one_line(database),
            str(figures["n"]),
            str(figures["n_incorrect"]),
            *(number(figures[name]) for name in names),
            *(number(figures["baselines"][key]["auc"]) for key in ("length", "vote_count")),
        )
    return table


def _signals_table(signals: Mapping[str, Any]) -> Table:
    ranked = sorted(signals.items(), key=lambda item: -item[1]["fired_on_incorrect"])
    shown = ranked[:SIGNALS_SHOWN]
    title = "Signals by errors found"
    if len(ranked) > len(shown):
        title += f" (first {len(shown)} of {len(ranked)})"
    table = new_table(
        title, "signal", "fired", "on correct", "precision", "recall", "lift", "failed"
    )
    for name, figures in shown:
        table.add_row(
            one_line(name),
            str(figures["fired"]),
            str(figures["fired_on_correct"]),
            ranged(figures["precision"], figures["precision_interval"]),
            number(figures["recall"]),
            number(figures["lift"], 2),
            str(figures["faults"]),
        )
    return table


def _localization(figures: Mapping[str, Any]) -> str:
    if not figures["n"]:
        return "\nLocalization: no incorrect query has findings and differs in one or two clauses."
    return (
        f"\nLocalization: the strongest finding names a clause that differs from the gold in "
        f"{ranged(figures['share'], figures['interval'])} of {figures['n']} queries; always "
        f"naming '{figures['common_kind']}' would in {number(figures['common_share'])}."
    )


def _reasons(figures: Mapping[str, Any]) -> Iterator[str]:
    for name, reason in figures["reasons"].items():
        yield f"  {name.replace('_', ' ')}: {reason}"


def _with_interval(figures: Mapping[str, Any], path: str) -> str:
    value: Any = figures
    interval: Any = figures["intervals"]
    for part in path.split("."):
        value, interval = value[part], interval[part]
    return ranged(value, interval)
