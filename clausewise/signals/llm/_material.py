"""What the prompts about one case are made of, and what is made only once for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeVar
from weakref import WeakKeyDictionary

from clausewise.errors import LLMError
from clausewise.preparation import describe_schema, document_database, rewrite_question
from clausewise.preparation.examples import Place

if TYPE_CHECKING:
    from clausewise.llm import CaseLLM
    from clausewise.signals.context import Context

T = TypeVar("T")

_MADE: WeakKeyDictionary[Context, dict[str, object]] = WeakKeyDictionary()


def client(context: Context) -> CaseLLM:
    """Return the case's client to the model; the runner calls no LLM signal without one."""
    assert context.llm is not None
    return context.llm


def once(context: Context, name: str, make: Callable[[], T]) -> T:
    """Return what `make` gives, made once for a context; a failure, too, happens once.

    Raises the LLMError of the first time, anew each time.
    """
    known = _MADE.setdefault(context, {})
    if name not in known:
        try:
            known[name] = make()
        except LLMError as error:
            # A traceback would hold the context, and the context is the key.
            known[name] = type(error)(str(error))
    value = known[name]
    if isinstance(value, LLMError):
        raise type(value)(str(value))
    return value  # type: ignore[return-value]


def case_material(context: Context) -> Mapping[str, object]:
    """Return the variables of `_case.j2`: schema, question, rewritten, evidence, sql.

    Raises the errors of the preparation steps that the settings ask for.
    """
    return once(context, "material", lambda: _case_material(context))


def blind_material(context: Context) -> Mapping[str, object]:
    """Return schema and sql; nothing in them depends on the question or the evidence."""
    return {"schema": _schema(context, ""), "sql": context.query.text.strip()}


def _case_material(context: Context) -> Mapping[str, object]:
    case = context.case
    evidence = (case.evidence or "").strip() or None
    schema = _schema(context, f"{case.question}\n{evidence or ''}")
    rewritten = None
    if "rewriting" in client(context).settings.prepare:
        rewritten = rewrite_question(case, schema, client(context))
    return {
        "schema": schema,
        "question": case.question,
        "rewritten": rewritten,
        "evidence": evidence,
        "sql": context.query.text.strip(),
    }


def _schema(context: Context, question: str) -> str:
    settings = client(context).settings
    return describe_schema(
        context.database,
        question=question,
        query=context.query,
        tokens=settings.schema_tokens,
        send_values=settings.send_values,
        documentation=_documentation(context),
    )


def _documentation(context: Context) -> Mapping[Place, str]:
    if "documentation" not in client(context).settings.prepare:
        return {}
    return once(
        context, "documentation", lambda: document_database(context.database, client(context))
    )
