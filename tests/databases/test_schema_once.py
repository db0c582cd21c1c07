"""What is made of a schema once lives with the schema."""

import pickle

from clausewise.databases.model import Column, Schema, Table

MADE: list[Schema] = []


def _first_table(schema: Schema) -> str:
    MADE.append(schema)
    return schema.tables[0].name


def _schema() -> Schema:
    return Schema((Table("city", (Column("name", "TEXT"),)),))


def test_it_is_made_once_for_a_schema() -> None:
    MADE.clear()
    schema, other = _schema(), _schema()
    assert [schema.once(_first_table) for _ in range(3)] == ["city"] * 3
    assert [schema] == MADE
    other.once(_first_table)
    assert len(MADE) == 2


def test_a_pickled_schema_is_equal_and_carries_nothing_that_was_made() -> None:
    schema = _schema()
    before = pickle.dumps(schema)
    schema.once(_first_table)
    assert pickle.dumps(schema) == before
    assert pickle.loads(before) == schema
