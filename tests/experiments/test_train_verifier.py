"""How the verifier is trained: errors made in gold queries, batches, and the same figures twice."""

from __future__ import annotations

import random

import numpy as np
import pytest
import sqlglot

from clausewise.databases.model import Column, ForeignKey, Schema, Table
from clausewise.expectation.verifier_model import verifier_of
from experiments.verifier.examples import Labeled, inputs_of, of_cases, vocabularies
from experiments.verifier.mutations import KINDS, Mutator

torch = pytest.importorskip("torch")
from experiments.verifier.batches import MOST_OF_QUESTION, batch_of, runs  # noqa: E402
from experiments.verifier.network import Verifier  # noqa: E402
from experiments.verifier.store import arrays_of  # noqa: E402
from experiments.verifier.train import Example, trained  # noqa: E402

pytestmark = pytest.mark.learn

SCHEMA = Schema(
    (
        Table(
            "customer",
            (
                Column("customer_id", "INTEGER", primary_key=1),
                Column("full_name", "TEXT"),
                Column("city", "TEXT"),
                Column("signed_up", "DATE"),
            ),
            ("customer_id",),
        ),
        Table(
            "invoice",
            (
                Column("invoice_id", "INTEGER", primary_key=1),
                Column("customer_id", "INTEGER"),
                Column("net", "REAL"),
                Column("gross", "REAL"),
                Column("paid_on", "DATE"),
            ),
            ("invoice_id",),
        ),
    ),
    (ForeignKey("invoice", ("customer_id",), "customer", ("customer_id",)),),
)
QUERIES = (
    "SELECT c.full_name, SUM(i.net) / 100.0 FROM customer AS c JOIN invoice AS i "
    "ON i.customer_id = c.customer_id WHERE i.paid_on IS NULL AND c.city = 'Porto' "
    "GROUP BY c.customer_id, c.full_name HAVING SUM(i.net) >= 5 ORDER BY 2 DESC LIMIT 3",
    "SELECT COUNT(DISTINCT city) FROM customer WHERE NOT city IN ('Porto', 'Riga') "
    "OR signed_up < '2024-01-01'",
)


def _mutants(sql: str, seed: int) -> list[tuple[str, str, str]]:
    made = Mutator(SCHEMA, random.Random(seed)).mutants(sql, len(KINDS))
    return [(one.sql, one.kind, one.clause) for one in made]


@pytest.mark.parametrize("sql", QUERIES)
def test_mutants_are_other_queries_that_can_be_read(sql: str) -> None:
    text = sqlglot.parse_one(sql, read="sqlite").sql("sqlite")
    found = _mutants(sql, 1)
    assert len(found) >= 5
    for made, _, clause in found:
        assert made != text
        assert sqlglot.parse_one(made, read="sqlite").sql("sqlite") == made
        assert clause in ("select", "where", "group", "having", "order", "limit", "join")
    assert len({made for made, _, _ in found}) == len(found)
    assert _mutants(sql, 1) == found


def test_what_is_no_query_has_no_mutants() -> None:
    assert _mutants("SELECT FROM WHERE", 1) == []
    assert _mutants("DROP TABLE customer", 1) == []


def _examples() -> tuple[list[Example], dict[str, int], dict[str, int]]:
    cases = [
        {"question": f"Which customers live in {city}? Names.", "correct": True,
         "predicted_sql": f"SELECT full_name FROM customer WHERE city = '{city}'"}
        for city in ("Porto", "Riga", "Cork", "Graz")
    ]  # fmt: skip
    items = of_cases(cases, SCHEMA, "world/crm", mutants=3)
    vocabulary, keywords = vocabularies(items)
    words = {**vocabulary, "custom": 5, "name": 6}
    known = keywords or {"SELECT": 1, "WHERE": 2, "=": 3}
    made = [(item, inputs_of(item, words, known)) for item in items]
    return [Example(item, inputs) for item, inputs in made if inputs is not None], words, known


def test_errors_made_by_a_rule_are_marked() -> None:
    examples, _, _ = _examples()
    labeled: list[Labeled] = [one.labeled for one in examples]
    assert {(one.correct, one.mutated) for one in labeled} == {(True, False), (False, True)}
    assert all(one.is_world and one.clause for one in labeled if one.mutated)


def test_all_queries_for_a_question_are_in_one_batch() -> None:
    keys = [at // 5 for at in range(100)] + [99] * (MOST_OF_QUESTION + 3)
    found = runs([10] * len(keys), keys, 16, random.Random(0))
    batch_of_key: dict[int, set[int]] = {}
    for number, places in enumerate(found):
        for place in places:
            batch_of_key.setdefault(keys[place], set()).add(number)
    assert all(len(numbers) == 1 for numbers in batch_of_key.values())
    places = [place for batch in found for place in batch]
    assert len(places) == len(set(places)) == len(keys) - 3


def test_the_package_computes_what_the_network_does() -> None:
    examples, words, known = _examples()
    torch.manual_seed(1)
    network = Verifier(5 + len(words), 1 + len(known), d=16, layers=2).eval()
    model = verifier_of(arrays_of(network, words, known, (2.0, 0.5)))
    for one in examples:
        with torch.no_grad():
            expected = network(batch_of([one.inputs]))[0].numpy()
        found = model.verify(one.inputs)
        assert found.log_odds == pytest.approx(2.0 * expected[0] + 0.5, abs=0.02)
        shares = np.exp(expected[1:]) / np.exp(expected[1:]).sum()
        assert found.clauses == pytest.approx(shares.tolist(), abs=0.01)


def test_padding_changes_nothing() -> None:
    examples, words, known = _examples()
    network = Verifier(5 + len(words), 1 + len(known), d=16).eval()
    with torch.no_grad():
        together = network(batch_of([one.inputs for one in examples]))
        alone = torch.cat([network(batch_of([one.inputs])) for one in examples])
    assert torch.allclose(together, alone, atol=1e-4)


def test_the_same_examples_give_the_same_network() -> None:
    examples, words, known = _examples()
    one, other = (
        trained(examples, 5 + len(words), 1 + len(known), epochs=2).state_dict() for _ in range(2)
    )
    assert all(torch.equal(one[name], other[name]) for name in one)
