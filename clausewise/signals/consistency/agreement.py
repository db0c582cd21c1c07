"""How far the results of the other candidates for one question agree with the predicted query's.

Results are compared by their rows: in order where the predicted query has an ORDER BY, else in
any order. Column names do not count, the order of columns does. Numbers are equal where they
agree in six digits, or in their whole part where that has more.

Candidates count as so many independent voices, see `equivalence.independence`: seven samples of
one model that all disagree say hardly more than one.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from time import monotonic

from clausewise.databases.model import Cell, QueryResult
from clausewise.equivalence.independence import independence
from clausewise.errors import (
    NotApplicable,
    QueryDenied,
    QueryFailed,
    QueryTimeout,
    QueryTooLarge,
)
from clausewise.signals.context import PREDICTED_LIMITS, Context
from clausewise.sql import same_statement
from clausewise.sql.model import Role
from clausewise.text import compact, plain_json, shortened
from clausewise.types import Case

SIGNAL = "candidate_disagreement"
"""The signal that compares candidates."""
NEAR_WEIGHT = 0.5
"""Agreement of a candidate that shows the same rows in another order of rows or columns, or
another number of times: benchmarks differ in whether that is right."""
EMPTY_WEIGHT = 0.75
"""Worth of an agreement on nothing at all: different mistakes have the same empty result."""
PRIOR_DOUBT = 0.5
PRIOR_TRUST = 1.0
"""Voices that are imagined to disagree and to agree: few real ones then say less than many."""

MOST_COMPARED = 1_000
"""Different candidates of one case that are run."""
MOST_SECONDS = 10.0
"""After so long on one case's candidates no further one is run."""
MOST_TIMEOUTS = 2
"""After so many candidates that reached their own limits no further one is run."""
_LONGEST_SHOWN = 60
_DIGITS = 6


@dataclass(frozen=True, slots=True)
class Agreement:
    """The results of the other candidates beside that of the predicted query.

    Every candidate counts, also one whose text another one has. `executable` is the sum of
    `agreeing`, `near` and `disagreeing`.
    """

    candidates: int
    """Other candidates of the case; the predicted query's own text is left out once."""
    executable: int
    """Those that ran within their limits; only they count for or against."""
    skipped: int
    """Those that were not run: the case had used up its time, or there are too many."""
    agreeing: int
    """Those with the same result."""
    near: int
    """Those whose rows differ only in their order, the order of columns or their repetition."""
    disagreeing: int
    empty: bool
    """Whether the predicted query's result has no row, or nothing but NULL."""
    majority: int
    """Size of the largest group of candidates with one result, the predicted query's or not."""
    rival_size: int
    """Size of the largest group with one result that is not the predicted query's."""
    rival_queries: tuple[str, ...]
    """Its different texts, in the order in which they were given."""
    rival_rows: int
    """Rows of its result."""
    rival_shown: str
    """Its result in a few words."""
    own_shown: str
    """The predicted query's result in a few words."""
    agreeing_candidates: tuple[tuple[str, str | None], ...]
    """Those with the same result: text, and system where known."""
    voices: float
    """How many independent candidates those that ran count as: from 1 to `executable`, else 0."""
    disagreement: float
    """Share in [0, 1] of these voices that speak against the query: a near agreement counts half,
    and any agreement less where the result is empty."""

    @property
    def doubt(self) -> float:
        """Smoothed share in (0, 1) of voices that speak against the query, high = wrong."""
        against = self.voices * self.disagreement
        return (against + PRIOR_DOUBT) / (self.voices + PRIOR_DOUBT + PRIOR_TRUST)

    @property
    def majority_share(self) -> float:
        """Share in [0, 1] of the executable candidates in the largest group, 0 without any."""
        return self.majority / self.executable if self.executable else 0.0

    def measures(self) -> dict[str, float]:
        """Return what `Inspection.agreement` holds."""
        return {
            "disagreement": self.disagreement,
            "voices": self.voices,
            "candidates": float(self.executable),
        }


def agreement(context: Context) -> Agreement:
    """Return how far the case's candidates agree with its predicted query.

    Computed once for a case. Each candidate runs under the limits of the predicted query;
    none is run any more after `MOST_SECONDS`, after `MOST_TIMEOUTS` of them have reached their
    limits, or after `MOST_COMPARED` different ones, and those count as skipped.

    Raises NotApplicable where the predicted query did not run, and DatabaseError where the
    database cannot be read.
    """
    return context.once(_compare)


def other_candidates(case: Case) -> list[tuple[str, str | None]]:
    """Return the candidates with their systems, None where unknown, without the predicted query.

    That is taken out once.
    """
    systems = case.candidate_systems or (None,) * len(case.candidates)
    others = list(zip(case.candidates, systems, strict=True))
    own = same_statement(case.predicted_sql)
    for place, (text, _) in enumerate(others):
        if same_statement(text) == own:
            del others[place]
            break
    return others


