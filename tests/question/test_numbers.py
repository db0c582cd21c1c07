import pytest

from clausewise.question.number_words import is_cardinal
from clausewise.question.numbers import numbers_of
from clausewise.question.tokens import tokens_of

IN_WORDS = [
    ("the two hundred and thirty oldest singers", [(230, "word", 1, 4)]),
    ("over one million two hundred thousand people", [(1_200_000, "word", 1, 5)]),
    ("one million, two hundred thousand people", [(1_200_000, "word", 0, 6)]),
    ("five hundred twenty-three thousand four hundred and seven",
     [(523_407, "word", 0, 8)]),
    ("two hundred and thirty thousand votes", [(230_000, "word", 0, 5)]),
    ("Two Hundred And Thirty", [(230, "word", 0, 4)]),
    ("one hundred and one dalmatians", [(101, "word", 0, 4)]),
    ("ten thousand and two hundred", [(10_200, "word", 0, 5)]),
    ("twelve hundred dollars", [(1_200, "word", 0, 2)]),
    ("forty five hundred", [(4_500, "word", 0, 3)]),
    ("a hundred singers", [(100, "word", 1, 1)]),
    ("a thousand and one nights", [(1_001, "word", 1, 3)]),
    ("two thousand five", [(2_005, "word", 0, 3)]),
    ("two thousand and five", [(2_005, "word", 0, 4)]),
    ("twenty-five singers", [(25, "word", 0, 1)]),
    ("twenty five singers", [(25, "word", 0, 2)]),
    ("zero points", [(0, "word", 0, 1)]),
    ("one trillion stars", [(1e12, "word", 0, 2)]),
    ("three point five million", [(3_500_000, "word", 0, 4)]),
    ("three point one four", [(3.14, "word", 0, 4)]),
    ("a dozen eggs", [(12, "word", 1, 1)]),
    ("two dozen eggs", [(24, "word", 0, 2)]),
    ("half a dozen eggs", [(6, "word", 0, 3)]),
    ("half a million people", [(500_000, "word", 0, 3)]),
    ("half million people", [(500_000, "word", 0, 2)]),
    ("three and a half stars", [(3.5, "word", 0, 4)]),
    ("one and a half million", [(1_500_000, "word", 0, 5)]),
    ("a million and a half", [(1_500_000, "word", 1, 4)]),
    # ranges and lists are several numbers
    ("between one hundred and two hundred", [(100, "word", 1, 2), (200, "word", 4, 2)]),
    ("between fifty and one hundred", [(50, "word", 1, 1), (100, "word", 3, 2)]),
    ("between one hundred and fifty and two hundred",
     [(150, "word", 1, 4), (200, "word", 6, 2)]),
    ("between one thousand and two thousand", [(1_000, "word", 1, 2), (2_000, "word", 4, 2)]),
    ("five or six", [(5, "word", 0, 1), (6, "word", 2, 1)]),
    ("one, two and three", [(1, "word", 0, 1), (2, "word", 2, 1), (3, "word", 4, 1)]),
    ("two hundred, thirty", [(200, "word", 0, 2), (30, "word", 3, 1)]),
    ("one hundred or two hundred", [(100, "word", 0, 2), (200, "word", 3, 2)]),
    # years
    ("born in nineteen ninety-nine", [(1999, "year", 2, 2)]),
    ("in nineteen eighty four", [(1984, "year", 1, 3)]),
    ("since twenty twelve", [(2012, "year", 1, 2)]),
    ("in nineteen oh five", [(1905, "year", 1, 3)]),
    # ordinals
    ("the third and the fourth", [(3, "ordinal_word", 1, 1), (4, "ordinal_word", 4, 1)]),
    ("the twenty-fifth row", [(25, "ordinal_word", 1, 1)]),
    ("the hundred and first row", [(101, "ordinal_word", 1, 3)]),
    ("the first two", [(1, "ordinal_word", 1, 1), (2, "word", 2, 1)]),
    ("the second name", [(2, "ordinal_word", 1, 1)]),
    # fractions, percentages, multiples
    ("two thirds of the votes", [(2 / 3, "fraction", 0, 2)]),
    ("two-thirds of the votes", [(2 / 3, "fraction", 0, 1)]),
    ("one fifth of them", [(0.2, "fraction", 0, 2)]),
    ("a third of the votes", [(1 / 3, "fraction", 1, 1)]),
    ("more than half of them", [(0.5, "fraction", 2, 1)]),
    ("a quarter of them", [(0.25, "fraction", 1, 1)]),
    ("three quarters of them", [(0.75, "fraction", 0, 2)]),
    ("ninety five percent", [(95, "percent", 0, 3)]),
    ("five per cent", [(5, "percent", 0, 3)]),
    ("at least twice", [(2, "multiple", 2, 1)]),
    ("at least one of them", [(1, "word", 2, 1)]),
    # no numbers
    ("one of the singers", []),
    ("no one and every one", []),
    ("which one is it, and the one that won", []),
    ("the youngest ones", []),
    ("hundreds of singers and thousands of songs", []),
    ("profits in billion dollars", []),
    ("twenty-first century painters", []),
    ("meters per second", []),
    ("in ten seconds", [(10, "word", 1, 1)]),
    ("one second faster", [(1, "word", 0, 1)]),
    ("five-star hotels, first-class seats, three-year plans", []),
    ("songs by Nine Inch Nails or One Direction", []),
    ("'two hundred' and \"Seven\"", []),
    ("the first half of the season", [(1, "ordinal_word", 1, 1)]),
    ("to, for, ate, won, tent, sex, often, someone, none", []),
]  # fmt: skip

