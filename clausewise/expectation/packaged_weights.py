"""The expectation that comes with the package."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from pathlib import Path

from clausewise.expectation.shape import ShapeExpectation, ShapeModel

SHAPE_FILE = "shape.npz"


@dataclass(frozen=True, eq=False)
class Expectation:
    """What is expected of a query, from its question and evidence."""

    shape_model: ShapeModel

    def shape(self, question: str, evidence: str | None) -> ShapeExpectation | None:
        """Return what the words lead one to expect; None where the question cannot be read."""
        return self.shape_model.expect(question, evidence)


@lru_cache(maxsize=1)
def packaged_expectation() -> Expectation:
    """Return the packaged expectation, read once."""
    folder = resources.files("clausewise.expectation") / "packaged"
    with resources.as_file(folder / SHAPE_FILE) as path:
        return Expectation(ShapeModel.load(Path(path)))
