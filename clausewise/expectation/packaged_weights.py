"""The expectation that comes with the package."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib import resources
from pathlib import Path

from clausewise.expectation.shape import ShapeExpectation, ShapeModel
from clausewise.question.bounds import LONG

SHAPE_FILE = "shape.npz"


@dataclass(frozen=True, eq=False)
class Expectation:
    """What is expected of a query, from its question and evidence."""

    shape_model: ShapeModel

    def __reduce__(self) -> tuple[type[Expectation], tuple[ShapeModel]]:
        return type(self), (self.shape_model,)

    def shape(self, question: str, evidence: str | None) -> ShapeExpectation | None:
        """Return what the words lead one to expect; None where the question cannot be read.

        It is the same object for equal texts, where these are not long.
        """
        if len(question) + len(evidence or "") > LONG:
            return self.shape_model.expect(question, evidence)
        return self._known(question, evidence)

    @cached_property
    def _known(self) -> Callable[[str, str | None], ShapeExpectation | None]:
        return lru_cache(maxsize=1_024)(self.shape_model.expect)


@lru_cache(maxsize=1)
def packaged_expectation() -> Expectation:
    """Return the packaged expectation, read once."""
    folder = resources.files("clausewise.expectation") / "packaged"
    with resources.as_file(folder / SHAPE_FILE) as path:
        return Expectation(ShapeModel.load(Path(path)))
