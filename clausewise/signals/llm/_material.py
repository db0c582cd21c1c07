"""What the prompts about one case are made of, and what is made only once for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from clausewise import preparation
from clausewise.preparation.examples import Place

if TYPE_CHECKING:
    from clausewise.llm import CaseLLM
    from clausewise.signals.context import Context


def client(context: Context) -> CaseLLM:
    """Return the case's client to the model; the runner calls no LLM signal without one."""
    assert context.llm is not None
    return context.llm


def case_material(context: Context) -> Mapping[str, object]:
    """Return the variables of `_case.j2`: schema, question, rewritten, evidence, sql.

    Raises the errors of the preparation steps that the settings ask for.
    """
    return context.once(_case_material)


def blind_material(context: Context) -> Mapping[str, object]:
    """Return schema and sql; nothing in them depends on the question or the evidence."""
    return preparation.blind_material(
        context.database,
        client(context),
        sql=context.query.text,
        query=context.query,
        documentation=_documentation(context),
    )


def _case_material(context: Context) -> Mapping[str, object]:
    return preparation.case_material(
        context.case,
        context.database,
        client(context),
        sql=context.query.text,
        query=context.query,
        documentation=_documentation(context),
    )


def _documentation(context: Context) -> Mapping[Place, str]:
    if "documentation" not in client(context).settings.prepare:
        return {}
    return context.once(_documented)


def _documented(context: Context) -> Mapping[Place, str]:
    return preparation.document_database(context.database, client(context))
