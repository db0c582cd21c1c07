"""How each dialect writes what a statement of clausewise's own needs beside pieces of a query.

Probes are put together from the query's text and a few words of their own: a quoted name, a
derived table, a comparison in which NULL equals NULL. `ProbeDialect` has those words. SQLite's are
the ones given here; a dialect says where it differs.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

from clausewise.errors import NotApplicable
from clausewise.text import quote_name, quote_text

_ROWS = "clausewise_rows"


class ProbeDialect:
    """The words of SQLite."""

    name = "sqlite"
    """The dialect's name as sqlglot knows it."""
    title = "SQLite"
    """Its name as people write it."""
    shows_row_of_extremum = True
    """Whether columns beside a single MIN or MAX come from the row that has it."""
    divides_integers_whole = True
    """Whether the quotient of two integers is an integer."""
    calculates_with_text = True
    """Whether arithmetic takes texts, by the digits that they begin with."""
    runs_every_probe = True
    """Whether a probe that cannot be run is a mistake of clausewise: SQLite compares all types."""
    equal_in_any_case = False
    """Whether texts that differ in case alone are equal, by the usual collation."""

    def quote_name(self, name: str) -> str:
        """Return a table's or column's name, quoted."""
        return quote_name(name)

    def quote_text(self, value: str) -> str:
        """Return a text as a constant."""
        return quote_text(value)

    def derived(self, query: str) -> str:
        """Return a query in brackets as it can stand in FROM; a line break may end it."""
        return f"({query})"

    def row_id(self, alias: str) -> str:
        """Return what distinguishes the rows of a table without a key; `alias` is quoted.

        Raises NotApplicable where the dialect has no such thing.
        """
        return f"{alias}.rowid"

    def joined(self, parts: Sequence[str]) -> str:
        """Return several expressions as one text, NULL where one of them is."""
        return " || '|' || ".join(parts)

    def or_empty(self, expression: str) -> str:
        """Return an expression with an empty text in the place of NULL."""
        return f"ifnull({expression}, '')"

    def differ(self, left: str, right: str) -> str:
        """Return the test that two expressions differ, NULL being a value like any other."""
        return f"{left} IS NOT {right}"

    def count_of(self, test: str) -> str:
        """Return the aggregate that counts the rows for which a test is true; NULL for no rows."""
        return f"SUM({test})"

    def as_real(self, expression: str) -> str:
        """Return an expression cast to floating point."""
        return f"CAST({expression} AS REAL)"

    def as_integer(self, expression: str) -> str:
        """Return an expression cast to a whole number, as a query that casts so would have it."""
        return f"CAST({expression} AS INTEGER)"

    def loses_remainder(self, left: str, right: str) -> str:
        """Return the test that dividing two expressions loses a remainder."""
        return (
            f"typeof({left}) = 'integer' AND typeof({right}) = 'integer' "
            f"AND {right} <> 0 AND {left} % {right} <> 0"
        )

    def is_no_number(self, expression: str) -> str:
        """Return the test that a value is a text that arithmetic cannot take as a whole."""
        return (
            f"typeof({expression}) IN ('text', 'blob') "
            f"AND (LTRIM(TRIM({expression}), '+-') GLOB '*[^0-9.]*' OR TRIM({expression}) = '')"
        )

    def is_date(self, expression: str) -> str:
        """Return the test that a text begins as a date does, with the year."""
        return f"{expression} GLOB '[12][0-9][0-9][0-9]-[0-9]*'"

    def is_text(self, expression: str) -> str:
        """Return the test that a value is a text."""
        return f"typeof({expression}) = 'text'"

    def holds_word(self, expression: str, word: str) -> str:
        """Return the test that a text holds a word of letters and digits, in any case."""
        return f"{expression} LIKE '%{word}%'"

    def gives_null(self, query: str) -> str:
        """Return the statement whose one cell says whether a query of one column gives NULL."""
        # a blob equals nothing that a column of keys holds, so only NULL can leave the answer open
        return f"SELECT x'00' NOT IN ({query}) IS NULL"

    def unequal(self, left: str, right: str) -> str:
        """Return the test that two texts are not the same letter by letter."""
        return f"{left} <> {right}"


