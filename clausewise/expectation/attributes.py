"""The attributes of a query's shape that a question's words lead one to expect.

Each has a small closed set of classes. Two ways of writing the same thing are one class wherever
that can be read off the query: the highest of something by MAX, by ORDER BY with LIMIT or by a
sub-query; a count by COUNT, by SUM over CASE or IIF; what is not wanted by NOT IN or EXCEPT.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from clausewise.types import Clause


@dataclass(frozen=True, slots=True)
class Attribute:
    """One attribute: its classes in a fixed order, and the clause that shows it."""

    name: str
    meaning: str
    classes: tuple[str, ...]
    clause: Clause


def _attribute(name: str, clause: Clause, classes: str, meaning: str) -> Attribute:
    return Attribute(name, meaning, tuple(classes.split()), clause)


ATTRIBUTES: Mapping[str, Attribute] = {
    attribute.name: attribute
    for attribute in (
        _attribute("n_selected", Clause.SELECT, "1 2 3 4+ all",
                   "How many columns are shown; `all` for `*`."),
        _attribute("aggregate", Clause.SELECT, "none count sum avg ratio",
                   "What figure is shown; MAX and MIN are in `extremum`."),
        _attribute("distinct", Clause.SELECT, "none rows counted",
                   "Whether each row is shown once, or each thing counted once."),
        _attribute("grouping", Clause.GROUP_BY, "none groups",
                   "Whether figures are computed for each group."),
        _attribute("having", Clause.HAVING, "none having",
                   "Whether groups are kept by a figure."),
        _attribute("order", Clause.ORDER_BY, "none asc desc",
                   "How what is listed is sorted, where it is not cut to the first rows."),
        _attribute("limit", Clause.LIMIT, "none several",
                   "Whether the result is cut to more than one row, or to a later one."),
        _attribute("extremum", Clause.ORDER_BY, "none high low both",
                   "Which end is asked for, by MAX or MIN or by ORDER BY with LIMIT."),
        _attribute("extremum_of", Clause.ORDER_BY, "none column count figure",
                   "Of what the extremum is: a column, how many there are, or another figure."),
        _attribute("n_tables", Clause.FROM, "1 2 3 4+",
                   "How many tables are read."),
        _attribute("n_conditions", Clause.WHERE, "0 1 2 3+",
                   "How many columns are compared with constants."),
        _attribute("n_values", Clause.WHERE, "0 1 2 3+",
                   "How many constants there are in conditions."),
        _attribute("disjunction", Clause.WHERE, "none or",
                   "OR, IN with several constants, or UNION."),
        _attribute("negation", Clause.WHERE, "none not",
                   "`<>`, NOT IN, NOT EXISTS, NOT LIKE, EXCEPT, or what has no partner."),
        _attribute("pattern", Clause.WHERE, "none pattern",
                   "LIKE or GLOB with a wildcard."),
        _attribute("direction", Clause.WHERE, "none more less range",
                   "Where the comparisons point: above, below, or between two bounds."),
        _attribute("null_check", Clause.WHERE, "none null",
                   "Whether missing values are asked for."),
        _attribute("set_operation", Clause.SET_OPERATION, "none union intersect except",
                   "How results are put together."),
        _attribute("nested_figure", Clause.WHERE, "none compared summarized",
                   "A comparison with a computed figure, or a figure of figures."),
        _attribute("arithmetic", Clause.SELECT, "none plus divided percent",
                   "What is calculated."),
        _attribute("date", Clause.WHERE, "none date",
                   "Whether dates are compared or taken apart."),
        _attribute("conditional", Clause.SELECT, "none cases",
                   "Whether what is shown depends on a condition."),
    )
}  # fmt: skip
"""Every attribute by its name, in the order in which models hold them."""
