"""Executing a question: a language model works out its answer on a small instance, row by row."""

from clausewise.equivalence.execution.comparison import gives_answer, same_answer
from clausewise.equivalence.execution.executing import (
    PROMPT,
    QuestionExecution,
    execute_question,
)

__all__ = ["PROMPT", "QuestionExecution", "execute_question", "gives_answer", "same_answer"]
