"""The variables of prompts about a query: those of `_case.j2`, and those without the question."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from clausewise.preparation.documentation import document_database
from clausewise.preparation.rewriting import rewrite_question
from clausewise.preparation.schema_text import describe_schema
from clausewise.sql.probe_dialects import probe_dialect

if TYPE_CHECKING:
    from clausewise.databases import DatabaseProtocol
    from clausewise.llm import CaseLLM
    from clausewise.preparation.examples import Place
    from clausewise.sql.model import Query
    from clausewise.types import Case


def case_material(
    case: Case,
    database: DatabaseProtocol,
    llm: CaseLLM,
    *,
    sql: str,
    query: Query | None = None,
    documentation: Mapping[Place, str] | None = None,
    schema: str | None = None,
) -> dict[str, object]:
    """Return dialect, schema, question, rewritten, evidence and sql, as the settings want them.

    Parameters
    ----------
    case, database
        The question and its evidence; the query of the case is not read.
    llm
        Its settings say how long the schema may be, whether values are sent, and what is made
        ahead: `documentation` of columns, the question `rewriting`.
    sql
        The query in question.
    query
        The same parsed, where it can be: the columns that it uses are never dropped.
    documentation
        Descriptions of columns; None has them made where the settings ask for them.
    schema
        The schema in words, where it is not to be `describe_schema`'s; `query` and
        `documentation` are not read then.

    Raises
    ------
    LLMError
        What a preparation raises that the settings ask for.
    """
    settings = llm.settings
    evidence = (case.evidence or "").strip() or None
    if schema is None:
        if documentation is None and "documentation" in settings.prepare:
            documentation = document_database(database, llm)
        schema = describe_schema(
            database,
            question=f"{case.question}\n{evidence or ''}",
            query=query,
            tokens=settings.schema_tokens,
            send_values=settings.send_values,
            documentation=documentation,
        )
    rewrites = "rewriting" in settings.prepare
    return {
        "dialect": probe_dialect(database.dialect).title,
        "schema": schema,
        "question": case.question,
        "rewritten": rewrite_question(case, schema, llm) if rewrites else None,
        "evidence": evidence,
        "sql": sql.strip(),
    }


def blind_material(
    database: DatabaseProtocol,
    llm: CaseLLM,
    *,
    sql: str,
    query: Query | None = None,
    documentation: Mapping[Place, str] | None = None,
) -> dict[str, object]:
    """Return dialect, schema and sql; nothing in them depends on the question or the evidence.

    The parameters and errors are those of `case_material`.
    """
    settings = llm.settings
    if documentation is None and "documentation" in settings.prepare:
        documentation = document_database(database, llm)
    schema = describe_schema(
        database,
        query=query,
        tokens=settings.schema_tokens,
        send_values=settings.send_values,
        documentation=documentation,
    )
    title = probe_dialect(database.dialect).title
    return {"dialect": title, "schema": schema, "sql": sql.strip()}
