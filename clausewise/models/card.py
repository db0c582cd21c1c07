"""The card of a detector: on what it was trained, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clausewise.models.calibration.alarms import DEFAULT_ALARMS, OperatingPoint
from clausewise.models.classifiers.votes_only import VOTE
from clausewise.models.recipes import recipe_of
from clausewise.models.registries import ALONE
from clausewise.models.shares import LEARNED, has_learned, shares_text
from clausewise.types import Group

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
    "relaxed": "relaxed: a column more, rounding, an order, ties are reported and move nothing",
    "strict": "strict: they count as in the benchmarks",
}
_MEASURED = {
    "start": "Measured where the start was, on databases that it had not seen, and moved to the "
    "share of incorrect queries here; not measured on these cases.",
    "labels": "Measured on labels of these cases{left_out}.",
    "labels and start": "Measured on labels of these cases{left_out}, and drawn to what was "
    "measured where the start was, the more the fewer labels there are.",
    "expected": "Not measured: what the probabilities lead one to expect if they are true.",
    "left out": "Measured on databases that were left out of everything that was learned.",
}
_ERROR_SHARES = (0.03, 0.1, 0.3)
"""Shares of incorrect queries for which the card gives the precision."""


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
    by = _threshold_text(manifest)
    recipe = recipe_of(manifest["selector"], settings)
    named = f"- Recipe: {recipe}, and nothing else.\n" if recipe else ""
    changes = "\n".join(f"- {line[0].upper()}{line[1:]}." for line in change_lines(manifest))
    shares = f"\n## What ranks the queries\n\n{changes}\n" if changes else ""
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

{named}- Label model: {component_text(settings["label_model"])}; one vote a {settings["by"]}.
- Classifier: {component_text(settings["classifier"])}, on {_seen(manifest)}.
- Calibration: {component_text(settings["calibration"])}.
- Conventions: {_CONVENTIONS[settings["conventions"]]}.
- A query is called incorrect at a probability of {manifest["threshold"]:.3f} or more{by}.
- Seed: {settings["seed"]}.
{shares}
## Verdicts

{_points_text(manifest)}

## Signals

{signals}

## Limits

The probability means what it says on queries like those it was trained on. On another system's
queries or another kind of database the ranking carries over better than the probability: fit
again there, which needs no labels.
"""


def change_lines(manifest: Mapping[str, Any]) -> list[str]:
    """Return what a fit changed and what it did not, in lines; none where it is not known.

    The first one says which part has which share of the log-odds, see `shares_of`.
    """
    settings, training = manifest["settings"], manifest["training"]
    parts = training.get("parts")
    if not parts:
        return []
    classifier = component_text(settings["classifier"])
    ranking = f"ranking: {shares_text(parts, classifier, settings['start'])}"
    if has_learned(parts):
        idle = parts.get(LEARNED) == 0.0
        more = f"; {classifier} learned nothing and has no share" if idle else ""
        return [ranking + more, f"moved: {'; '.join(_moved(manifest)) or 'nothing beside it'}"]
    n_labels = training["n_labels"]
    why = "no labels or candidates to learn from"
    if n_labels:
        why = f"the {n_labels} labels do not move it, and there are no candidates"
    return [
        f"{ranking} ({why})",
        f"moved: {'; '.join([*_moved(manifest), 'nothing else'])}",
        f"{classifier} learned nothing from these cases and has no share",
    ]


def _moved(manifest: Mapping[str, Any]) -> list[str]:
    """Return what is different from the start, beside the ranking."""
    settings, training = manifest["settings"], manifest["training"]
    features = manifest["features"]
    moved = []
    if settings["calibration"] != "none":
        share, source = manifest["class_balance"], training["balance"]
        moved.append(f"probabilities to a share of {share:.3f} incorrect ({source})")
    judges = [
        *(entry["name"] for entry in features["signals"] if entry["group"] == Group.LLM),
        *features["outside"],
    ]
    if judges:
        moved.append(f"weights of judges ({', '.join(judges)})")
    if training.get("n_gold"):
        moved.append(f"what is expected of queries by {training['n_gold']} gold pairs")
    if manifest["agreement_factor"] < 1.0:
        factor = manifest["agreement_factor"]
        moved.append(f"what candidates add to {factor:.2f} of what they add elsewhere")
    if _is_stated(manifest):
        moved.append("the threshold as stated")
    elif training.get("points_from", "start") != "start":
        by = {"expected": "the probabilities"}.get(training["points_from"], "labels")
        moved.append(f"the threshold by {by}")
    return moved


def _is_stated(manifest: Mapping[str, Any]) -> bool:
    return manifest["settings"]["threshold"] is not None or "alarms" in manifest["training"]


def _threshold_text(manifest: Mapping[str, Any]) -> str:
    """Return which share of the right queries belongs to the threshold, in words."""
    if manifest["settings"]["threshold"] is not None:
        return ", as stated"
    alarms = manifest["training"].get("alarms", DEFAULT_ALARMS)
    return f": at most {_percent(alarms)} of the right ones" if manifest["points"] else ""


def _seen(manifest: Mapping[str, Any]) -> str:
    """Return what the classifier sees, in words."""
    columns = manifest["columns"]
    if manifest["settings"]["start"] != ALONE:
        return f"{len(columns)} columns"
    n_votes = sum(name.startswith(VOTE) for name in columns)
    return f"the votes of {n_votes} labeling functions alone"


def _points_text(manifest: Mapping[str, Any]) -> str:
    points = [OperatingPoint.from_json(point) for point in manifest["points"]]
    if not points:
        return "No thresholds by shares of the right queries were kept."
    rows = [
        f"| {_percent(point.alarms)} | {point.threshold:.3f} | {point.recall:.2f} | "
        + " | ".join(f"{point.precision(share):.2f}" for share in _ERROR_SHARES)
        + " |"
        for point in points
    ]
    precisions = [f"precision at {_percent(share)} errors" for share in _ERROR_SHARES]
    head = [
        f"{_measured_text(manifest)} At most that share of the right queries is called, so the "
        "precision is at least as given, by the share of queries that are incorrect. `--alarms` "
        "takes another row.",
        "",
        f"| right queries called | threshold, p(incorrect) | recall | {' | '.join(precisions)} |",
        "|---|---|---|" + "---|" * len(precisions),
    ]
    return "\n".join([*head, *rows])


def _measured_text(manifest: Mapping[str, Any]) -> str:
    """Return where the thresholds were measured, in a sentence."""
    training = manifest["training"]
    learned_from = training["label_use"] == "training"
    default = "labels" if learned_from else "expected"
    if "populations" in training:
        default = "left out"
    left_out = ", by classifiers that had not seen the case" if learned_from else ""
    return _MEASURED[training.get("points_from", default)].format(left_out=left_out)


def _percent(share: float) -> str:
    return f"{100 * share:g} %"


def component_text(saved: object) -> str:
    """Return a component in the manifest in a few words: its name or its class."""
    if isinstance(saved, Mapping):
        return str(saved.get("name") or saved.get("pickled"))
    return str(saved)
