import pytest

from clausewise.question.dates import dates_of
from clausewise.question.numbers import numbers_of
from clausewise.question.tokens import tokens_of

DATES = [
    # (question, (kind, year, quarter, month, day), text)
    ("on March 5, 2012", ("day", 2012, None, 3, 5), "March 5 , 2012"),
    ("on March 5 2012", ("day", 2012, None, 3, 5), "March 5 2012"),
    ("on march 5th, 2012", ("day", 2012, None, 3, 5), "march 5th , 2012"),
    ("on MARCH 5, 2012", ("day", 2012, None, 3, 5), "MARCH 5 , 2012"),
    ("the 5th of March 2012", ("day", 2012, None, 3, 5), "5th of March 2012"),
    ("the 5th of March, 2012", ("day", 2012, None, 3, 5), "5th of March , 2012"),
    ("5 March 2012", ("day", 2012, None, 3, 5), "5 March 2012"),
    ("the first of May 1999", ("day", 1999, None, 5, 1), "first of May 1999"),
    ("on May the 1st", ("day", None, None, 5, 1), "May the 1st"),
    ("on Jan. 1, 2010", ("day", 2010, None, 1, 1), "Jan . 1 , 2010"),
    ("1 Jan", ("day", None, None, 1, 1), "1 Jan"),
    ("born July 8", ("day", None, None, 7, 8), "July 8"),
    ("on the twenty-first of June", ("day", None, None, 6, 21), "twenty-first of June"),
    ("2012-03-05", ("day", 2012, None, 3, 5), "2012-03-05"),
    ("2012/03/05", ("day", 2012, None, 3, 5), "2012/03/05"),
    ("2012.03.05", ("day", 2012, None, 3, 5), "2012.03.05"),
    ("12/05/1999", ("day", 1999, None, 12, 5), "12/05/1999"),
    ("25/12/1999", ("day", 1999, None, 12, 25), "25/12/1999"),
    ("12-05-1999", ("day", 1999, None, 12, 5), "12-05-1999"),
    ("25.12.1999", ("day", 1999, None, 12, 25), "25.12.1999"),
    ("before 3/5/99", ("day", 1999, None, 3, 5), "3/5/99"),
    ("before 3/5/12", ("day", 2012, None, 3, 5), "3/5/12"),
    ("sold on 12/5", ("day", None, None, 12, 5), "12/5"),
    ("on Feb 29, 2012", ("day", 2012, None, 2, 29), "Feb 29 , 2012"),
    ("in May 2010", ("month", 2010, None, 5, None), "May 2010"),
    ("in may 2010", ("month", 2010, None, 5, None), "may 2010"),
    ("in May of 2010", ("month", 2010, None, 5, None), "May of 2010"),
    ("in May, 2010", ("month", 2010, None, 5, None), "May , 2010"),
    ("Sept 2010", ("month", 2010, None, 9, None), "Sept 2010"),
    ("in 2010-05", ("month", 2010, None, 5, None), "2010-05"),
    ("in 05/2010", ("month", 2010, None, 5, None), "05/2010"),
    ("held in May", ("month", None, None, 5, None), "May"),
    ("sales of september", ("month", None, None, 9, None), "september"),
    ("every December", ("month", None, None, 12, None), "December"),
    ("in Q3 2015", ("quarter", 2015, 3, None, None), "Q3 2015"),
    ("in q3 of 2015", ("quarter", 2015, 3, None, None), "q3 of 2015"),
    ("in Q1", ("quarter", None, 1, None, None), "Q1"),
    ("the third quarter of 2015", ("quarter", 2015, 3, None, None), "third quarter of 2015"),
    ("the 4th quarter of 2015", ("quarter", 2015, 4, None, None), "4th quarter of 2015"),
    ("in the 90s", ("decade", 1990, None, None, None), "90s"),
    ("in the '90s", ("decade", 1990, None, None, None), "90s"),
    ("in the 1990s", ("decade", 1990, None, None, None), "1990s"),
    ("1980s movies", ("decade", 1980, None, None, None), "1980s"),
    ("the late nineties", ("decade", 1990, None, None, None), "nineties"),
]

NO_DATES = [
    "12/5 items",
    "version 1.2.3",
    "version 10.12.33",
    "May I see the singers?",
    "Students who may leave",
    "the student named June",
    "people march in 5 rows",
    "Show April Smith",
    "on February 30, 2012",
    "2012-13-45",
    "31/02/2012 is no day",
    "ran it in 10s",
    "people in their 20s",
    "in her thirties",
    "the first quarter",
    "24/7 support",
    "10-20 items",
    "in 2010",
    "season 2010/2011",
    "phone 555-1234-222",
    "at 12:30",
    "'March 5, 2012'",
    "top 5 marches",
    "32 May",
    "q5 2015",
]


@pytest.mark.parametrize(("question", "parts", "text"), DATES)
def test_dates(question: str, parts: tuple[object, ...], text: str) -> None:
    tokens = tokens_of(question)
    (date,) = dates_of(tokens)
    assert (date.kind, date.year, date.quarter, date.month, date.day) == parts
    assert date.text == text
    used = tokens[date.token : date.token + date.length]
    assert (date.start, date.end) == (used[0].start, used[-1].end)


@pytest.mark.parametrize("question", NO_DATES)
def test_what_is_no_date(question: str) -> None:
    assert dates_of(tokens_of(question)) == ()


def test_two_dates_of_a_range() -> None:
    dates = dates_of(tokens_of("between May 5, 2012 and June 7, 2012"))
    assert [(date.month, date.day, date.year) for date in dates] == [(5, 5, 2012), (6, 7, 2012)]
    dates = dates_of(tokens_of("from Q1 to Q3 2015 or in 2014-11-05"))
    assert [date.months for date in dates] == [(1, 2, 3), (7, 8, 9), (11,)]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("on July 8, 2010", [(8, "date"), (2010, "year")]),
        ("the first of May 1999", [(1, "ordinal_word"), (1999, "year")]),
        ("in May 2010", [(2010, "year")]),
        ("in Q3 2015", [(2015, "year")]),
        ("on 2012-03-05", [(2012, "date"), (3, "date"), (5, "date")]),
        ("before 3/5/99", [(1999, "date"), (3, "date"), (5, "date")]),
        ("12/5 items", [(12, "digits"), (5, "digits")]),
        ("on February 30", [(30, "digits")]),
    ],
)
def test_the_numbers_of_a_date(question: str, expected: list[tuple[float, str]]) -> None:
    assert [(n.value, n.kind) for n in numbers_of(tokens_of(question))] == expected