IN_DIGITS = [
    ("3.5 million people", [(3_500_000, "digits", 0, 2)]),
    ("over 1.2k likes", [(1_200, "digits", 1, 1)]),
    ("over 2 hundred thousand", [(200_000, "digits", 1, 3)]),
    ("5 dozen eggs", [(60, "digits", 0, 2)]),
    ("more than $5m", [(5_000_000, "digits", 3, 1)]),
    ("a budget of 5M", [(5_000_000, "digits", 3, 1)]),
    ("over 200m deep", [(200, "digits", 1, 1)]),
    ("over 200cm", [(200, "digits", 1, 1)]),
    ("1,500 laps", [(1_500, "digits", 0, 1)]),
    ("5% of them", [(5, "percent", 0, 2)]),
    ("5 per cent", [(5, "percent", 0, 3)]),
    ("one of 12,13,14", [(12, "digits", 2, 1), (13, "digits", 2, 1), (14, "digits", 2, 1)]),
    ("aged 10-20", [(10, "digits", 1, 1), (20, "digits", 1, 1)]),
    ("patient 027-154299 lost 4-2 in 5-1-1", []),
    ("season 2010/11", [(2010, "year", 1, 1), (11, "date", 1, 1)]),
    ("from 2010-2015", [(2010, "year", 1, 1), (2015, "year", 1, 1)]),
    ("at 1:29.488", [(1, "date", 1, 1), (29, "date", 1, 1), (488, "date", 1, 1)]),
    ("the 3rd of them", [(3, "ordinal", 1, 1)]),
    ("21st century", []),
    ("version 1.2.3", []),
    ("'Area 51' and 3Dmovies", []),
    ("the 1990s", [(1990, "decade", 1, 1)]),
    ("songs in the 90s", [(1990, "decade", 3, 1)]),
    ("people in their 20s", [(20, "decade", 3, 1)]),
    ("the year 2014", [(2014, "year", 2, 1)]),
    ("2,014 people", [(2_014, "digits", 0, 1)]),
]


@pytest.mark.parametrize(("question", "expected"), [*IN_WORDS, *IN_DIGITS])
def test_numbers_and_where_they_stand(
    question: str, expected: list[tuple[float, str, int, int]]
) -> None:
    tokens = tokens_of(question)
    found = numbers_of(tokens)
    assert [(n.value, n.kind, n.token, n.length) for n in found] == expected
    for number in found:
        used = tokens[number.token : number.token + number.length]
        assert (number.start, number.end) == (used[0].start, used[-1].end)
        assert number.text == " ".join(token.text for token in used)


@pytest.mark.parametrize(
    ("word", "expected"),
    [("seven", True), ("dozen", True), ("twenty-one", True), ("trillion", True),
     ("seventh", False), ("name", False), ("five-star", False), ("", False)],
)  # fmt: skip
def test_one_word_that_is_a_number(word: str, expected: bool) -> None:
    assert is_cardinal(word) is expected
