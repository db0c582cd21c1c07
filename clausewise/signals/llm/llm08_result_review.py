"""LLM08: a model finds the result to be no answer to the question."""

from __future__ import annotations

from collections.abc import Iterator

from clausewise.errors import NotApplicable
from clausewise.preparation.result_text import count_rows, show_rows
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.llm._answers import MODEL_SECONDS, SignalAnswer, ask, because, measured
from clausewise.signals.llm._material import case_material, client
from clausewise.signals.llm._places import locate
from clausewise.signals.llm._replies import ResultReview
from clausewise.types import Case, Clause, ClauseSpan, Cost, Finding, Group, Need


@signal(
    code="LLM08",
    name="result_review",
    group=Group.LLM,
    family="llm_judgement",
    clauses=set(Clause),
    needs={Need.QUESTION, Need.LLM},
    cost=Cost.MODEL,
    calls=1,
    version=1,
    reasons={
        "other_columns": "The model says that the question asks for other columns.",
        "wrong_rows": "The model says that these rows are no answer to the question.",
    },
    sets={"sqlens-llm"},
    time_limit=MODEL_SECONDS,
)
def result_review(case: Case, context: Context) -> Iterator[Finding]:
    """A language model finds that the result is no answer to the question.

    What it measures
    ----------------
    With the first rows of the result in sight: whether the selected columns are those that the
    question asks for, and whether the rows can be right. The score is the model's stated
    confidence.

    Why it points to an error
    -------------------------
    An empty result, an identifier where a name is asked, a share of 340 percent: rows show at
    once what the text of a query hides.

    Fires on
    --------
    What are the names of the cities? SELECT id, name FROM city

    Stays silent on
    ---------------
    What are the names of the cities? SELECT name FROM city

    Does not apply when
    -------------------
    No language model was given, the case has no question, or no cell of the database may be sent
    (`--llm-no-values`).

    How to repair
    -------------
    Select what the question asks for; look for the condition or join that made the rows wrong.

    Cost
    ----
    One call for each case; not part of the combined call.

    References
    ----------
    DART-SQL, section 3.3 (execution-guided refinement).
    """
    if not client(context).settings.send_values:
        raise NotApplicable("its prompt would hold rows, and no cell may be sent")
    if context.result is None:
        raise NotApplicable("the query gave no result")
    shown = {"result": show_rows(context.result), "rows_shown": count_rows(context.result)}
    answer = ask(context, "result_review", ResultReview, {**case_material(context), **shown})
    reply = answer.reply
    located = locate(context, reply.fragment)
    if not reply.columns_right:
        select = context.query.root.clause(Clause.SELECT) or context.query.span
        in_select = located is not None and located.kind is Clause.SELECT
        place = located if located is not None and in_select else select
        message = "a model finds that other columns are asked for"
        yield _finding(answer, place, "other_columns", message)
    if not reply.rows_right:
        place = located or context.query.span
        message = "a model finds that these rows are no answer"
        yield _finding(answer, place, "wrong_rows", message)


def _finding(
    answer: SignalAnswer[ResultReview], place: ClauseSpan, reason: str, message: str
) -> Finding:
    reply = answer.reply
    return Finding(
        clause=place,
        reason=reason,
        measure=measured(reply.confidence),
        message=because(message, reply.reason),
        evidence=answer.evidence(
            reply.reason,
            confidence=reply.confidence,
            columns_right=reply.columns_right,
            rows_right=reply.rows_right,
            fragment=reply.fragment,
        ),
    )
