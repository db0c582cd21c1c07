"""An evaluation of corrections as tables for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from clausewise.reporting.console_tables import new_table, number, printed, ranged
from clausewise.reporting.evaluation_view import HasDict
from clausewise.text import one_line

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

SIGNALS_SHOWN = 15


def corrections_text(
    evaluation: HasDict | Mapping[str, Any], *, color: bool = False, width: int = 100
) -> str:
    """Return the figures as tables of at most `width` columns, ending in a line feed.

    `evaluation` is a `CorrectionEvaluation` or the object that it gives as JSON. For each strategy
    counts, accuracies with 95 % intervals and cost, then databases and signals. With `color` the
    text holds ANSI codes.
    """
    figures: Any = evaluation if isinstance(evaluation, Mapping) else evaluation.to_dict()
    return printed(_parts(figures), color=color, width=width)


def _parts(figures: Mapping[str, Any]) -> Iterator[RenderableType]:
    for name, of_strategy in figures["strategies"].items():
        yield _header(name, of_strategy)
        if len(of_strategy["databases"]) > 1:
            yield _table("By database", "database", of_strategy["databases"])
        if of_strategy["signals"]:
            yield _signals_table(of_strategy["signals"])
    if unlabeled := figures["excluded"]["unlabeled"]:
        yield f"\nleft out: {unlabeled} unlabeled"
    yield (
        f"\nintervals: 95 %, Wilson; of the gain {figures['bootstrap']['resamples']} bootstrap "
        "resamples of cases taken as independent"
    )


def _header(name: str, figures: Mapping[str, Any]) -> str:
    n = figures["n"]
    kept = n - figures["changed"] - figures["failed"]
    wrong = n - figures["correct_before"]
    lines = [
        f"{one_line(name)}: {n} labeled cases, {figures['changed']} changed, {kept} kept"
        + (f", {figures['failed']} failed" if figures["failed"] else ""),
        f"  fixed   {figures['fixed']} of {wrong} wrong ones: {_ranged(figures, 'fixed_share')}",
        f"  broken  {figures['broken']} of {figures['correct_before']} right ones: "
        f"{_ranged(figures, 'broken_share')}",
        f"  net     {figures['net']:+d}",
        f"  execution accuracy {_ranged(figures, 'execution_accuracy_before')}, then "
        f"{_ranged(figures, 'execution_accuracy_after')}: {_gain(figures)}",
    ]
    if figures["cost"] is not None:
        lines.append(f"  {_cost(figures['cost'])}")
    return "\n".join(lines)


def _cost(cost: Mapping[str, Any]) -> str:
    tokens = cost["prompt_tokens"] + cost["completion_tokens"]
    money = "" if cost["usd"] is None else f", {cost['usd']:.4f} US dollars"
    text = f"cost    {cost['calls']} calls, {tokens} tokens{money}"
    each = cost["per_net_fix"]
    if each is None:
        return f"{text}; nothing gained"
    money = "" if each["usd"] is None else f", {each['usd']:.4f} US dollars"
    return f"{text}; a net fix {each['calls']:.1f} calls, {each['tokens']:.0f} tokens{money}"


def _signals_table(signals: Mapping[str, Any]) -> Table:
    ranked = sorted(signals.items(), key=lambda item: (-item[1]["net"], -item[1]["fixed"]))
    title = "By signal that fired before the correction"
    if len(ranked) > SIGNALS_SHOWN:
        title += f" (first {SIGNALS_SHOWN} of {len(ranked)} by net)"
    return _table(title, "signal", dict(ranked[:SIGNALS_SHOWN]))


def _table(title: str, what: str, groups: Mapping[str, Any]) -> Table:
    table = new_table(title, what, "n", "changed", "fixed", "broken", "net", "before", "after")
    for name, figures in groups.items():
        table.add_row(
            one_line(name) or "-",
            *(str(figures[key]) for key in ("n", "changed", "fixed", "broken")),
            f"{figures['net']:+d}",
            number(figures["execution_accuracy_before"]),
            number(figures["execution_accuracy_after"]),
        )
    return table


def _gain(figures: Mapping[str, Any]) -> str:
    if figures["gain"] is None:
        return "-"
    text = f"{figures['gain']:+.3f}"
    interval = figures["intervals"]["gain"]
    return text if interval is None else f"{text} [{interval[0]:+.3f}, {interval[1]:+.3f}]"


def _ranged(figures: Mapping[str, Any], name: str) -> str:
    return ranged(figures[name], figures["intervals"][name])
