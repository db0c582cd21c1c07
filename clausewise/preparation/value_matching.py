"""Stored values that a question says, word for word or nearly: coarse to fine (RED-SQL, 4.4.1).

What the value index knows word for word comes first. Then the texts of a column are ranked by
BM25, and the best of them are compared with the question's words by edit distance.

BM25 is written here in a few lines over scikit-learn's counts: the packages that offer it rank
whole words, and values that are misspelled or inflected in a question share none with it. So the
terms are stretches of three letters, as the edit distance after it needs them.
"""

from __future__ import annotations

import itertools
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from rapidfuzz import fuzz, process
from rapidfuzz.distance import DamerauLevenshtein

from clausewise.databases.model import Limits, Schema
from clausewise.databases.values import fold_value
from clausewise.errors import DatabaseError, QueryFailed, QueryTimeout, QueryTooLarge
from clausewise.inflection import singular
from clausewise.preparation.examples import Place, find_question_values, question_words
from clausewise.sql.probe_dialects import probe_dialect

if TYPE_CHECKING:
    from clausewise.databases import DatabaseProtocol

MOST_TEXTS = 5_000
"""Columns with more distinct texts are looked up word for word only."""
MOST_COARSE = 50
"""Texts of a column that the coarse step leaves for the fine one."""
VALUES_A_COLUMN = 3
"""Values kept of a column."""
SIMILAR = 0.8
"""Similarity in [0, 1], 1 less edits over length, from which a value counts as said."""
LONGEST_VALUE_WORDS = 8
"""Values of more words are said word for word or not at all."""

_MOST_NEAR = 5
"""Words in a row that are looked at for one with the same digits as a value."""
_K1 = 1.2
"""How soon BM25 stops to count a term that is repeated."""
_B = 0.75
"""How far BM25 weighs the length of a text."""
_MOST_KEPT = 100
"""Columns of a database whose texts are kept ready."""


def match_values(
    database: DatabaseProtocol, places: Iterable[Place], text: str, most: int = VALUES_A_COLUMN
) -> Mapping[Place, tuple[str, ...]]:
    """Return the stored values that a text says, up to `most` for each of the columns named.

    Those said word for word come first, longer ones before shorter, then similar ones, the most
    similar first. Columns without any are left out. Numbers are matched where they are stored as
    text only. Raises DatabaseError where the database cannot be read.
    """
    exact = find_question_values(database, text)
    words = tuple(plain(word) for word in question_words(text))
    readings = tuple(dict.fromkeys((words, tuple(map(singular, words)))))
    found: dict[Place, tuple[str, ...]] = {}
    for place in places:
        values = dict.fromkeys(exact.get(place, ()))
        texts = column_texts(database, place)
        if texts is not None and len(values) < most:
            values |= dict.fromkeys(texts.similar(readings))
        if values:
            found[place] = tuple(values)[:most]
    return found


def plain(text: str) -> str:
    """Return a text without case, accents and needless blanks.

    >>> plain(" Kimi  Räikkönen")
    'kimi raikkonen'
    """
    parted = unicodedata.normalize("NFKD", fold_value(text))
    return "".join(letter for letter in parted if not unicodedata.combining(letter))


