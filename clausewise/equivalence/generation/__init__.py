"""Made-up instances that are aimed at what the queries look at."""

from clausewise.equivalence.generation.stream import MOST_ROWS, InstanceGenerator, instances

__all__ = ["MOST_ROWS", "InstanceGenerator", "instances"]
