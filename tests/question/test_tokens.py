"""Quotation marks and ends of sentences, as users write and miswrite them."""

import pytest

from clausewise.question.tokens import quoted_spans, tokens_of

QUOTED = [
    ('songs called "Hey"', ["Hey"]),
    ("songs called 'Hey'", ["Hey"]),
    ("songs called \u201cHey\u201d", ["Hey"]),
    ("songs called \u2018Hey\u2019", ["Hey"]),
    ("songs called \u00abHey\u00bb", ["Hey"]),
    ("songs called `Hey`", ["Hey"]),
    ("songs called ''Hey''", ["Hey"]),
    ("songs called 'Hey' and \"You\"", ["Hey", "You"]),
    ("'Hey', 'You' and 'Me'", ["Hey", "You", "Me"]),
    ("songs called 'Don't'", ["Don't"]),
    ("songs of 'O'Reilly'", ["O'Reilly"]),
    ("songs called \"Hey 'You'\"", ["Hey 'You'"]),
    ('songs called "What\'s up?"', ["What's up?"]),
    ("It's the singer's 'best' song", ["best"]),
    ("songs called 'Hey'?", ["Hey"]),
    ("('Hey')", ["Hey"]),
    ("name='Hey'", ["Hey"]),
    ("Could you list 'Hey'", ["Hey"]),
    # apostrophes, marks of length, marks without their pair
    ("Ann's songs and Bob's songs", []),
    ("the singers' songs and the players' names", []),
    ("the '90s", []),
    ("a 6'2\" player", []),
    ("5' tall", []),
    ("songs called 'Hey", []),
    ("songs called Hey'", []),
    ('songs called "Hey', []),
    ("songs called 'Hey\"", []),
    ('songs called ""', []),
    ("songs called ' '", []),
    ("", []),
]

SENTENCES = [
    ("List songs. Show singers.", ["List songs .", "Show singers ."]),
    ("list songs; show singers", ["list songs ;", "show singers"]),
    ("What is it? Show it!", ["What is it ?", "Show it !"]),
    ("WHAT IS IT? SHOW IT", ["WHAT IS IT ?", "SHOW IT"]),
    ("List songs", ["List songs"]),
    ("Mr. Smith sings. Who is he?", ["Mr . Smith sings .", "Who is he ?"]),
    ("race No. 5 of Dr. J. Doe. List it.", ["race No . 5 of Dr . J . Doe .", "List it ."]),
    ("St. Petersburg vs. Moscow", ["St . Petersburg vs . Moscow"]),
    ("Ann Jr. sings", ["Ann Jr . sings"]),
    ("costs 3.5 dollars. List it.", ["costs 3.5 dollars .", "List it ."]),
    ("born in 2010. List it.", ["born in 2010 .", "List it ."]),
    ("songs, e.g. of pop", ["songs , e.g . of pop"]),
    ("the U.S. singers", ["the U.S . singers"]),
    ("singers of the U.S. List them.", ["singers of the U.S .", "List them ."]),
    ("at 5 p.m. today", ["at 5 p.m . today"]),
    ('songs called "What? No." are', ['songs called " What ? No . " are']),
    ("songs called 'Hey. You' are", ["songs called ' Hey . You ' are"]),
    ("Who is 'Joe'? Is he old?", ["Who is ' Joe ' ?", "Is he old ?"]),
    ("Could you help? Please list songs.", ["Could you help ?", "Please list songs ."]),
    ("List songs... Show them", ["List songs .", ".", ".", "Show them"]),
    ("", []),
]


@pytest.mark.parametrize(("question", "expected"), QUOTED)
def test_what_stands_in_quotation_marks(question: str, expected: list[str]) -> None:
    found = quoted_spans(question)
    assert [text for text, _, _ in found] == expected
    assert all(question[start:end] == text for text, start, end in found)
    quoted = [token for token in tokens_of(question) if token.quoted and token.is_word]
    assert all(any(start <= token.start < end for _, start, end in found) for token in quoted)


@pytest.mark.parametrize(("question", "expected"), SENTENCES)
def test_ends_of_sentences(question: str, expected: list[str]) -> None:
    tokens = tokens_of(question)
    numbers = dict.fromkeys(token.sentence for token in tokens)
    found = [" ".join(t.text for t in tokens if t.sentence == number) for number in numbers]
    assert found == expected
