"""Names are looked up, and give what the comparison of every pair gives."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from clausewise.databases.key_names import TargetNames, name_evidence, referring_name

WORDS = st.sampled_from(
    ["hero", "superhero", "id", "code", "no", "team", "home", "race", "races", "Ab", "2", "#", "_"]
)
NAMES = st.lists(WORDS, min_size=1, max_size=3).map("_".join) | st.lists(
    WORDS, min_size=1, max_size=3
).map("".join)


@given(st.lists(st.tuples(NAMES, NAMES, st.booleans()), max_size=6), NAMES)
def test_look_up_and_comparison_agree(targets: list[tuple[str, str, bool]], source: str) -> None:
    compared = {
        position: evidence
        for position, (table, column, is_key) in enumerate(targets)
        if (evidence := name_evidence(source, table, column, is_key)) is not None
    }
    assert TargetNames(targets).find(referring_name(source)) == compared
