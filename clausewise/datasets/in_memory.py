"""Cases from Python: `Case` objects, dicts or a DataFrame; one bad row never harms the others."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from clausewise.datasets._json import carried_fields
from clausewise.datasets._records import Record
from clausewise.datasets._validation import near_field, show, validate
from clausewise.datasets.cases import REQUIRED, with_plain_candidates
from clausewise.errors import CaseError, InputError
from clausewise.types import Case, UncheckedCase

if TYPE_CHECKING:
    import pandas as pd

Cases: TypeAlias = "Iterable[Case | UncheckedCase | Mapping[str, Any]] | pd.DataFrame"
"""What a detector takes as cases."""

_NO_FILE = Path("cases")


def as_cases(cases: Cases) -> list[Case | UncheckedCase]:
    """Return cases in their order; what is no case becomes an UncheckedCase in its place.

    Parameters
    ----------
    cases
        Any mix of `Case`, `UncheckedCase` and dicts with the fields of a case; or a pandas
        DataFrame with these columns, in which NaN, NaT, None and NA say that a field is absent.
        Other fields are kept and carried through to the scores.

    Returns
    -------
    list of Case or UncheckedCase
        The `reason` of an UncheckedCase starts with the row, counted from 1, and names the field.
        Of two rows with one `question_id` the second is unchecked; 5 and "5" are one id. `Case`
        objects are taken as they are.

    Raises
    ------
    InputError
        Where `cases` is not a collection of cases, or a DataFrame lacks a needed column.

    Examples
    --------
    >>> rows = [{"question_id": 1, "db_id": "shop", "question": "How many?", "sql": "SELECT 1"}]
    >>> as_cases(rows)[0].reason.split(";")[0]
    "row 1: field 'predicted_sql': missing"
    """
    if hasattr(cases, "columns") and hasattr(cases, "to_dict"):
        return _of_rows(_frame_rows(cases))
    rows: Any = cases
    if isinstance(rows, str | bytes | Case | Mapping) or not isinstance(rows, Iterable):
        raise InputError(
            "cases are a list of Case objects or dicts, or a DataFrame, "
            f"not {_kind(rows)}; `read_cases` reads files"
        )
    return _of_rows(rows)


def as_case(fields: Mapping[str, Any]) -> Case:
    """Return one case from its fields.

    Raises CaseError, naming the field, where it is none; `as_cases` is for many.
    """
    return _case(_record(1, fields))


def _case(record: Record) -> Case:
    return validate(Case, with_plain_candidates(record, _NO_FILE), _NO_FILE)


def _kind(value: object) -> str:
    return "one case" if isinstance(value, Mapping | Case) else show(value)


def _frame_rows(frame: Any) -> Iterable[dict[str, Any]]:
    columns = [str(name) for name in frame.columns]
    for name in REQUIRED:
        if name not in columns:
            hint = near_field(name, columns)
            message = f"the DataFrame has no such column{hint}; columns are {', '.join(columns)}"
            raise InputError(message, field=name)
    return (
        {str(name): value for name, value in row.items() if not _is_absent(value)}
        for row in frame.to_dict("records")
    )


def _is_absent(value: Any) -> bool:
    """Whether a cell is empty: None, NaN, or pandas' NaT or NA, known by not equaling itself."""
    if value is None:
        return True
    if isinstance(value, float):
        return math.isnan(value)
    return type(value).__name__ in ("NaTType", "NAType")


def _of_rows(rows: Iterable[Any]) -> list[Case | UncheckedCase]:
    found: list[Case | UncheckedCase] = []
    first_rows: dict[str, int] = {}
    for number, row in enumerate(rows, start=1):
        if isinstance(row, Case | UncheckedCase):
            found.append(row)
            continue
        record = _record(number, row)
        try:
            case = _case(record)
            earlier = first_rows.setdefault(str(case.question_id), number)
            if earlier != number:
                message = f"{case.question_id!r} is already used in row {earlier}"
                raise CaseError(message, field="question_id")
            found.append(case)
        except CaseError as error:
            place = f"row {number}: " + (f"field '{error.field}': " if error.field else "")
            found.append(UncheckedCase(place + error.message, number, record.fields))
    return found


def _record(number: int, row: Any) -> Record:
    """Return a row with JSON values only; numpy's and pandas' scalars become Python's."""
    if not isinstance(row, Mapping):
        return Record(number, problem=CaseError(f"must be a Case or a dict, is {show(row)}"))
    fields, spoilt = carried_fields((name, _unboxed(value)) for name, value in row.items())
    if spoilt is None:
        return Record(number, fields)
    return Record(number, fields, CaseError(spoilt[1], field=spoilt[0]))


def _unboxed(value: Any) -> Any:
    return value.tolist() if hasattr(value, "tolist") else value
