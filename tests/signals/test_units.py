"""The loop over the units of a query, and what thousands of them cost."""

from collections.abc import Iterator

import pytest

from clausewise.databases import BaseDatabase, create_database, open_database
from clausewise.errors import NotAllChecked, NotApplicable, QueryFailed
from clausewise.signals import SIGNALS, inspect_case, load_signals, signals_named
from clausewise.signals.context import Context
from clausewise.signals.units import MOST_UNITS, at_most, for_each
from clausewise.sql import parse
from clausewise.types import Case, Clause, ClauseSpan, Finding, Outcome, OutcomeStatus

load_signals()
BUNDLES = ("PRED", "JOIN", "EXPR", "SCHM")
NAMES = [spec.name for spec in SIGNALS.values() if spec.code.startswith(BUNDLES)]


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> BaseDatabase:
    folder = tmp_path_factory.mktemp("units")
    rows = ", ".join(f"({number}, 'name {number}', {number % 50})" for number in range(1, 400))
    file = create_database(
        folder / "city.sqlite",
        "CREATE TABLE city (id INTEGER PRIMARY KEY, name TEXT, people INTEGER);"
        f"INSERT INTO city VALUES {rows};",
    )
    return open_database(file, cache_dir=folder / "cache")


def ored(count: int) -> str:
    return " OR ".join(f"name = 'nam {number}x'" for number in range(count))


def anded(count: int) -> str:
    return " AND ".join(f"people <> {1000 + number}" for number in range(count))


def equal(count: int) -> str:
    return " AND ".join(["people = 5"] * count)


def listed(count: int) -> str:
    values = ", ".join(f"'nam {number}x'" for number in range(count))
    return f"name IN ({values})"


MANY = {
    "ored": f"SELECT id FROM city WHERE {ored(900)}",
    "anded": f"SELECT id FROM city WHERE {anded(900)}",
    "equal": f"SELECT id FROM city WHERE {equal(900)}",
    "listed": f"SELECT id FROM city WHERE {listed(5_000)}",
    "divided": f"SELECT {', '.join(['people / 7'] * 900)} FROM city",
}


def run(name: str, sql: str, database: BaseDatabase) -> tuple[Context, list[Finding], str | None]:
    case = Case(question_id=1, db_id="city", question="Which city?", predicted_sql=sql)
    query = parse(sql, tables=database.schema.names())
    context = Context(case, query, database, None)
    findings: list[Finding] = []
    (spec,) = signals_named([name])
    try:
        findings.extend(spec.function(case, context))
    except (NotAllChecked, NotApplicable) as reason:
        return context, findings, str(reason)
    return context, findings, None


@pytest.mark.parametrize("sql", MANY.values(), ids=MANY)
@pytest.mark.parametrize("name", NAMES)
def test_the_cost_of_many_units_is_bounded(name: str, sql: str, database: BaseDatabase) -> None:
    context, findings, _ = run(name, sql, database)
    assert len(findings) <= MOST_UNITS
    assert len(context.statements) <= 12 * MOST_UNITS


def outcome(name: str, sql: str, database: BaseDatabase) -> Outcome:
    case = Case(question_id=1, db_id="city", question="Which city?", predicted_sql=sql)
    return inspect_case(case, database, signals_named([name])).outcomes[name]


def test_an_outcome_says_how_much_is_unchecked(database: BaseDatabase) -> None:
    found = outcome("empty_predicate", f"SELECT id FROM city WHERE {ored(250)}", database)
    assert found.status is OutcomeStatus.FIRED
    assert len(found.findings) == MOST_UNITS
    assert found.reason is not None
    assert "50 parts" in found.reason
    found = outcome("idle_predicate", f"SELECT id FROM city WHERE {ored(250)}", database)
    assert found.status is OutcomeStatus.SILENT
    assert found.reason is not None


def test_nothing_is_said_where_all_is_checked(database: BaseDatabase) -> None:
    found = outcome("empty_predicate", f"SELECT id FROM city WHERE {ored(MOST_UNITS)}", database)
    assert (len(found.findings), found.reason) == (MOST_UNITS, None)


def numbers(count: int) -> Iterator[int]:
    return iter(range(count))


def applied(count: int, context: Context) -> tuple[list[int], list[int]]:
    """Return the units that a signal saw, and those of which it has a finding.

    It skips every third unit, a statement fails at every fifth, all others give a finding.
    """
    seen: list[int] = []

    @for_each(lambda _context: numbers(count), otherwise="no unit")
    def look(unit: int, _context: Context) -> Iterator[Finding]:
        seen.append(unit)
        if unit % 3 == 0:
            raise NotApplicable("not this one")
        if unit % 5 == 0:
            raise QueryFailed("broken")
        yield Finding(ClauseSpan(Clause.QUERY, "", 0, 0), message=str(unit))

    found = []
    try:
        for finding in look(context.case, context):
            found.append(int(finding.message))
    except NotAllChecked:
        assert len(seen) < count
    return seen, found


def test_units_that_are_skipped_do_not_count(database: BaseDatabase) -> None:
    context, _, _ = run("empty_predicate", "SELECT id FROM city", database)
    assert applied(6, context) == ([0, 1, 2, 3, 4, 5], [1, 2, 4])
    seen, found = applied(1_000, context)
    assert len([unit for unit in seen if unit % 3]) == MOST_UNITS
    assert found == [unit for unit in seen if unit % 3 and unit % 5]
    with pytest.raises(NotApplicable, match="no unit"):
        applied(1, context)


def test_at_most() -> None:
    assert list(at_most(range(MOST_UNITS))) == list(range(MOST_UNITS))
    units = at_most(range(MOST_UNITS + 2))
    assert [next(units) for _ in range(MOST_UNITS)] == list(range(MOST_UNITS))
    with pytest.raises(NotAllChecked, match="last 2 parts"):
        next(units)
