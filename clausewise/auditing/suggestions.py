"""A repaired query for an annotation, where a repair rule has one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pydantic import ValidationError

from clausewise.audited_case import AuditedCategory
from clausewise.types import Case, ScoredCase

if TYPE_CHECKING:
    from clausewise.correction.rules import SuggestedRepair
    from clausewise.databases import DatabaseProtocol


def suggestion_for(
    scored: ScoredCase, categories: Sequence[AuditedCategory], database: DatabaseProtocol
) -> SuggestedRepair | None:
    """Return the repair of what the strongest category that has one was found by, else None.

    Repairs that may change the meaning are among them: a person decides.

    Raises ClausewiseError where the database cannot be read.
    """
    sources = [category.source for category in categories]
    if not scored.findings or not sources:
        return None
    from clausewise.correction.rules import suggest

    try:
        case = Case.model_validate(
            {
                **scored.carried,
                "question_id": scored.question_id,
                "db_id": scored.db_id,
                "predicted_sql": scored.predicted_sql,
            }
        )
    except ValidationError:
        return None
    repairs = {
        f"{one.finding.signal}.{one.finding.reason}": one
        for one in reversed(suggest(scored, case, database, risky=True))
    }
    return next((repairs[source] for source in sources if source in repairs), None)