class ColumnTexts:
    """The distinct texts of one column, ready to be ranked."""

    def __init__(self, values: Sequence[str]) -> None:
        import numpy
        from sklearn.feature_extraction.text import CountVectorizer

        self._values = list(values)
        self._plain = [plain(value) for value in values]
        self._counter = CountVectorizer(analyzer="char_wb", ngram_range=(3, 3), lowercase=False)
        counts = self._counter.fit_transform(self._plain).tocoo()
        lengths = numpy.bincount(counts.row, counts.data, minlength=len(values))
        holding = numpy.bincount(counts.col, minlength=counts.shape[1])
        rarity = numpy.log1p((len(values) - holding + 0.5) / (holding + 0.5))
        norm = _K1 * (1 - _B + _B * lengths / lengths.mean())
        weights = rarity[counts.col] * counts.data * (_K1 + 1)
        counts.data = weights / (counts.data + norm[counts.row])
        self._weights = counts.tocsc()

    def similar(self, readings: Sequence[Sequence[str]]) -> list[str]:
        """Return the values that words in a row say nearly, the most similar first.

        Digits must be the same. `readings` are the words of a question as `plain` writes them,
        and the same in other forms.
        """
        said = []
        windows: dict[int, list[str]] = {}
        for at in self._ranked(" ".join(itertools.chain(*readings))):
            value = self._plain[at]
            size = len(value.split())
            if not 0 < size <= LONGEST_VALUE_WORDS:
                continue
            if size not in windows:
                parts = (part for words in readings for part in _windows(words, size))
                windows[size] = list(dict.fromkeys(parts))
            similarity = _similarity(value, windows[size])
            if similarity:
                said.append((-similarity, self._values[at]))
        return [value for _, value in sorted(said)]

    def nearest(self, texts: Sequence[str], most: int) -> list[str]:
        """Return up to `most` values, those first that are most like one of the texts."""
        if not texts:
            return []
        wanted = [plain(text) for text in texts]
        likeness = process.cdist(self._plain, wanted, scorer=fuzz.WRatio).max(axis=1)
        ranked = sorted(zip(-likeness, self._values, strict=True))
        return [value for _, value in ranked[:most]]

    def _ranked(self, text: str) -> list[int]:
        """Return the places of the values that BM25 finds nearest to a text, best first."""
        import numpy

        terms = self._counter.transform([text]).indices
        scores = numpy.asarray(self._weights[:, terms].sum(axis=1)).ravel()
        best = numpy.lexsort((numpy.arange(len(scores)), -scores))[:MOST_COARSE]
        return [int(at) for at in best if scores[at] > 0]


def _similarity(value: str, said: Sequence[str]) -> float:
    """Return how similar the nearest of some texts is, 0 where it is less than `SIMILAR`."""
    scorer = DamerauLevenshtein.normalized_similarity
    found = process.extract(value, said, scorer=scorer, score_cutoff=SIMILAR, limit=_MOST_NEAR)
    digits = _digits(value)
    return next((similarity for part, similarity, _ in found if _digits(part) == digits), 0.0)


def _digits(text: str) -> str:
    return "".join(filter(str.isdigit, text))


def _windows(words: Sequence[str], size: int) -> Iterable[str]:
    """Yield the words in a row that may say a value of `size` words: as many, one less or more."""
    for length in range(max(1, size - 1), size + 2):
        for start in range(len(words) - length + 1):
            yield " ".join(words[start : start + length])


def column_texts(database: DatabaseProtocol, place: Place) -> ColumnTexts | None:
    """Return the texts of a column, read once; None where it holds none or too many."""
    known = database.schema.once(_memory)
    if place not in known:
        if len(known) >= _MOST_KEPT:
            known.clear()
        known[place] = _read_texts(database, place)
    return known[place]


def _memory(_schema: Schema) -> dict[Place, ColumnTexts | None]:
    return {}


def _read_texts(database: DatabaseProtocol, place: Place) -> ColumnTexts | None:
    try:
        profile = database.profile(*place)
    except DatabaseError:
        # A view that cannot be computed has no profile.
        return None
    words = profile.stored_types.get("text", 0) - profile.numeric_text
    if words <= 0 or profile.distinct > MOST_TEXTS or profile.sampled:
        return None
    quoted = probe_dialect(database.dialect).quote_name
    name, table = quoted(profile.column), quoted(profile.table)
    statement = f"SELECT DISTINCT {name} FROM {table} ORDER BY 1"
    try:
        rows = database.run(statement, Limits(rows=MOST_TEXTS)).rows
    except (QueryFailed, QueryTimeout, QueryTooLarge):
        return None
    values = [value for (value,) in rows if isinstance(value, str) and plain(value)]
    return ColumnTexts(values) if values else None
