"""The training of the model of columns, on a few pairs made here."""

import numpy as np
import pytest

from clausewise.databases.model import Column, ForeignKey, Schema, Table
from clausewise.expectation.columns import expected_columns
from clausewise.expectation.columns_model import model_of
from clausewise.expectation.columns_schema import schema_words
from clausewise.question.reading import QuestionReading
from experiments.expectation.pairs import Pair
from experiments.expectation.train_columns_data import (
    altered,
    examples,
    known_words,
    labels_of,
    vocabulary_of,
)

torch = pytest.importorskip("torch")
from experiments.expectation.train_columns import fitted  # noqa: E402
from experiments.expectation.train_columns_measures import measures, predicted, scales_of  # noqa: E402
from experiments.expectation.train_columns_network import ColumnNetwork, batch_of  # noqa: E402
from experiments.expectation.train_columns_store import arrays_of, write  # noqa: E402

pytestmark = pytest.mark.learn

SCHEMA = Schema(
    (
        Table("dog", (Column("dog_id", "INTEGER", primary_key=1), Column("name", "TEXT"),
                      Column("birth_date", "DATE"), Column("Coat Color", "TEXT")), ("dog_id",)),
        Table("walk", (Column("dog_id", "INTEGER"), Column("length_km", "REAL"))),
    ),
    (ForeignKey("walk", ("dog_id",), "dog", ("dog_id",)),),
)  # fmt: skip
QUESTIONS = (
    ("List the names of all dogs.", "SELECT name FROM dog"),
    ("How many dogs have a brown coat color?", "SELECT count(*) FROM dog WHERE `Coat Color` = 'b'"),
    ("Which dog is the oldest?", "SELECT name FROM dog ORDER BY birth_date LIMIT 1"),
    ("How long is the longest walk of each dog?",
     "SELECT T1.dog_id, max(length_km) FROM walk T1 GROUP BY T1.dog_id"),
)  # fmt: skip
PAIRS = [
    Pair("made", str(number), f"dogs_{number % 2}", question, "", sql, "sqlite", SCHEMA)
    for number, (question, sql) in enumerate(QUESTIONS * 12)
]
KNOWN = vocabulary_of([*(known_words(PAIRS)), "name", "oldest", "list", "dog"])


def test_the_network_and_the_package_compute_the_same(tmp_path) -> None:
    torch.manual_seed(3)
    network = ColumnNetwork(len(KNOWN) + 5).eval()
    words = list(KNOWN)
    data = examples(PAIRS[:4], KNOWN, perturbed=False)
    path = tmp_path / "columns.npz"
    scales = np.tile([1.0, 0.0], (5, 1))
    write(path, arrays_of(network, words, scales))
    with np.load(path, allow_pickle=False) as saved:
        model = model_of(dict(saved))
    with torch.no_grad():
        roles, tables = network(batch_of(data, KNOWN, None))
    for row, pair in enumerate(PAIRS[:4]):
        found = expected_columns(QuestionReading(pair.question, ""), SCHEMA, model)
        n, m = len(found.log_odds), len(found.table_log_odds)
        assert found.log_odds == pytest.approx(roles[row, :n].numpy(), abs=0.01)
        assert found.table_log_odds == pytest.approx(tables[row, :m].numpy(), abs=0.01)


def test_training_learns_and_gives_the_same_weights_each_time(tmp_path) -> None:
    data = examples(PAIRS, KNOWN, perturbed=False)
    one, other = (fitted(data, KNOWN, epochs=60) for _ in range(2))
    found = predicted(one, data, KNOWN)
    selected = measures(found, scales_of(found))[0]
    assert selected["use"] == "selected"
    assert selected["auc"] > 0.9
    paths = [tmp_path / "one.npz", tmp_path / "other.npz"]
    for network, path in zip((one, other), paths, strict=True):
        write(path, arrays_of(network, list(KNOWN), scales_of(found)))
    assert paths[0].read_bytes() == paths[1].read_bytes()


def test_labels_are_what_the_gold_query_uses() -> None:
    found = labels_of(PAIRS[2], schema_words(SCHEMA))
    assert found is not None
    labels, tables = found
    assert (
        labels.tolist() == [[0, 0, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 0, 0]] + [[0] * 4] * 2
    )
    assert tables.tolist() == [1, 0]


def test_of_columns_that_a_key_ties_the_other_one_is_not_known() -> None:
    found = labels_of(PAIRS[3], schema_words(SCHEMA))
    assert found is not None
    labels, _ = found
    assert labels[0].tolist() == [-1, 0, -1, 0]
    assert labels[4].tolist() == [1, 0, 1, 0]


@pytest.mark.parametrize("variant", [2, 3, 4, 5])
def test_altered_schemas_keep_their_columns_and_keys(variant) -> None:
    changed = altered(SCHEMA, variant)
    assert [len(table.columns) for table in changed.tables] == [4, 2]
    assert changed.table("walk").column(changed.foreign_keys[0].columns[0]) is not None
