"""What a notebook shows of a detector."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clausewise.notebook import table_html

if TYPE_CHECKING:
    from clausewise.models.learned import Learned


def detector_html(parameters: str, learned: Learned | None) -> str:
    """Return a table of what a detector is made of and what it learned from."""
    rows = [("detector", parameters)]
    if learned is None:
        return table_html(("", "not fitted"), rows)
    training = learned.training
    rows += [
        (
            "learned from",
            f"{training['n_trained']} of {training['n_cases']} cases, "
            f"{training['n_databases']} databases, {training['n_labels']} labels",
        ),
        ("signals", str(len(learned.space.signals))),
        ("share of incorrect queries", f"{learned.class_balance:.3f} ({training['balance']})"),
        ("called incorrect", f"from a probability of {learned.threshold:.3f} on"),
    ]
    return table_html(("", "fitted"), rows)
