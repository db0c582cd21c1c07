"""Superlatives, comparatives, negations and disjunctions, as users write them."""

import pytest

from clausewise.question.reading import QuestionReading

SUPERLATIVES = [
    ("Which country has the most singers?", ["highest"]),
    ("which country has the most singers", ["highest"]),
    ("WHICH COUNTRY HAS THE MOST SINGERS?", ["highest"]),
    ("Which country has the fewest singers?", ["lowest"]),
    ("Who is the oldest singer?", ["oldest"]),
    ("the youngest and the oldest singer", ["youngest", "oldest"]),
    ("Which stadium has the highest capacity and the lowest attendance?", ["highest", "lowest"]),
    ("What is the maximum capacity?", ["highest"]),
    ("What is the minimal age", ["lowest"]),
    ("Could you give me the cheapest and the dearest product?", ["lowest", "highest"]),
    ("the latest concert", ["latest"]),
    ("the earliest concert", ["earliest"]),
    ("the newest car", ["newest"]),
    ("the least popular song", ["lowest"]),
    ("the longest song's name", ["highest"]),
    ("The tallest, heaviest player", ["highest", "highest"]),
    ("the songs that were sold most", ["highest"]),
    ("the fastest lap of the slowest driver", ["fastest", "slowest"]),
    ("at least as many as the most popular one", ["highest"]),
    ("at least 3 songs", []),
    ("at most 3 songs", []),
    ("mostly pop, almost rock", []),
    ("more than one", []),
    ('singers of "The Most"', []),
    ("singers of 'most'", []),
    ("", []),
]

NEGATIONS = [
    ("Which singers have no songs?", ["no"]),
    ("which singers do not sing", ["not"]),
    ("Which singers didn't win?", ["didn't"]),
    ("Which singers didn\u2019t win?", ["didn\u2019t"]),
    ("singers who dont sing", ["dont"]),
    ("singers that can't sing", ["can't"]),
    ("singers who cannot sing", ["cannot"]),
    ("singers who haven't won, and who won't sing", ["haven't", "won't"]),
    ("concerts that weren't held", ["weren't"]),
    ("songs that were never sung", ["never"]),
    ("SINGERS WITHOUT SONGS", ["without"]),
    ("all singers except Ann", ["except"]),
    ("all songs excluding those of 2010", ["excluding"]),
    ("singers lacking a song", ["lacking"]),
    ("neither French nor German", ["neither", "nor"]),
    ("None of the singers", ["none"]),
    ("nobody won", ["nobody"]),
    ("Could you list the songs that are not by Ann?", ["not"]),
    ("at least 3 and not French", ["not"]),
    ("no more than 5", []),
    ("not more than 5", []),
    ("no less than 3, no later than 2010", []),
    ("not only songs", []),
    ("race No. 5", []),
    ("whether or not they sing", []),
    ("the 'not' song", []),
    ('songs called "No"', []),
    ("noted singers, notes, knots", []),
]

DISJUNCTIONS = [
    ("singers from France or Spain", ["or"]),
    ("singers from france or spain", ["or"]),
    ("FRANCE OR SPAIN", ["or"]),
    ("either France or Spain", ["either", "or"]),
    ("France, Spain, or Italy", ["or"]),
    ("Could you list songs or concerts?", ["or"]),
    ("songs that were written or sung by Ann", ["or"]),
    ("5 or 6 stars", ["or"]),
    ("names or ages", ["or"]),
    ("singers of pop or rock, either old or young", ["or", "either", "or"]),
    ("born in 2010 or earlier, or French", ["or"]),
    ("at least 5 or fewer than 2", ["or"]),
    ("over 5 or less than 2", ["or"]),
    ('"Trick or Treat" or "Boo"', ["or"]),
    ("singers from France and Spain", []),
    ("3 or more songs", []),
    ("two or less", []),
    ("born in 2010 or later", []),
    ("100 or above", []),
    ("greater than or equal to 5", []),
    ("Is it French or not?", []),
    ("whether or not French", []),
    ("'this or that'", []),
    ("neither one nor the other", []),
    ("orders, for, actor", []),
]

COMPARATIVES = [
    ("at least 3 songs", [">="]),
    ("AT LEAST 3 SONGS", [">="]),
    ("no less than 3", [">="]),
    ("not less than 5", [">="]),
    ("3 or more", [">="]),
    ("a minimum of 3", [">="]),
    ("from 2010 onwards", [">="]),
    ("greater than or equal to 3", [">="]),
    ("greater or equal to 3", [">="]),
    ("more than 3", [">"]),
    ("more then 3", [">"]),
    ("over 3", [">"]),
    ("exceeding 3", [">"]),
    ("after 2010", [">"]),
    ("older than 30", [">"]),
    ("longer than the average", [">"]),
    ("at most 3", ["<="]),
    ("no more than 3", ["<="]),
    ("3 or fewer", ["<="]),
    ("up to 3", ["<="]),
    ("no later than 2010", ["<="]),
    ("does not exceed 5", ["<="]),
    ("less than or equal to 3", ["<="]),
    ("smaller or equal to 3", ["<="]),
    ("less than 3", ["<"]),
    ("fewer than 3", ["<"]),
    ("below 3", ["<"]),
    ("before 2010", ["<"]),
    ("prior to 2010", ["<"]),
    ("between 3 and 5", ["range"]),
    ("Could you list songs of at least 3 but less than 5 minutes?", [">=", "<"]),
    ("at least 3 and no more than 5", [">=", "<="]),
    ("at least 5 or fewer than 2", [">=", "<"]),
    ("older than 5 and born before 1990", [">", "<"]),
    ('the "more than words" song', []),
    ("equal to 3", []),
    ("moreover, overall, undergo", []),
]


@pytest.mark.parametrize(("question", "expected"), SUPERLATIVES)
def test_superlatives(question: str, expected: list[str]) -> None:
    assert [cue.name for cue in QuestionReading(question, "").superlatives] == expected


@pytest.mark.parametrize(("question", "expected"), NEGATIONS)
def test_negations(question: str, expected: list[str]) -> None:
    assert [cue.text for cue in QuestionReading(question, "").negations] == expected


@pytest.mark.parametrize(("question", "expected"), DISJUNCTIONS)
def test_disjunctions(question: str, expected: list[str]) -> None:
    assert [cue.text for cue in QuestionReading(question, "").disjunctions] == expected


@pytest.mark.parametrize(("question", "expected"), COMPARATIVES)
def test_comparatives(question: str, expected: list[str]) -> None:
    reading = QuestionReading(question, "")
    assert [cue.name for cue in reading.comparatives] == expected
    for cue in reading.comparatives:
        said = reading.lowers[cue.token : cue.token + cue.length]
        assert " ".join(said) == cue.text