class _Result:
    """One result in the forms in which it is compared; the second is made when it is needed."""

    def __init__(self, result: QueryResult, ordered: bool) -> None:
        self.count = len(result.rows)
        self._result = result
        self._loose: bytes | None = None
        lines = [repr(row) for row in _plain(result.rows)]
        self.exact = _digest(lines if ordered else sorted(lines), result.truncated)

    @property
    def loose(self) -> bytes:
        """The rows without their order, their repetition and the order of values in them."""
        if self._loose is None:
            rows = {repr(sorted(row, key=repr)) for row in _plain(self._result.rows)}
            self._loose = _digest(sorted(rows), self._result.truncated)
        return self._loose

    @property
    def shown(self) -> str:
        """The result in a few words."""
        return shown(self._result)


def shown(result: QueryResult) -> str:
    """Return the one value where it has only one, else the number of rows and the first of them."""
    if not result.rows:
        return "no row"
    (row,) = _plain(result.rows[:1])
    values = ", ".join("NULL" if cell is None else compact(plain_json(cell)) for cell in row)
    values = shortened(values, _LONGEST_SHOWN)
    if len(result.rows) == 1:
        return values
    more = "more than " if result.truncated else ""
    return f"{more}{len(result.rows):,} rows, the first {values}"


def _plain(rows: Iterable[tuple[Cell, ...]]) -> Iterable[tuple[Cell, ...]]:
    return (tuple(map(_plain_cell, row)) for row in rows)


def _plain_cell(cell: Cell) -> Cell:
    """Return a number without the noise of its last digits, whole ones as integers."""
    if not isinstance(cell, float):
        return cell
    number = float(f"{cell:.6g}") if abs(cell) < 100_000 else round(cell, 0)
    return int(number) if number.is_integer() else number


def _digest(lines: Iterable[str], truncated: bool) -> bytes:
    text = "\n".join((str(truncated), *lines))
    return hashlib.blake2b(text.encode(), digest_size=16).digest()


def _compare(context: Context) -> Agreement:
    case = context.case
    if context.result is None:
        raise NotApplicable("the query did not run")
    ordered = any(s.role is Role.ROOT and s.order_by for s in context.query.selects)
    own = _Result(context.result, ordered)
    others = other_candidates(case)
    known = _results([text for text, _ in others], case, context, own, ordered)
    ran = [
        (text, system, result) for text, system in others if (result := known.get(text)) is not None
    ]
    groups: dict[bytes, list[str]] = {}
    results: dict[bytes, _Result] = {}
    for text, _, result in ran:
        results.setdefault(result.exact, result)
        groups.setdefault(result.exact, []).append(text)
    sizes = {key: len(texts) for key, texts in groups.items()}
    unlike = [key for key in sizes if key != own.exact]
    agreeing = {own.exact: 1.0} | {
        key: NEAR_WEIGHT for key in unlike if results[key].loose == own.loose
    }
    near = sum(sizes[key] for key in unlike if key in agreeing)
    # The first of equally large groups: dictionaries keep the order of the candidates.
    rival = max(unlike, key=sizes.__getitem__, default=None)
    empty = all(cell is None for row in context.result.rows for cell in row)
    voices, disagreement = _weighed(ran, agreeing, EMPTY_WEIGHT if empty else 1.0)
    return Agreement(
        candidates=len(others),
        executable=len(ran),
        skipped=sum(text not in known for text, _ in others),
        agreeing=sizes.get(own.exact, 0),
        near=near,
        disagreeing=len(ran) - sizes.get(own.exact, 0) - near,
        empty=empty,
        majority=max(sizes.values(), default=0),
        rival_size=0 if rival is None else sizes[rival],
        rival_queries=() if rival is None else tuple(dict.fromkeys(groups[rival])),
        rival_rows=0 if rival is None else results[rival].count,
        rival_shown="" if rival is None else results[rival].shown,
        own_shown=own.shown,
        agreeing_candidates=tuple(
            (text, system) for text, system, result in ran if result.exact == own.exact
        ),
        voices=voices,
        disagreement=disagreement,
    )


def _weighed(
    ran: Sequence[tuple[str, str | None, _Result]], agreeing: Mapping[bytes, float], worth: float
) -> tuple[float, float]:
    """Return the number of voices and the share of them that speak against the query."""
    if not ran:
        return 0.0, 0.0
    texts = [text for text, _, _ in ran]
    systems = [system for _, system, _ in ran]
    found = independence(texts, systems if any(systems) else ())
    shares = (agreeing.get(result.exact, 0.0) for _, _, result in ran)
    agree = math.fsum(weight * share for weight, share in zip(found.weights, shares, strict=True))
    total = math.fsum(found.weights)
    return found.voices, round(max(0.0, 1.0 - worth * agree / total), _DIGITS)


def _results(
    texts: Sequence[str], case: Case, context: Context, own: _Result, ordered: bool
) -> dict[str, _Result | None]:
    """Return the result of each different text, None where it did not run; skipped ones lack."""
    found: dict[str, _Result | None] = {case.predicted_sql: own}
    end = monotonic() + MOST_SECONDS
    timeouts = 0
    for text in texts:
        if text in found:
            continue
        if timeouts >= MOST_TIMEOUTS or len(found) > MOST_COMPARED or monotonic() >= end:
            break
        context.statements.append(text)
        try:
            found[text] = _Result(context.database.run(text, PREDICTED_LIMITS), ordered)
        except (QueryTimeout, QueryTooLarge):
            found[text] = None
            timeouts += 1
        except (QueryFailed, QueryDenied):
            found[text] = None
    return found
