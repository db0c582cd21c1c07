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

from clausewise.preparation.back_translation import BackTranslation, back_translate
from clausewise.preparation.context_rows import context_rows, describe_rows
from clausewise.preparation.documentation import document_database
from clausewise.preparation.examples import find_question_values
from clausewise.preparation.expansion import SchemaExpansion, expand_schema
from clausewise.preparation.expansion_text import describe_expansion
from clausewise.preparation.material import blind_material, case_material
from clausewise.preparation.result_text import count_rows, show_rows
from clausewise.preparation.rewriting import rewrite_question
from clausewise.preparation.schema_text import describe_schema, estimate_tokens

__all__ = [
    "BackTranslation",
    "SchemaExpansion",
    "back_translate",
    "blind_material",
    "case_material",
    "context_rows",
    "count_rows",
    "describe_expansion",
    "describe_rows",
    "describe_schema",
    "document_database",
    "estimate_tokens",
    "expand_schema",
    "find_question_values",
    "rewrite_question",
    "show_rows",
]
