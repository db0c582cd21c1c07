"""What a prompt about a query is made of: the schema in words, its documentation, the question.

Signals and corrections ask for text and put it into their prompts.

- `describe_schema`: tables, columns, types, keys, descriptions and a few real values, in a limit;
- `document_database`: a model's description of every column, made once a database (RED-SQL);
- `expand_schema`, `describe_expansion`: the part of a schema around a query, in a bound (RED-SQL);
- `rewrite_question`: the question in the words of the schema (DART-SQL);
- `describe_rows`: rows of all tables, those nearest to a question and others (DART-SQL);
- `case_material`: schema and questions for one case, as the settings of the model want them;
  `blind_material`: the same without the question;
- `back_translate`: a query in words, and these words beside the question (GBV-SQL);
- `show_rows`, `count_rows`: the result of a query.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clausewise.lazy_names import lazy_names

if TYPE_CHECKING:
    from clausewise.preparation.back_translation import BackTranslation as BackTranslation
    from clausewise.preparation.back_translation import back_translate as back_translate
    from clausewise.preparation.documentation import document_database as document_database
    from clausewise.preparation.examples import find_question_values as find_question_values
    from clausewise.preparation.expansion import SchemaExpansion as SchemaExpansion
    from clausewise.preparation.expansion import expand_schema as expand_schema
    from clausewise.preparation.expansion_text import describe_expansion as describe_expansion
    from clausewise.preparation.material import blind_material as blind_material
    from clausewise.preparation.material import case_material as case_material
    from clausewise.preparation.nearest_rows import context_rows as context_rows
    from clausewise.preparation.nearest_rows import describe_rows as describe_rows
    from clausewise.preparation.result_text import count_rows as count_rows
    from clausewise.preparation.result_text import show_rows as show_rows
    from clausewise.preparation.rewriting import rewrite_question as rewrite_question
    from clausewise.preparation.schema_text import describe_schema as describe_schema
    from clausewise.preparation.schema_text import estimate_tokens as estimate_tokens

_HOMES = {
    "BackTranslation": "clausewise.preparation.back_translation",
    "SchemaExpansion": "clausewise.preparation.expansion",
    "back_translate": "clausewise.preparation.back_translation",
    "blind_material": "clausewise.preparation.material",
    "case_material": "clausewise.preparation.material",
    "context_rows": "clausewise.preparation.nearest_rows",
    "count_rows": "clausewise.preparation.result_text",
    "describe_expansion": "clausewise.preparation.expansion_text",
    "describe_rows": "clausewise.preparation.nearest_rows",
    "describe_schema": "clausewise.preparation.schema_text",
    "document_database": "clausewise.preparation.documentation",
    "estimate_tokens": "clausewise.preparation.schema_text",
    "expand_schema": "clausewise.preparation.expansion",
    "find_question_values": "clausewise.preparation.examples",
    "rewrite_question": "clausewise.preparation.rewriting",
    "show_rows": "clausewise.preparation.result_text",
}
"""Public name to the module that it is imported from."""

__all__ = sorted(_HOMES)  # noqa: PLE0605 - all of them are strings
__getattr__, __dir__ = lazy_names(__name__, _HOMES)
