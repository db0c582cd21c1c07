"""The card of a detector: on what it was trained, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

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
- Classifier: {component_text(settings["classifier"])}, on {len(manifest["columns"])} columns.
- Calibration: {component_text(settings["calibration"])}.
- A query is called incorrect at a probability of {manifest["threshold"]:.3f} or more.
- Seed: {settings["seed"]}.

## Signals

{signals}

## Limits

The probability means what it says on queries like those it was trained on. On another system's
queries or another kind of database the ranking carries over better than the probability: fit
again there, which needs no labels.
"""


def component_text(saved: object) -> str:
    """Return a component in the manifest in a few words: its name or its class."""
    if isinstance(saved, Mapping):
        return str(saved.get("name") or saved.get("pickled"))
    return str(saved)
