"""Pairs that are equivalent by construction: gold queries, rewritten by rules that are sound.

The rules are written for this experiment, on sqlglot's trees, and share nothing with the prover: a
rule of the prover that were wrong here too could not be found otherwise. Each gives None for a
query of another shape.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from clausewise.databases import Schema
from experiments.equivalent_pairs import conditions, nested, structure

Rule = Callable[[exp.Select, Schema], exp.Expr | None]

RULES: dict[str, Rule] = {
    rule.__name__: rule
    for rule in (
        structure.aliases,
        structure.comma_join,
        structure.join_order,
        conditions.conjunct_order,
        conditions.flipped,
        conditions.negated,
        conditions.between,
        conditions.one_element_in,
        conditions.or_as_in,
        conditions.de_morgan,
        conditions.distributed,
        conditions.weaker_beside,
        conditions.tautology,
        structure.count_one,
        structure.count_key,
        structure.derived_table,
        structure.common_table,
        structure.having_as_where,
        structure.grouped_distinct,
        structure.order_by_position,
        structure.order_by_alias,
        nested.in_as_exists,
        nested.not_in_as_not_exists,
        nested.in_as_join,
        structure.key_group,
        structure.left_join_of_key,
        structure.equal_column,
        structure.or_as_union,
    )
}
