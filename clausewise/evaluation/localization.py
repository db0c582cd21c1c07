"""Whether the strongest finding names a clause in which the query really differs from its gold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from clausewise.errors import ParseError
from clausewise.evaluation.intervals import wilson_interval
from clausewise.evaluation.matching import id_key
from clausewise.evaluation.metrics import Flags
from clausewise.evaluation.results import Localization
from clausewise.sql.differences import differing_clauses
from clausewise.sql.model import Query
from clausewise.sql.unwrapping import bare_statement
from clausewise.types import WRAPPED_QUERY, Clause, ScoredCase

MOST_DIFFERENCES = 2
"""Queries that differ in more clause kinds are left out: nearly any finding would be a hit."""

Tables = Mapping[str, Mapping[str, Sequence[str]]]
"""Column names by table by `db_id`."""


def localize(
    cases: Sequence[ScoredCase],
    incorrect: Flags,
    gold: Mapping[str | int, str],
    *,
    tables: Tables | None = None,
    dialect: str = "sqlite",
) -> Localization:
    """Return how often the strongest finding of an incorrect query names a differing clause kind.

    `incorrect` `[n]` is the truth for each case, `gold` the right query by question id. The
    strongest finding is the one with the highest score, the first of equals. A finding on the
    whole query (kind `query`) names no clause and is a miss. `tables` lets column names without
    a qualifier be resolved.
    """
    gold_by_key = {id_key(question_id): sql for question_id, sql in gold.items()}
    left_out: Counter[str] = Counter()
    differing_kinds: Counter[str] = Counter()
    hits = n = 0
    for case, wrong in zip(cases, incorrect.tolist(), strict=True):
        if not wrong:
            continue
        schema = (tables or {}).get(case.db_id or "")
        gold_sql = gold_by_key.get(id_key(case.question_id))
        differing = _differing_kinds(case, gold_sql, schema, dialect)
        if isinstance(differing, str):
            left_out[differing] += 1
            continue
        n += 1
        strongest = max(case.findings, key=lambda finding: finding.score)
        hits += strongest.clause.kind in differing
        differing_kinds.update(kind.value for kind in differing)
    kinds = {kind.value: differing_kinds[kind] for kind in Clause if differing_kinds[kind]}
    common = max(kinds, key=lambda kind: kinds[kind], default=None)
    return Localization(
        n=n,
        hits=hits,
        interval=wilson_interval(hits, n),
        common_kind=common,
        common_hits=kinds[common] if common else 0,
        kinds=kinds,
        left_out=dict(sorted(left_out.items())),
    )


def _differing_kinds(
    case: ScoredCase,
    gold_sql: str | None,
    tables: Mapping[str, Sequence[str]] | None,
    dialect: str,
) -> frozenset[Clause] | str:
    """Return the one or two differing kinds, or why the case cannot count."""
    if gold_sql is None:
        return "no_gold"
    if all(finding.signal == WRAPPED_QUERY for finding in case.findings):
        return "no_findings"
    predicted = _parsed(bare_statement(case.predicted_sql or ""), tables, dialect)
    if predicted is None:
        return "predicted_not_parsed"
    gold = _parsed(gold_sql, tables, dialect)
    if gold is None:
        return "gold_not_parsed"
    differing = frozenset(differing_clauses(predicted, gold))
    if not differing:
        return "no_clause_differs"
    return differing if len(differing) <= MOST_DIFFERENCES else "more_than_two_kinds_differ"


def _parsed(sql: str, tables: Mapping[str, Sequence[str]] | None, dialect: str) -> Query | None:
    """Return the query, None where it is no single SELECT statement."""
    from clausewise.sql import parse

    try:
        query = parse(sql, dialect=dialect, tables=tables)
    except ParseError:
        return None
    return query if query.selects else None
