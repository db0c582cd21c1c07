"""Whether the strongest finding names a clause in which the query really differs from its gold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from clausewise.errors import ParseError
from clausewise.evaluation.intervals import wilson_interval
from clausewise.evaluation.matching import id_key
from clausewise.evaluation.results import Localization
from clausewise.sql.differences import differing_clauses
from clausewise.sql.model import Query
from clausewise.sql.unwrapping import bare_statement
from clausewise.types import NOTICES, Clause, ScoredCase

MOST_DIFFERENCES = 2
"""Queries that differ in more clause kinds are left out: nearly any finding would be a hit."""

Tables = Mapping[str, Mapping[str, Sequence[str]]]
"""Column names by table by `db_id`."""


class Localizer:
    """Counts how often the strongest finding of an incorrect query names a differing clause kind.

    The strongest finding is the one with the highest score, the first of equals. A finding on the
    whole query (kind `query`) names no clause and is a miss.

    Parameters
    ----------
    gold
        The right query by question id.
    tables
        Lets column names without a qualifier be resolved.
    dialect
        Of the queries.
    """

    def __init__(
        self,
        gold: Mapping[str | int, str],
        *,
        tables: Tables | None = None,
        dialect: str = "sqlite",
    ) -> None:
        self._gold = {id_key(question_id): sql for question_id, sql in gold.items()}
        self._tables = tables or {}
        self._dialect = dialect
        self._left_out: Counter[str] = Counter()
        self._kinds: Counter[Clause] = Counter()
        self._n = self._hits = 0

    def add(self, case: ScoredCase) -> None:
        """Count one incorrect query."""
        gold_sql = self._gold.get(id_key(case.question_id))
        tables = self._tables.get(case.db_id or "")
        differing = _differing_kinds(case, gold_sql, tables, self._dialect)
        if isinstance(differing, str):
            self._left_out[differing] += 1
            return
        strongest = max(case.findings, key=lambda finding: finding.score)
        self._n += 1
        self._hits += strongest.clause.kind in differing
        self._kinds.update(differing)

    def figures(self) -> Localization:
        """Return the figures over the queries so far."""
        kinds = {kind.value: self._kinds[kind] for kind in Clause if self._kinds[kind]}
        common = max(kinds, key=lambda kind: kinds[kind], default=None)
        return Localization(
            n=self._n,
            hits=self._hits,
            interval=wilson_interval(self._hits, self._n),
            common_kind=common,
            common_hits=kinds[common] if common else 0,
            kinds=kinds,
            left_out=dict(sorted(self._left_out.items())),
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
    if all(finding.signal in NOTICES for finding in case.findings):
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
