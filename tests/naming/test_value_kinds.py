"""What values look like, in words."""

import pytest

from clausewise.databases.model import Cell, ColumnProfile
from clausewise.naming.value_kinds import value_words


def profile(*values: Cell) -> ColumnProfile:
    """The profile of a column that holds these values once each."""
    kinds = {str: "text", int: "integer", float: "real"}
    stored = {kinds[type(value)]: 1 for value in values}
    numbers = [value for value in values if isinstance(value, int)]
    return ColumnProfile(
        "t",
        "c",
        len(values),
        0,
        len(values),
        stored,
        min(numbers, default=None),
        max(numbers, default=None),
        tuple((value, 1) for value in values),
    )


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (("2020-01-02", "1999-12-31"), {"date"}),
        (("01/02/2020",), {"date"}),
        (("2020-01-02 10:00:00",), {"date", "time"}),
        (("10:30", "23:59:01"), {"time"}),
        (("M", "F"), {"gender", "sex"}),
        (("Y", "N"), {"flag"}),
        (("US", "DE", "FR"), {"country"}),
        (("ann@x.org", "bob@y.com"), {"email"}),
        (("+1 555-123-4567", "555-123-4567"), {"phone"}),
        (("https://x.org",), {"website"}),
        ((1990, 2004), {"year"}),
        ((3, 14), set()),
        (("Ann", "Bob"), set()),
        (("A", "B"), set()),
        ((), set()),
    ],
)
def test_value_words(values: tuple[Cell, ...], words: set[str]) -> None:
    assert value_words(profile(*values)) == words
