from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from clausewise.question.asked import AskedKind
from clausewise.question.reading import QuestionReading


def test_negations_disjunctions_and_superlatives_together() -> None:
    reading = QuestionReading("not 'never', no more than 2 or more, or the oldest of most", "")
    assert [cue.text for cue in reading.negations] == ["not"]
    assert [cue.token for cue in reading.disjunctions] == [reading.lowers.index("or", 12)]
    assert [cue.name for cue in reading.superlatives] == ["oldest", "highest"]


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=80))
def test_any_text_can_be_read(text: str) -> None:
    reading = QuestionReading(text, text)
    for token in reading.tokens:
        assert text[token.start : token.end] == token.text
    for item in reading.asked:
        assert 0 <= item.start <= item.end <= len(text)
        assert isinstance(item.kind, AskedKind)
    read: list[Any] = [*reading.numbers, *reading.dates]
    for found in read:
        assert 0 <= found.start < found.end <= len(text)
        assert 0 <= found.token < found.token + found.length <= len(reading.tokens)
    assert reading.statements is not None
    assert len(reading.comparatives) + len(reading.superlatives) <= 2 * len(reading.tokens)