class _Standard(ProbeDialect):
    """What the other dialects have in common."""

    shows_row_of_extremum = False
    runs_every_probe = False
    _text_type = "TEXT"
    _real_type = "DOUBLE PRECISION"

    def derived(self, query: str) -> str:
        return f"({query}) AS {_ROWS}"

    def or_empty(self, expression: str) -> str:
        return f"COALESCE(CAST({expression} AS {self._text_type}), '')"

    def differ(self, left: str, right: str) -> str:
        return f"{left} IS DISTINCT FROM {right}"

    def count_of(self, test: str) -> str:
        return f"SUM(CASE WHEN {test} THEN 1 ELSE 0 END)"

    def as_real(self, expression: str) -> str:
        return f"CAST({expression} AS {self._real_type})"

    def holds_word(self, expression: str, word: str) -> str:
        return f"LOWER(CAST({expression} AS {self._text_type})) LIKE '%{word.lower()}%'"

    def gives_null(self, query: str) -> str:
        nothing = (
            "SELECT NULL AS clausewise_0 FROM (SELECT 1 AS one) AS clausewise_none WHERE 1 = 0"
        )
        rows = self.derived(f"{nothing} UNION ALL ({query}\n)")
        return f"SELECT EXISTS (SELECT 1 FROM {rows} WHERE clausewise_0 IS NULL)"


class _Postgres(_Standard):
    name = "postgres"
    title = "PostgreSQL"
    calculates_with_text = False

    def row_id(self, alias: str) -> str:
        return f"{alias}.ctid"

    def loses_remainder(self, left: str, right: str) -> str:
        whole = " AND ".join(
            f"pg_typeof({side})::text IN ('smallint', 'integer', 'bigint')"
            for side in (left, right)
        )
        # AND has no order here, so the zero is taken out of the remainder itself
        divisor = f"NULLIF(CAST({right} AS NUMERIC), 0)"
        return f"{whole} AND MOD(CAST({left} AS NUMERIC), {divisor}) <> 0"

    def is_text(self, expression: str) -> str:
        return f"pg_typeof({expression})::text IN ('text', 'character varying', 'character')"


class _DuckDB(_Standard):
    name = "duckdb"
    title = "DuckDB"
    divides_integers_whole = False
    calculates_with_text = False
    _text_type = "VARCHAR"
    _real_type = "DOUBLE"

    def is_text(self, expression: str) -> str:
        return f"typeof({expression}) = 'VARCHAR'"


class _MySQL(_Standard):
    name = "mysql"
    title = "MySQL"
    divides_integers_whole = False
    equal_in_any_case = True
    _text_type = "CHAR"
    _real_type = "DOUBLE"

    def quote_name(self, name: str) -> str:
        return "`" + name.replace("`", "``") + "`"

    def quote_text(self, value: str) -> str:
        return quote_text(value.replace("\\", "\\\\"))

    def row_id(self, alias: str) -> str:
        raise NotApplicable(f"{alias} has no primary key, and {self.title} numbers no rows")

    def joined(self, parts: Sequence[str]) -> str:
        if len(parts) == 1:
            return parts[0]
        separated = ", '|', ".join(parts)
        return f"CONCAT({separated})"

    def differ(self, left: str, right: str) -> str:
        return f"NOT ({left} <=> {right})"

    def as_integer(self, expression: str) -> str:
        return f"CAST({expression} AS SIGNED)"

    def is_no_number(self, expression: str) -> str:
        number = r"^[[:space:]]*[-+]*[0-9.]+(e[-+]?[0-9]+)?[[:space:]]*$"
        return f"CAST({expression} AS CHAR) NOT REGEXP '{number}'"

    def is_date(self, expression: str) -> str:
        return f"CAST({expression} AS CHAR) REGEXP '^[12][0-9][0-9][0-9]-[0-9]'"

    def is_text(self, expression: str) -> str:
        # the type of a column cannot be asked for in a statement; what is no text is not blank
        return f"CAST({expression} AS CHAR) NOT REGEXP '^[-+0-9.]*$'"

    def unequal(self, left: str, right: str) -> str:
        return f"NOT (BINARY {left} = BINARY {right})"


_ALL = {words.name: words for words in (ProbeDialect(), _Postgres(), _DuckDB(), _MySQL())}


@functools.cache
def probe_dialect(name: str) -> ProbeDialect:
    """Return the words of a dialect by sqlglot's name; PostgreSQL's for one not known here."""
    return _ALL.get(name.casefold(), _ALL["postgres"])
