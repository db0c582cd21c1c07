"""What SQL leaves open in a query: ties, arbitrary rows, and the order of rows in functions."""

from clausewise.sql.ties.examining import examine_ties
from clausewise.sql.ties.model import Determinacy, RankedVariants, TieCheck

__all__ = ["Determinacy", "RankedVariants", "TieCheck", "examine_ties"]
