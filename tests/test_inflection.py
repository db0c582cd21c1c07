import pytest

from clausewise.inflection import is_plural, singular

PLURALS = """
cities city, countries country, companies company, categories category, batteries battery,
properties property, salaries salary, counties county, stories story, movies movie,
cookies cookie, calories calorie, zombies zombie, ties tie, pies pie, selfies selfie,
heroes hero, potatoes potato, tomatoes tomato, echoes echo, shoes shoe, toes toe, canoes canoe,
photos photo, radios radio, videos video, logos logo,
boxes box, taxes tax, indexes index, addresses address, classes class, bosses boss, losses loss,
processes process, buses bus, gases gas, statuses status, campuses campus, viruses virus,
bonuses bonus, aliases alias, quizzes quiz, lenses lens, courses course, houses house,
databases database, purchases purchase, prizes prize, sizes size, branches branch, matches match,
dishes dish, races race, cases case, licenses license, expenses expense, responses response,
caches cache, ages age, images image, games game, themes theme, types type,
analyses analysis, diagnoses diagnosis, crises crisis, theses thesis, bases base,
wives wife, lives life, knives knife, leaves leaf, shelves shelf, wolves wolf, halves half,
thieves thief, gloves glove, valves valve, curves curve, olives olive, archives archive,
caves cave, waves wave, drives drive,
women woman, men man, policemen policeman, children child, people person, feet foot, teeth tooth,
mice mouse, geese goose, criteria criterion, matrices matrix, vertices vertex, indices index,
ids id, tvs tv, cds cd, dvds dvd, heads head, owners owner, employees employee, days day, keys key,
surveys survey, sales sale, glasses glass, headquarters headquarter, t-shirts t-shirt, 1990s 1990
"""
UNCHANGED = """
series species news status address bus gas analysis basis physics mathematics sheep fish aircraft
data media metadata lens boss class process campus virus bonus alias hepatitis paris illinois
stuid specimen regimen gps sms sos s vs yes his its this was has does is us as less always
previous various plus across their they these those we our are were have 2014 a11 id_2
"""
PAIRS = [tuple(pair.split()) for pair in PLURALS.replace("\n", " ").split(",")]


@pytest.mark.parametrize(("plural", "expected"), PAIRS)
def test_plurals_become_singulars_that_stay(plural: str, expected: str) -> None:
    assert singular(plural) == expected
    assert singular(expected) == expected
    assert is_plural(plural)
    assert not is_plural(expected)


@pytest.mark.parametrize("word", UNCHANGED.split())
def test_other_words_stay_as_they_are(word: str) -> None:
    assert singular(word) == word


@pytest.mark.parametrize("word", ["", "s" * 100_000, "s" * 100_000 + "1"])
def test_a_long_run_of_letters_is_no_noun(word: str) -> None:
    assert singular(word) == word
