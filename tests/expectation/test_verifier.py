"""What the verifier reads of a question beside a query, and what it makes of it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clausewise.databases.model import Column, ForeignKey, Schema, Table
from clausewise.expectation.columns_inputs import column_inputs
from clausewise.expectation.columns_schema import schema_words
from clausewise.expectation.verifier_inputs import (
    COLUMN,
    CONSTANT,
    FITS,
    KEYWORD,
    MOST_OTHERS,
    MOST_UNITS,
    OTHER,
    TABLE,
    TOKEN_FACTS,
    UNIT_FACTS,
    UNIT_WORDS,
    VerifierInputs,
    asked_of,
    verifier_inputs,
)
from clausewise.expectation.verifier_model import CLAUSES, Verified, packaged_verifier
from clausewise.question.reading import QuestionReading
from clausewise.sql import parse
from clausewise.types import Clause


def _table(name: str, *columns: str) -> Table:
    made = []
    for text in columns:
        column, kind, *key = text.split("|")
        made.append(Column(column, kind, primary_key=int(bool(key))))
    keys = tuple(column.name for column in made if column.primary_key)
    return Table(name, tuple(made), keys)


SCHEMA = Schema(
    (
        _table(
            *("customer", "customer_id|INTEGER|key", "full_name|TEXT", "city|TEXT"),
            *("signup_date|DATE", "churned_at|DATE"),
        ),
        _table(
            *("invoice", "invoice_id|INTEGER|key", "customer_id|INTEGER", "issued_on|DATE"),
            *("paid_on|DATE", "net_amount|REAL", "gross_amount|REAL", "status|TEXT"),
        ),
    ),
    (ForeignKey("invoice", ("customer_id",), "customer", ("customer_id",)),),
)


def _inputs(question: str, sql: str, evidence: str = "") -> VerifierInputs:
    model, words = packaged_verifier(), schema_words(SCHEMA)
    reading = QuestionReading(question, evidence)
    facts = column_inputs(reading, words, {})
    asked = asked_of(reading, words, model.vocabulary, facts.column_facts, facts.table_facts)
    query = parse(sql, tables=SCHEMA.names())
    return verifier_inputs(asked, query, words, model.vocabulary, model.keywords)


def _verified(question: str, sql: str, evidence: str = "") -> Verified:
    return packaged_verifier().verify(_inputs(question, sql, evidence))


def _kinds(inputs: VerifierInputs) -> list[int]:
    return inputs.unit_facts[:, :6].argmax(axis=1).tolist()


def test_the_units_of_a_query_stand_in_text_order_before_what_it_does_not_use() -> None:
    inputs = _inputs("paid invoices in Porto", "SELECT status FROM invoice WHERE paid_on > '2024'")
    kinds = _kinds(inputs)
    used = [kind for kind in kinds if kind != OTHER]
    assert used == [KEYWORD, COLUMN, KEYWORD, TABLE, KEYWORD, COLUMN, KEYWORD, CONSTANT]
    assert kinds[len(used) :] == [OTHER] * min(MOST_OTHERS, 12 - 2)


def test_a_constant_fits_the_token_that_says_it() -> None:
    inputs = _inputs(
        "Customers in Porto since 2021?", "SELECT 1 FROM customer WHERE city = 'Porto'"
    )
    constant = [at for at, kind in enumerate(_kinds(inputs)) if kind == CONSTANT][-1]
    assert inputs.fits[4, :, constant].tolist() == [0, 0, 1, 0, 0, 0]
    dated = _inputs(
        "signed up since 2021", "SELECT 1 FROM customer WHERE signup_date >= '2021-01-01'"
    )
    constant = [at for at, kind in enumerate(_kinds(dated)) if kind == CONSTANT][-1]
    assert dated.fits[5, :, constant].tolist() == [0, 0, 0, 1]


def test_evidence_is_read_behind_the_question() -> None:
    inputs = _inputs("How many churned?", "SELECT 1 FROM customer", "churned: churned_at is set")
    assert inputs.token_facts[:, 3].tolist() == [0] * 4 + [1] * (len(inputs.tokens) - 4)


@pytest.mark.parametrize(
    ("question", "right", "wrong", "clause"),
    [
        (
            "How many customers signed up in 2023?",
            "SELECT COUNT(*) FROM customer WHERE signup_date BETWEEN '2023-01-01' AND '2023-12-31'",
            "SELECT COUNT(*) FROM customer",
            Clause.WHERE,
        ),
        (
            "Total net amount per customer (name, total).",
            "SELECT c.full_name, SUM(i.net_amount) FROM customer c JOIN invoice i "
            "ON i.customer_id = c.customer_id GROUP BY c.customer_id, c.full_name",
            "SELECT c.full_name, SUM(i.gross_amount) FROM customer c JOIN invoice i "
            "ON i.customer_id = c.customer_id GROUP BY c.customer_id, c.full_name",
            Clause.SELECT,
        ),
        (
            "average net amount of each status",
            "SELECT status, AVG(net_amount) FROM invoice GROUP BY status",
            "SELECT status, MAX(net_amount) FROM invoice GROUP BY status",
            Clause.SELECT,
        ),
    ],
)
def test_a_wrong_query_is_doubted_more_and_the_clause_named(
    question: str, right: str, wrong: str, clause: Clause
) -> None:
    of_wrong = _verified(question, wrong)
    assert of_wrong.log_odds > _verified(question, right).log_odds + 1.0
    assert CLAUSES[int(np.argmax(of_wrong.clauses))] is clause


@given(
    st.text(st.characters(codec="utf-8"), max_size=60),
    st.text(st.characters(codec="utf-8"), max_size=30),
    st.sampled_from(
        [
            "SELECT * FROM customer",
            "SELECT nothing FROM nowhere",
            "SELECT 1",
            "WITH t AS (SELECT city, COUNT(*) AS n FROM customer GROUP BY 1) SELECT n FROM t",
            "SELECT a.city FROM customer a WHERE EXISTS (SELECT 1 FROM invoice i WHERE "
            "i.customer_id = a.customer_id AND i.net_amount > 1e3) UNION SELECT NULL ORDER BY 1",
            "SELECT " + ", ".join(["city"] * (MOST_UNITS + 5)) + " FROM customer",
        ]
    ),
)
def test_any_text_beside_any_query_has_arrays_of_one_shape(
    question: str, evidence: str, sql: str
) -> None:
    reading = QuestionReading("x " + question, evidence)
    if not reading.tokens:
        return
    inputs = _inputs("x " + question, sql, evidence)
    t, u = len(inputs.tokens), len(inputs.keywords)
    assert u <= MOST_UNITS + MOST_OTHERS
    assert inputs.token_facts.shape == (t, TOKEN_FACTS)
    assert inputs.unit_facts.shape == (u, UNIT_FACTS)
    assert inputs.words.shape == (u, UNIT_WORDS)
    assert inputs.fits.shape == (FITS, t, u)
    assert 0.0 <= inputs.fits.min() <= inputs.fits.max() <= 1.0
    found = packaged_verifier().verify(inputs)
    assert np.isfinite(found.log_odds)
    assert sum(found.clauses) == pytest.approx(1.0, abs=1e-4)
