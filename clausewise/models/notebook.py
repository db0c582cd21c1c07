"""What a notebook shows of a detector."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clausewise.models.learning import Learned


def detector_html(parameters: str, learned: Learned | None) -> str:
    """Return a table of what a detector is made of and what it learned from."""
    rows = {"parameters": parameters}
    if learned is None:
        rows["state"] = "not fitted"
    else:
        training = learned.training
        rows |= {
            "learned from": f"{training['n_trained']} of {training['n_cases']} cases, "
            f"{training['n_databases']} databases, {training['n_labels']} labels",
            "signals": str(len(learned.space.signals)),
            "share of incorrect queries": f"{learned.class_balance:.3f} ({training['balance']})",
            "called incorrect": f"from a probability of {learned.threshold:.3f} on",
        }
    cells = "".join(
        f'<tr><th style="text-align: left">{escape(name)}</th>'
        f'<td style="text-align: left">{escape(value)}</td></tr>'
        for name, value in rows.items()
    )
    return f"<table><caption>clausewise detector</caption>{cells}</table>"
