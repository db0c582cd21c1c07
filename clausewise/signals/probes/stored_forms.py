"""In what form a column stores what a query writes: codes for words, dates in another format."""

from __future__ import annotations

import re

from clausewise.databases.model import Cell
from clausewise.signals.context import Context
from clausewise.sql.model import ColumnUse

FEW = 12
"""Distinct values up to which a column's values are listed."""
MOST_CODES = 60
"""Distinct values up to which a column may hold codes of words."""
LONGEST_CODE = 3
_SHORTEST_WORD = 4
_MONTHS = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
_FORMS = {
    "2020-03-05": re.compile(r"\d{4}-\d{1,2}-\d{1,2}(?:[ T].*)?"),
    "2020/03/05": re.compile(r"\d{4}/\d{1,2}/\d{1,2}(?: .*)?"),
    "03/05/2020": re.compile(r"\d{1,2}/\d{1,2}/\d{4}(?: .*)?"),
    "3/5/20": re.compile(r"\d{1,2}/\d{1,2}/\d{2}"),
    "05.03.2020": re.compile(r"\d{1,2}\.\d{1,2}\.\d{4}"),
    "05-03-2020": re.compile(r"\d{1,2}-\d{1,2}-\d{4}"),
    "20200305": re.compile(r"(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])"),
    "March 5, 2020": re.compile(rf"(?:{_MONTHS})[a-z]*\.? \d{{1,2}},? \d{{4}}", re.I),
    "5 March 2020": re.compile(rf"\d{{1,2}}[ -](?:{_MONTHS})[a-z]*\.?[ -]\d{{2,4}}", re.I),
}
"""Forms of dates, each by the same day in it."""


def date_form(value: object) -> str | None:
    """Return in which form a text is a date, by an example, None where it is none.

    >>> date_form("2021-12-24"), date_form("12/24/2021"), date_form("Dec 24, 2021"), date_form("x")
    ('2020-03-05', '03/05/2020', 'March 5, 2020', None)
    """
    text = str(value).strip()
    return next((form for form, pattern in _FORMS.items() if pattern.fullmatch(text)), None)


def stored_date(context: Context, column: ColumnUse, written: str) -> str | None:
    """Return one of a column's dates where all that are frequent have another form than `written`.

    None where the text is no date, or the column's values are none.
    """
    form = date_form(written)
    if form is None:
        return None
    values = _frequent(context, column)
    forms = {date_form(value) for value in values}
    if len(forms) != 1 or None in forms or forms == {form}:
        return None
    return str(values[0])


def few_values(context: Context, column: ColumnUse) -> tuple[str, ...]:
    """Return the texts of a column that holds at most `FEW` different values, all of them."""
    values = _frequent(context, column)
    if column.table is None or column.column is None:
        return ()
    profile = context.database.profile(column.table, column.column)
    # A sample may lack values that few rows hold.
    if profile.sampled or not 0 < profile.distinct <= FEW or len(values) != profile.distinct:
        return ()
    return tuple(sorted(value for value in values if isinstance(value, str)))


def is_category(context: Context, column: ColumnUse) -> bool:
    """Whether the values of a column repeat, at least twice each on average."""
    if column.table is None or column.column is None:
        return False
    profile = context.database.profile(column.table, column.column)
    return 0 < 2 * profile.distinct <= profile.rows - profile.nulls


def code_for(written: str, held: tuple[str, ...]) -> str | None:
    """Return the only code among the values that may stand for a word, or word for a code.

    A code is the word's beginning (`M` for `Male`), or letters of it in order from the first on
    (`TX` for `Texas`), where no other value is.

    >>> code_for("Male", ("F", "M")), code_for("California", ("CA", "CO")), code_for("x", ("y",))
    ('M', 'CA', None)
    """
    if len(written) <= LONGEST_CODE:
        words = [value for value in held if len(value) >= _SHORTEST_WORD]
        found = [value for value in words if _begins(value, written)]
        return found[0] if len(found) == 1 and written.isalpha() else None
    if not written.replace(" ", "").isalpha():
        return None
    codes = [value for value in held if 0 < len(value) <= LONGEST_CODE and value.isalpha()]
    for fits in (_begins, _initials, _abbreviates):
        found = [code for code in codes if fits(written, code)]
        if found:
            return found[0] if len(found) == 1 else None
    return None


def held_codes(context: Context, column: ColumnUse) -> tuple[str, ...]:
    """Return the texts of a column that holds few enough of them to be codes."""
    if column.table is None or column.column is None:
        return ()
    profile = context.database.profile(column.table, column.column)
    if not 0 < profile.distinct <= MOST_CODES:
        return ()
    return tuple(value for value in _frequent(context, column) if isinstance(value, str))


def _frequent(context: Context, column: ColumnUse) -> tuple[Cell, ...]:
    if column.table is None or column.column is None:
        return ()
    frequent = context.database.profile(column.table, column.column).frequent
    return tuple(value for value, _ in frequent)


def _begins(word: str, code: str) -> bool:
    return word.casefold().startswith(code.casefold())


def _initials(word: str, code: str) -> bool:
    parts = word.casefold().split()
    return len(parts) > 1 and "".join(part[0] for part in parts) == code.casefold()


def _abbreviates(word: str, code: str) -> bool:
    letters = iter(word.casefold())
    first = word[:1].casefold() == code[:1].casefold()
    return first and len(code) > 1 and all(letter in letters for letter in code.casefold())
