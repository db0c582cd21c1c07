"""Parsing: from a query's text to its clauses with exact spans, and the facts in them."""

from clausewise.sql.differences import CLAUSE_ORDER, differing_clauses
from clausewise.sql.model import (
    Aggregate,
    ColumnUse,
    Comparison,
    Conjunct,
    Join,
    JoinPair,
    Literal,
    OrderItem,
    Piece,
    Projection,
    Query,
    Role,
    Select,
    Source,
    SubqueryFilter,
    UnknownName,
)
from clausewise.sql.parse import parse
from clausewise.sql.shape import shape
from clausewise.sql.statements import (
    count_from,
    find_fragment,
    from_text,
    replaced,
    same_statement,
    with_prefix,
)

__all__ = [
    "CLAUSE_ORDER",
    "Aggregate",
    "ColumnUse",
    "Comparison",
    "Conjunct",
    "Join",
    "JoinPair",
    "Literal",
    "OrderItem",
    "Piece",
    "Projection",
    "Query",
    "Role",
    "Select",
    "Source",
    "SubqueryFilter",
    "UnknownName",
    "count_from",
    "differing_clauses",
    "find_fragment",
    "from_text",
    "parse",
    "replaced",
    "same_statement",
    "shape",
    "with_prefix",
]
