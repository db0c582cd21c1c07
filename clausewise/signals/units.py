"""What a signal looks at one by one: the loop over the units of a query, owned by the framework.

A signal that asks the same of every SELECT, comparison or join is written for one of them::

    @signal(code="AGG01", name="incorrect_group_by", ...)
    @for_each(selects, otherwise="the query has no GROUP BY")
    def incorrect_group_by(select: Select, context: Context) -> Iterator[Finding]:
        clause = required(select.clause(Clause.GROUP_BY))
        ...

Where a unit is not its kind of input it raises NotApplicable (`required`, `skip_unless`), or a
statement that it runs fails (QueryFailed: a part that cannot be run alone); the unit is then
skipped. Where all are skipped, or there is none, the signal does not apply, for the reason
`otherwise`, or for that of a NotInDialect. A unit for which a profile is asked that could not be
made is unchecked.

A query may have thousands of comparisons. A signal looks at the first `MOST_UNITS` of its kind of
input; the outcome's reason says how many parts are left unchecked.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeVar

from clausewise.errors import (
    NotAllChecked,
    NotApplicable,
    NotInDialect,
    NotProfiled,
    QueryFailed,
)
from clausewise.signals.context import Context
from clausewise.sql.model import Comparison, Select
from clausewise.types import Case, Finding

T = TypeVar("T")

MOST_UNITS = 200
"""How many units of one case a signal looks at; each may cost it a statement on the database."""
LONGEST_PIECE = 2_000
"""Characters of a piece of a query in which a signal looks for patterns; longer ones are left."""


def selects(context: Context) -> Iterable[Select]:
    """Return every SELECT of the query in text order, nested ones included."""
    return context.query.selects


def comparisons(context: Context) -> Iterator[tuple[Select, Comparison]]:
    """Yield every comparison of a column with constants, with its SELECT, in text order."""
    return context.comparisons()


def for_each(
    units: Callable[[Context], Iterable[T]], *, otherwise: str
) -> Callable[
    [Callable[[T, Context], Iterator[Finding]]], Callable[[Case, Context], Iterator[Finding]]
]:
    """Turn a function of one unit into a signal's function of the whole case.

    Parameters
    ----------
    units
        Gives the units of a case, in text order: `selects`, `comparisons`, or a function of the
        signal's own.
    otherwise
        Why the signal does not apply where no unit is its kind of input.
    """

    def over_units(
        function: Callable[[T, Context], Iterator[Finding]],
    ) -> Callable[[Case, Context], Iterator[Finding]]:
        @functools.wraps(function)
        def whole_case(_case: Case, context: Context) -> Iterator[Finding]:
            applies = False
            looked_at = 0
            unread: list[str] = []
            refused = ""
            remaining = iter(units(context))
            for unit in remaining:
                looked_at += 1
                try:
                    for finding in function(unit, context):
                        applies = True
                        yield finding
                except NotInDialect as error:
                    refused = refused or str(error)
                    looked_at -= 1
                except NotApplicable:
                    looked_at -= 1
                except QueryFailed:
                    pass
                except NotProfiled as error:
                    unread.append(str(error))
                else:
                    applies = True
                if looked_at == MOST_UNITS:
                    break
            if not applies:
                raise NotApplicable(unread[0] if unread else refused or otherwise)
            _say_what_is_left(remaining, unread)

        return whole_case

    return over_units


def at_most(units: Iterable[T]) -> Iterator[T]:
    """Yield the first `MOST_UNITS` units, for a signal that looks at the whole case.

    Raises NotAllChecked at the end where there are more.
    """
    remaining = iter(units)
    yield from islice(remaining, MOST_UNITS)
    _say_what_is_left(remaining)


def _say_what_is_left(remaining: Iterator[object], unread: Sequence[str] = ()) -> None:
    left = sum(1 for _ in remaining)
    reasons = [f"the last {left} parts that it looks at are unchecked"] if left else []
    if reasons or unread:
        raise NotAllChecked("; ".join([*reasons, *dict.fromkeys(unread)]))


def required(found: T | None, reason: str = "not this unit") -> T:
    """Return what a unit must have.

    Raises NotApplicable where it is None.
    """
    if found is None:
        raise NotApplicable(reason)
    return found


def skip_unless(condition: object, reason: str = "not this unit") -> None:
    """Skip the unit where the condition is false.

    Raises NotApplicable then.
    """
    if not condition:
        raise NotApplicable(reason)
