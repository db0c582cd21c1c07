"""What the repairs would do to gold queries: false alarms of their findings, or faults of golds.

    python -m experiments.rules.golds DATA --out experiments/rules/results

No prediction and no label is read: only `spider_train`, without the database that BIRD has, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import closing

from clausewise.corrected_case import RowMatch
from clausewise.correction.rules import REPAIRS, suggest
from clausewise.databases import DatabaseProtocol
from clausewise.evaluation.execution_match import asks_for_order, rows_of, same_rows
from clausewise.types import Inspection, ScoredCase, Verdict
from experiments.common.data import Item
from experiments.common.results import Cell, write_csv
from experiments.common.workspace import Workspace, gold_inspections, parser

SET = "spider_train"
LEFT_OUT = "formula_1"


def gold_rows(workspace: Workspace, items: Sequence[Item]) -> list[dict[str, Cell]]:
    """Return for each repair how many golds it is for, and of how many it changes the result."""
    counts: Counter[tuple[str, str]] = Counter()
    golds = {
        (item.case.db_id, item.case.question): item
        for item in items
        if isinstance(item, Inspection) and item.case.db_id != LEFT_OUT
    }
    with closing(workspace.benchmark(SET).databases) as databases:
        for item in golds.values():
            scored = _scored(item)
            database = databases.get(item.case.db_id)
            for name, spec in REPAIRS.items():
                if not any(map(spec.is_for, scored.findings)):
                    continue
                counts[name, "found"] += 1
                made = suggest(scored, item.case, database, only=[name])
                counts[name, "repaired"] += bool(made)
                counts[name, "changed"] += any(
                    _changes(item.case.predicted_sql, one.sql, database) for one in made
                )
    return [
        {
            "repair": name,
            "risky": spec.risky,
            "golds": len(golds),
            "found": counts[name, "found"],
            "repaired": counts[name, "repaired"],
            "changed": counts[name, "changed"],
        }
        for name, spec in REPAIRS.items()
    ]


def _changes(gold: str, repaired: str, database: DatabaseProtocol) -> bool:
    """Whether a repaired gold query has another result, or one that cannot be compared."""
    before, after = rows_of(gold, database), rows_of(repaired, database)
    if before is None or after is None:
        return True
    return not same_rows(before, after, RowMatch.SPIDER, ordered=asks_for_order(gold))


def _scored(item: Inspection) -> ScoredCase:
    """Return a gold with its findings; no detector judges it."""
    return ScoredCase(
        question_id=item.case.question_id,
        db_id=item.case.db_id,
        predicted_sql=item.case.predicted_sql,
        p_correct=0.5,
        verdict=Verdict.UNCHECKED,
        status=item.status,
        findings=item.findings,
        signals={},
    )


def main() -> None:
    """Run the experiment and write its results."""
    workspace = Workspace.of(parser(__doc__).parse_args())
    write_csv(workspace.out / "golds.csv", gold_rows(workspace, gold_inspections(workspace)))


if __name__ == "__main__":
    main()
