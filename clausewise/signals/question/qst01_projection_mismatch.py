"""QST01: other columns are selected than the question asks for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from clausewise.errors import NotAllChecked, NotApplicable
from clausewise.inflection import is_plural
from clausewise.question.asked import Asked, AskedKind
from clausewise.question.reading import QuestionReading, read_question
from clausewise.signals.base import signal
from clausewise.signals.context import Context
from clausewise.signals.linking.columns import (
    Shown,
    Width,
    fit,
    linked_words,
    named_columns,
    shown_of,
    table_words,
    total_width,
    used_tables,
)
from clausewise.signals.linking.constants import facts_of
from clausewise.signals.question._extras import counts_are_asked, free_columns, kind_of_extra
from clausewise.sql.model import Select
from clausewise.types import Case, Clause, ClauseSpan, Cost, Finding, Group, Need

POOR_FIT = 0.4
"""Fit in [0, 1] under which a column does not answer a thing asked for."""
CLEAR_FIT = 0.9
MOST_ASKED = 100
"""Things asked for; each is compared with each selected column and with each other thing."""
COUNTED = frozenset(
    {"number", "count", "total", "percentage", "many", "ratio", "proportion", "time", "rate"}
)
"""Words of a thing asked for that a count may answer."""


@dataclass(frozen=True, slots=True)
class _Sides:
    """Things asked for and shown, with the fit of each pair: `fits[shown][asked]`."""

    asked: Sequence[Asked]
    shown: Sequence[Shown]
    fits: Sequence[Sequence[float]]
    limits: Width
    demanded: int
    """The most columns that the things asked for may take, without what only leads to them."""

    known: int
    """The fewest columns that the things asked for take whose words the schema knows."""
    free: tuple[Shown, ...]
    """Shown columns that may have been asked for in other words than as a thing."""
    select: Select
    counts_later: bool
    """Whether a number is asked for outside of the things listed."""

    doubtful: int
    """Words asked for that may only describe the next one: `direct and indirect flights`."""

    @property
    def counts_asked(self) -> bool:
        """Whether a number is asked for, under whatever name."""
        return self.counts_later or any(COUNTED & set(item.words) for item in self.asked)

    @property
    def most(self) -> int:
        """The most columns that may be shown."""
        return self.limits.most + len(self.free)

    @property
    def unasked(self) -> list[Shown]:
        """What is shown and fits nothing asked for."""
        return [
            item
            for item, row in zip(self.shown, self.fits, strict=True)
            if max(row) < POOR_FIT
            and item not in self.free
            and not (item.function == "count" and self.counts_asked)
        ]

    def unshown(self, context: Context) -> list[tuple[Asked, tuple[str, ...]]]:
        """What is asked for, not shown, and could have been: with the columns named so."""
        found = []
        for at, item in enumerate(self.asked):
            if not (item.required and item.sure) or item.kind is AskedKind.GROUP:
                continue
            if max(row[at] for row in self.fits) >= POOR_FIT:
                continue
            named = named_columns(item, context)
            if named or item.kind is AskedKind.COUNT:
                found.append((item, named))
        return found


@signal(
    code="QST01",
    name="projection_mismatch",
    group=Group.QUESTION,
    family="projection",
    clauses={Clause.SELECT, Clause.QUERY},
    needs={Need.QUESTION},
    cost=Cost.PARSE,
    version=3,
    reasons={
        "unasked_count": ("A count is shown beside what was asked for.", "moderate", "convention"),
        "ranking_shown": (
            "The value by which rows are ranked and cut off is shown too.",
            "moderate",
            "convention",
        ),
        "filter_shown": (
            "A column is shown too that WHERE fixes to one value.",
            "moderate",
            "convention",
        ),
        "key_shown": ("A key is shown beside what was asked for.", "moderate", "convention"),
        "all_for_some": (
            "All columns are selected where the question names those that it wants.",
            "strong",
            "convention",
        ),
        "too_many": ("More columns are selected than things asked for.", "moderate", "convention"),
        "too_many_unasked": (
            "More columns are selected than asked for, and one fits nothing.",
            "moderate",
            "convention",
        ),
        "too_few": "Fewer columns are selected than things asked for.",
        "too_few_unknown": "Fewer are selected; the schema may not know what else is asked.",
        "unasked": "A column fits nothing asked for.",
        "lead_shown": (
            "What only leads to the thing asked for is shown too.",
            "moderate",
            "convention",
        ),
        "other_column": "A column that fits nothing stands in for one that the tables hold.",
        "not_shown": "A thing asked for is not selected, and the tables hold it.",
        "order": (
            "The right columns stand in another order than the question's.",
            "moderate",
            "convention",
        ),
    },
)
def projection_mismatch(case: Case, context: Context) -> Iterator[Finding]:
    """The selected columns are not those that the question lists: too many, too few, others.

    What it measures
    ----------------
    The question is read for the things that it asks for, in order, each with the number of
    columns that it may take (a full name takes two where the table splits it). They are set
    against the selected expressions: by number, by the words of columns, labels and aggregate
    functions, and by order. What "for each X" names may be shown or not.

    Why it points to an error
    -------------------------
    A value by which rows were ranked or grouped is shown though nobody asked for it, or a thing
    asked for is left out; the answer then has another shape than the one expected.

    Fires on
    --------
    What is the name of the oldest singer? SELECT name, age FROM singer ORDER BY age DESC LIMIT 1

    Stays silent on
    ---------------
    Show name and age of the oldest singer. SELECT name, age FROM singer ORDER BY age DESC LIMIT 1

    Does not apply when
    -------------------
    The question names nothing to select or asks for yes or no, or all columns are selected and
    the question names none.

    How to repair
    -------------
    Select exactly what the question asks for, in its order, and nothing else.

    Cost
    ----
    Nothing is run.

    References
    ----------
    GBV-SQL (SQL checker: the selected columns must be those asked for, no more and no fewer).
    """
    reading = read_question(case)
    select = context.query.root
    if not any(item.kind is not AskedKind.GROUP for item in reading.asked):
        raise NotApplicable("the question names nothing to select")
    if any(item.kind is AskedKind.YES_NO for item in reading.asked):
        raise NotApplicable("the question asks for yes or no")
    everything = _all_for_some(reading, context, select)
    if everything is not None:
        yield everything
        return
    if any(projection.star for projection in select.projections) or not select.projections:
        raise NotApplicable("the query selects all columns, or none by name")
    if any(item.terse for item in reading.asked):
        raise NotApplicable("the question only gives keywords")
    if len(reading.asked) > MOST_ASKED:
        raise NotAllChecked(f"the question asks for {len(reading.asked)} things: too many to match")
    sides = _sides(reading, context, select)
    clause = select.clause(Clause.SELECT) or context.query.span
    findings = list(_differences(sides, context, clause))
    yield from findings
    if not findings and _in_another_order(sides):
        yield _finding(clause, "order", "the columns stand in another order", sides)


def _all_for_some(reading: QuestionReading, context: Context, select: Select) -> Finding | None:
    """Return a finding where `*` shows whole tables and the question names the columns it wants."""
    if len(select.projections) != 1 or not select.projections[0].star:
        return None
    if any(source.select is not None for source in select.sources):
        return None
    asked = [item for item in reading.asked if item.required and item.sure]
    if not asked or any(item.kind not in (AskedKind.PLAIN, AskedKind.WHICH) for item in asked):
        return None
    named = [_named_column(item, context) for item in asked]
    columns = len(context.result.columns) if context.result is not None else 0
    if not all(named) or columns <= total_width(asked, reading, context).most + 1:
        return None
    piece = select.projections[0].piece
    return Finding(
        clause=context.span(Clause.SELECT, piece.start, piece.end),
        reason="all_for_some",
        message=f"all {columns} columns are selected, {len(asked)} asked for",
        evidence={"asked": [" ".join(item.words) for item in asked], "columns": columns},
        suggestion="select exactly what the question asks for",
    )


def _named_column(item: Asked, context: Context) -> bool:
    """Whether a thing asked for is a column of the tables and no row of them: `the names`."""
    tables = {word for table in used_tables(context) for word in table_words(context.schema, table)}
    return bool(set(item.words) - tables) and bool(named_columns(item, context))


def _sides(reading: QuestionReading, context: Context, select: Select) -> _Sides:
    shown = shown_of(context, select)
    asked = reading.asked
    fits = [[fit(item, column, reading, context.schema) for item in asked] for column in shown]
    demanded = [item for item in asked if item.required or item.kind is AskedKind.GROUP]
    return _Sides(
        asked,
        shown,
        fits,
        total_width(asked, reading, context),
        total_width(demanded, reading, context).most,
        sum(_is_known(item, context) for item in asked),
        free_columns(shown, select, reading, facts_of(context)),
        select,
        counts_are_asked(reading),
        sum(_may_describe(item, context) for item in asked),
    )


def _may_describe(item: Asked, context: Context) -> bool:
    if item.kind is not AskedKind.PLAIN or len(item.words) != 1 or not item.required:
        return False
    word = context.case.question[item.start : item.end].lower()
    return item.sure and not is_plural(word) and not linked_words(item, context.schema)


def _is_known(item: Asked, context: Context) -> bool:
    if not (item.required and item.sure) or item.kind is AskedKind.GROUP:
        return False
    plain = item.kind in (AskedKind.PLAIN, AskedKind.WHICH)
    return not plain or bool(linked_words(item, context.schema))


def _differences(sides: _Sides, context: Context, clause: ClauseSpan) -> Iterator[Finding]:
    """Yield what differs in number or in kind, the strongest of each."""
    count = _unasked_count(sides)
    unasked = sides.unasked
    unshown = sides.unshown(context)
    if count is not None:
        span = _span(context, count)
        yield _finding(span, "unasked_count", "nobody asked for this count", sides)
    elif len(sides.shown) > sides.most:
        yield _too_many(sides, context, clause)
    elif len(sides.shown) < sides.limits.least - sides.doubtful:
        message = f"{len(sides.shown)} columns are selected, {sides.limits.least} asked for"
        reason = "too_few" if len(sides.shown) < sides.known else "too_few_unknown"
        yield _finding(clause, reason, message, sides)
    elif unasked and not unshown and len(sides.shown) > 1:
        message = "the question does not ask for this column"
        yield _finding(_span(context, unasked[0]), "unasked", message, sides)
    elif len(sides.shown) > sides.demanded + len(sides.free) > len(sides.free):
        message = "what only leads to the thing asked for is selected too"
        yield _finding(clause, "lead_shown", message, sides)
    if unshown:
        yield _left_out(sides, context, clause, unasked, unshown[0])


_EXTRAS = {
    "ranking": ("ranking_shown", "what the rows are ranked by is shown, and nobody asked for it"),
    "filter": ("filter_shown", "a column is shown that the condition fixes to one value"),
    "key": ("key_shown", "a key is shown, and nobody asked for it"),
}


def _too_many(sides: _Sides, context: Context, clause: ClauseSpan) -> Finding:
    """Return what is shown too much, with the most telling reason."""
    by_kind: dict[str, Shown] = {}
    for item in (*sides.unasked, *reversed(sides.shown)):
        by_kind.setdefault(kind_of_extra(item, sides.select), item)
    for kind, (reason, message) in _EXTRAS.items():
        if kind in by_kind and len(sides.shown) > 1:
            return _finding(_span(context, by_kind[kind]), reason, message, sides)
    unasked = sides.unasked
    span = _span(context, unasked[0]) if unasked else clause
    message = f"{len(sides.shown)} columns are selected, {sides.most} asked for"
    return _finding(span, "too_many_unasked" if unasked else "too_many", message, sides)


def _left_out(
    sides: _Sides,
    context: Context,
    clause: ClauseSpan,
    unasked: list[Shown],
    unshown: tuple[Asked, tuple[str, ...]],
) -> Finding:
    item, named = unshown
    wanted = context.case.question[item.start : item.end]
    message = f"'{wanted}' is asked for and not selected"
    suggestion = f"select {' or '.join(named[:3])}" if named else "select a count"
    if unasked:
        return _finding(_span(context, unasked[0]), "other_column", message, sides, suggestion)
    return _finding(clause, "not_shown", message, sides, suggestion)


def _unasked_count(sides: _Sides) -> Shown | None:
    """Return a count that is shown beside other columns though no number is asked for."""
    if len(sides.shown) < 2 or sides.counts_later:
        return None
    for item in sides.asked:
        if item.kind in (AskedKind.COUNT, AskedKind.MEASURE) or COUNTED & set(item.words):
            return None
    return next((item for item in sides.shown if item.function == "count"), None)


def _in_another_order(sides: _Sides) -> bool:
    places = []
    for row in sides.fits:
        best = max(row)
        if best < CLEAR_FIT or sum(value >= CLEAR_FIT for value in row) > 1:
            return False
        item = sides.asked[row.index(best)]
        if item.kind is not AskedKind.PLAIN or not item.required:
            return False
        places.append(row.index(best))
    return places != sorted(places)


def _span(context: Context, shown: Shown) -> ClauseSpan:
    piece = shown.projection.piece
    return context.span(Clause.SELECT, piece.start, piece.end)


def _finding(
    span: ClauseSpan,
    reason: str,
    message: str,
    sides: _Sides,
    suggestion: str | None = None,
) -> Finding:
    return Finding(
        clause=span,
        reason=reason,
        message=message,
        evidence={
            "asked": [f"{item.kind.value} {' '.join(item.words)}".strip() for item in sides.asked],
            "selected": [item.projection.piece.text for item in sides.shown],
            "fewest_columns": sides.limits.least,
            "most_columns": sides.limits.most,
        },
        suggestion=suggestion or "select exactly what the question asks for",
    )
