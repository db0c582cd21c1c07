"""What the words of a question lead one to expect of its query, learned from gold pairs.

The models are small and linear, and their weights are data in the package: inference needs numpy
only. Nothing here reads a database or runs a query.
"""

from clausewise.expectation.attributes import ATTRIBUTES
from clausewise.expectation.observed import observed
from clausewise.expectation.packaged_weights import Expectation, packaged_expectation
from clausewise.expectation.shape import ShapeExpectation, ShapeModel

__all__ = [
    "ATTRIBUTES",
    "Expectation",
    "ShapeExpectation",
    "ShapeModel",
    "observed",
    "packaged_expectation",
]
