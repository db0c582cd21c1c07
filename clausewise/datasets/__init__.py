"""Readers of what users bring: cases, labels, golds, votes, candidates, scores; and the sample."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clausewise.lazy_names import lazy_names

if TYPE_CHECKING:
    from clausewise.datasets._containers import read_table as read_table
    from clausewise.datasets._sample import sample_dir as sample_dir
    from clausewise.datasets._text import dump_line as dump_line
    from clausewise.datasets._text import load_line as load_line
    from clausewise.datasets.case_file import CaseFile as CaseFile
    from clausewise.datasets.case_file import CasePipe as CasePipe
    from clausewise.datasets.case_file import open_cases as open_cases
    from clausewise.datasets.cases import FORMATS as FORMATS
    from clausewise.datasets.cases import read_cases as read_cases
    from clausewise.datasets.cases import read_gold_cases as read_gold_cases
    from clausewise.datasets.corrections import Correction as Correction
    from clausewise.datasets.corrections import as_corrections as as_corrections
    from clausewise.datasets.corrections import read_corrections as read_corrections
    from clausewise.datasets.gold_pairs import GoldPair as GoldPair
    from clausewise.datasets.gold_pairs import as_gold_pairs as as_gold_pairs
    from clausewise.datasets.gold_pairs import read_gold_pairs as read_gold_pairs
    from clausewise.datasets.in_memory import as_case as as_case
    from clausewise.datasets.in_memory import as_cases as as_cases
    from clausewise.datasets.labels import as_judgment as as_judgment
    from clausewise.datasets.labels import read_candidates as read_candidates
    from clausewise.datasets.labels import read_corrected as read_corrected
    from clausewise.datasets.labels import read_feedback as read_feedback
    from clausewise.datasets.labels import read_gold as read_gold
    from clausewise.datasets.labels import read_labels as read_labels
    from clausewise.datasets.labels import read_votes as read_votes
    from clausewise.datasets.scores import ScoresFile as ScoresFile
    from clausewise.datasets.scores import as_scored_cases as as_scored_cases
    from clausewise.datasets.scores import iter_scored_cases as iter_scored_cases
    from clausewise.datasets.scores import iter_scores_file as iter_scores_file
    from clausewise.datasets.scores import read_scores as read_scores
    from clausewise.datasets.tables import require_parquet as require_parquet
    from clausewise.datasets.tables import write_table as write_table

_HOMES = {
    "CaseFile": "clausewise.datasets.case_file",
    "CasePipe": "clausewise.datasets.case_file",
    "Correction": "clausewise.datasets.corrections",
    "FORMATS": "clausewise.datasets.cases",
    "GoldPair": "clausewise.datasets.gold_pairs",
    "ScoresFile": "clausewise.datasets.scores",
    "as_case": "clausewise.datasets.in_memory",
    "as_cases": "clausewise.datasets.in_memory",
    "as_corrections": "clausewise.datasets.corrections",
    "as_gold_pairs": "clausewise.datasets.gold_pairs",
    "as_judgment": "clausewise.datasets.labels",
    "as_scored_cases": "clausewise.datasets.scores",
    "dump_line": "clausewise.datasets._text",
    "iter_scored_cases": "clausewise.datasets.scores",
    "iter_scores_file": "clausewise.datasets.scores",
    "load_line": "clausewise.datasets._text",
    "open_cases": "clausewise.datasets.case_file",
    "read_candidates": "clausewise.datasets.labels",
    "read_cases": "clausewise.datasets.cases",
    "read_corrected": "clausewise.datasets.labels",
    "read_corrections": "clausewise.datasets.corrections",
    "read_gold": "clausewise.datasets.labels",
    "read_gold_cases": "clausewise.datasets.cases",
    "read_gold_pairs": "clausewise.datasets.gold_pairs",
    "read_labels": "clausewise.datasets.labels",
    "read_scores": "clausewise.datasets.scores",
    "read_table": "clausewise.datasets._containers",
    "read_feedback": "clausewise.datasets.labels",
    "read_votes": "clausewise.datasets.labels",
    "require_parquet": "clausewise.datasets.tables",
    "sample_dir": "clausewise.datasets._sample",
    "write_table": "clausewise.datasets.tables",
}
"""Public name to the module that it is imported from."""

__all__ = sorted(_HOMES)  # noqa: PLE0605 - all of them are strings
__getattr__, __dir__ = lazy_names(__name__, _HOMES)
