"""A hundred false alarms of the detector before, read one by one, and what became of them.

`readings.csv` holds them: drawn at random from the right queries that the detector of November 2026
called incorrect, which had learned from the two benchmarks alone; half from composed queries, half
from those that a strong model wrote in one pass. The cause was read off the question, the query and
the findings.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from clausewise.types import Verdict
from experiments.common.results import Cell, read_csv
from experiments.world.left_out import Scored

READINGS = Path(__file__).parent / "readings.csv"
CAUSES = {
    "expected_shape": "questions worded so were thought to be answered by another kind of query",
    "column_more": "a count, a key or the figure ranked by is shown beside what was asked for",
    "fit_alone": "no finding: the verdict came from shape and fit alone",
    "word_misread": "a number, a denial or a person was read where none is meant",
    "list_misread": "the things asked for were counted or ordered wrongly",
    "rounding": "the value is rounded or cut",
    "idle_condition": "every row of today's data meets a condition that the question asks for",
    "link_by_meaning": "rows are linked by what they mean, not by a declared key",
    "similar_table": "another table holds the columns, too",
    "unit_converted": "a number of the question stands in another unit",
    "stored_rate": "a sum over a discounted price was taken for a sum of rates",
    "namesakes": "groups may merge two entities of one name",
}


def rows(scored: Sequence[Scored]) -> Iterator[dict[str, Cell]]:
    """Yield how many alarms each cause had, and how many of them are left."""
    verdicts = {(one.set, str(one.case.question_id)): one.case.verdict for one in scored}
    before: dict[str, list[bool]] = defaultdict(list)
    for reading in read_csv(READINGS):
        verdict = verdicts[reading["set"], reading["question_id"]]
        before[reading["cause"]].append(verdict is Verdict.INCORRECT)
    for cause, left in sorted(before.items(), key=lambda item: (-len(item[1]), item[0])):
        yield {"cause": cause, "meaning": CAUSES[cause], "before": len(left), "now": sum(left)}
    left_over = [is_called for of in before.values() for is_called in of]
    yield {"cause": "all", "meaning": "", "before": len(left_over), "now": sum(left_over)}
