"""The card of a detector: on what it was trained, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clausewise.models.calibration.alarms import OperatingPoint

_LABELS = {
    "none": "No label was used.",
    "calibration": "{n} labels were used, for calibration and the verdict's threshold only.",
    "training": "{n} labels were used: the classifier learned from them, and calibration and "
    "threshold come from cross-validation.",
}
_VIEWS = {
    "data": "the databases, with their data",
    "schema": "the schemas alone: no query was run, and no signal looked at data",
}
_BALANCE = {
    "estimated": "estimated from the probabilities that the start gives, without labels",
    "assumed": "assumed: nothing here tells it",
    "given": "given by the user",
    "labels": "from the labels",
}


_CONVENTIONS = {
    "relaxed": "relaxed: a column more, rounding, an order, ties are reported and move nothing.",
    "strict": "strict: they count as in the benchmarks.",
}


def card_text(manifest: Mapping[str, Any]) -> str:
    """Return the card, as Markdown, of a detector with this manifest."""
    settings, training = manifest["settings"], manifest["training"]
    features = manifest["features"]
    statuses = ", ".join(f"{count} {status}" for status, count in training["statuses"].items())
    labels = _LABELS[training["label_use"]].format(n=training["n_labels"])
    signals = "\n".join(
        f"- {entry['name']} (version {entry['version']}, {entry['group']}, family "
        f"{entry['family']})"
        for entry in features["signals"]
    )
    outside = ", ".join(features["outside"]) or "none"
    n_gold = training.get("n_gold")
    gold = f"\n- Gold pairs that moved what is expected of queries: {n_gold}." if n_gold else ""
    return f"""# Detector

Gives the probability that a SQL query does not answer its question.

## Trained on

- Cases: {training["n_cases"]}, of which {training["n_trained"]} were learned from ({statuses}).
- Checked on: {_VIEWS[training.get("view", "data")]}.
- Databases: {training["n_databases"]} ({", ".join(training["databases"])}).
- Labels: {labels}
- Share of incorrect queries: {manifest["class_balance"]:.3f}, {_BALANCE[training["balance"]]}.
- Sources of outside votes: {outside}.{gold}

## Made of

- Label model: {component_text(settings["label_model"])}; one vote a {settings["by"]}.
- Classifier: {component_text(settings["classifier"])}{_share_text(manifest)}.
- Conventions: {_CONVENTIONS[settings["conventions"]]}
- Calibration: {component_text(settings["calibration"])}.
- A query is called incorrect at a probability of {manifest["threshold"]:.3f} or more.
- Seed: {settings["seed"]}.

## Verdicts

{_points_text(manifest)}

## Signals

{signals}

## Limits

The probability means what it says on queries like those it was trained on. On another system's
queries or another kind of database the ranking carries over better than the probability: fit
again there, which needs no labels.
"""


def _share_text(manifest: Mapping[str, Any]) -> str:
    """Return which part has which share of the log-odds, in words."""
    parts = manifest["training"].get("parts")
    columns = f", on {len(manifest['columns'])} columns"
    if not parts:
        return columns
    shares = ", ".join(f"{share:.0%} {name}" for name, share in parts.items())
    idle = "" if parts.get("learned here") else "; nothing was learned by it here"
    return f"{columns}. Shares of the log-odds: {shares}{idle}"


def _points_text(manifest: Mapping[str, Any]) -> str:
    points = [OperatingPoint.from_json(point) for point in manifest["points"]]
    if not points:
        return "The threshold was given."
    use = manifest["training"]["label_use"]
    where = (
        "as the calibrated probabilities lead one to expect"
        if use == "none"
        else "on labels of cases that were left out"
    )
    rows = [
        f"| {point.alarms:.0%} | {point.threshold:.3f} | {point.recall:.2f} | "
        + " | ".join(f"{point.precision(share):.2f}" for share in (0.03, 0.1, 0.3))
        + " |"
        for point in points
    ]
    head = [
        f"What is called incorrect, {where}, by the share of right queries that may be:",
        "",
        "| right ones called | from p(incorrect) | wrong ones called | precision at 3 % errors | "
        "at 10 % | at 30 % |",
        "|---|---|---|---|---|---|",
    ]
    return "\n".join([*head, *rows])


def component_text(saved: object) -> str:
    """Return a component in the manifest in a few words: its name or its class."""
    if isinstance(saved, Mapping):
        return str(saved.get("name") or saved.get("pickled"))
    return str(saved)
