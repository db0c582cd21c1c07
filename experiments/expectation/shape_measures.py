"""How good the expected shape is on databases that were left out, and how it is shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from clausewise.expectation.attributes import ATTRIBUTES
from clausewise.expectation.shape import SIZES, STARTS
from clausewise.signals.expectation.exp01_unexpected_shape import is_told
from experiments.common.results import Cell, Row, number, read_csv, write_csv
from experiments.common.tables import markdown_table

BINS = 15
SUMMARY_SOURCES = ("spider_train", "bird_train", "world_pairs", "corpus_domains", "corpus_pairs")


def attribute_rows(
    source: str,
    expected: NDArray[np.float32],
    targets: NDArray[np.float32],
    base: NDArray[np.float32],
) -> list[dict[str, Cell]]:
    """Return a row for each attribute.

    `expected` are the held-out probabilities `[n, n_classes]`, `base` those of a model that knows
    only how common the classes are.
    """  # fmt: skip
    rows: list[dict[str, Cell]] = []
    findings = told(expected, targets).mean(axis=0).tolist()
    for at, (name, start, size) in enumerate(zip(ATTRIBUTES, STARTS, SIZES, strict=True)):
        part = slice(int(start), int(start) + size)
        truth = targets[:, part].argmax(axis=1)
        rows.append(
            {
                "source": source,
                "attribute": name,
                "n": len(truth),
                "log_loss": log_loss(expected[:, part], truth),
                "log_loss_base": log_loss(base[:, part], truth),
                "accuracy": float((expected[:, part].argmax(axis=1) == truth).mean()),
                "accuracy_base": float((base[:, part].argmax(axis=1) == truth).mean()),
                "ece": calibration_error(expected[:, part], truth),
                "told": findings[at],
            }
        )
    return rows


def told(expected: NDArray[np.float32], targets: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Return on which gold queries `unexpected_shape` would have a finding, `[n, n_attributes]`."""
    found = np.zeros((len(expected), len(SIZES)), bool)
    for column, (name, start, size) in enumerate(zip(ATTRIBUTES, STARTS, SIZES, strict=True)):
        part = slice(int(start), int(start) + size)
        labels = ATTRIBUTES[name].classes
        found[:, column] = [
            is_told(name, labels[own], labels[best], float(p[own]), float(p[best]))
            for p, own, best in zip(
                expected[:, part],
                targets[:, part].argmax(axis=1),
                expected[:, part].argmax(axis=1),
                strict=True,
            )
        ]
    return found


def log_loss(expected: NDArray[np.float32], truth: NDArray[np.int64]) -> float:
    """Return the mean of -log of what was given to the true class."""
    given = np.maximum(expected[np.arange(len(truth)), truth], 1e-9)
    return float(-np.log(given).mean())


def calibration_error(expected: NDArray[np.float32], truth: NDArray[np.int64]) -> float:
    """Return the expected calibration error of the most probable class, equal-mass bins."""
    sure = expected.max(axis=1)
    right = expected.argmax(axis=1) == truth
    parts = np.array_split(np.argsort(sure, kind="stable"), BINS)
    sizes = np.array([len(part) for part in parts])
    gaps = np.array([abs(sure[part].mean() - right[part].mean()) for part in parts if len(part)])
    return float((gaps * sizes[sizes > 0]).sum() / sizes.sum())


def write_figures(
    out: Path,
    attributes: Sequence[Mapping[str, Cell]],
    curve: Sequence[Mapping[str, Cell]],
    facts: Mapping[str, Cell],
) -> None:
    """Write the CSV files that the report is made of."""
    out.mkdir(parents=True, exist_ok=True)
    write_csv(out / "shape.csv", attributes)
    write_csv(out / "shape_curve.csv", curve)
    write_csv(out / "shape_facts.csv", [{"fact": key, "value": of} for key, of in facts.items()])


def shape_report(out: Path) -> str:
    """Return the Markdown of a folder of results, nothing where it has none of the shape."""
    attributes, curve = read_csv(out / "shape.csv"), read_csv(out / "shape_curve.csv")
    if not attributes:
        return ""
    facts = [[row["fact"], row["value"]] for row in read_csv(out / "shape_facts.csv")]
    parts = ["# The expected shape on databases that were left out\n"]
    parts.append(markdown_table(["", "value"], facts))
    for source in dict.fromkeys(row["source"] for row in attributes):
        rows = [row for row in attributes if row["source"] == source]
        parts.append(f"\n## {source}, {rows[0]['n']} pairs\n")
        parts.append(markdown_table(_HEADER, [_cells(row) for row in rows]))
    parts.append("\n## By the number of databases learned from\n")
    columns = [name for name in (curve[0] if curve else {}) if name != "databases"]
    header = ["databases", *(name.replace("_", " ") for name in columns)]
    lines = [[row["databases"], *(f"{number(row, of):.4f}" for of in columns)] for row in curve]
    parts.append(markdown_table(header, lines))
    return "\n".join(parts)


_HEADER = [
    "attribute", "log loss", "of the base rates", "accuracy", "of the base rates", "ECE",
    "finding on gold",
]  # fmt: skip


def _cells(row: Row) -> list[str]:
    figures = ("log_loss", "log_loss_base", "accuracy", "accuracy_base", "ece", "told")
    return [row["attribute"], *(f"{number(row, of):.4f}" for of in figures)]
