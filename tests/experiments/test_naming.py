"""Words mined from pairs of questions and queries."""

from clausewise.sql import parse
from experiments.naming.mine_synonyms import replaced
from experiments.naming.mine_wordings import beside_numbers, ranked
from experiments.naming.pairs import Pair


def _pair(question: str, sql: str = "SELECT 1") -> Pair:
    return Pair("made", "db", question, sql)


def test_replaced_words_stand_in_the_same_place() -> None:
    one = _pair("What are the names of the cities with many stores?")
    other = _pair("What are the names of the towns with many shops?")
    assert list(replaced(one, other)) == [("city", "town"), ("store", "shop")]


def test_questions_that_share_little_replace_nothing() -> None:
    assert list(replaced(_pair("List all cities."), _pair("How old is Ann today?"))) == []


def test_phrases_stand_beside_the_number_that_is_compared() -> None:
    pair = _pair("Farms with at least 3 cows", "SELECT name FROM farm WHERE cows >= 3")
    found = list(beside_numbers(pair, parse(pair.gold_sql)))
    assert ("at least #", ">=") in found
    assert ("# cows", ">=") in found


def test_superlatives_go_with_the_column_ranked() -> None:
    pair = _pair("Who is the oldest?", "SELECT name FROM p ORDER BY birth_dt LIMIT 1")
    assert ("oldest", "birth", "lowest") in set(ranked(pair, parse(pair.gold_sql)))
