"""Readers of what users bring: cases, labels, golds, votes, candidates, scores; and the sample."""

from clausewise.datasets._containers import read_table
from clausewise.datasets._sample import sample_dir
from clausewise.datasets._text import dump_line, load_line
from clausewise.datasets.case_file import CaseFile, CasePipe, open_cases
from clausewise.datasets.cases import FORMATS, read_cases, read_gold_cases
from clausewise.datasets.corrections import Correction, as_corrections, read_corrections
from clausewise.datasets.gold_pairs import GoldPair, as_gold_pairs, read_gold_pairs
from clausewise.datasets.in_memory import as_case, as_cases
from clausewise.datasets.labels import (
    read_candidates,
    read_corrected,
    read_gold,
    read_labels,
    read_votes,
)
from clausewise.datasets.scores import (
    ScoresFile,
    as_scored_cases,
    iter_scored_cases,
    iter_scores_file,
    read_scores,
)
from clausewise.datasets.tables import require_parquet, write_table

__all__ = [
    "FORMATS",
    "CaseFile",
    "CasePipe",
    "Correction",
    "GoldPair",
    "ScoresFile",
    "as_case",
    "as_cases",
    "as_corrections",
    "as_gold_pairs",
    "as_scored_cases",
    "dump_line",
    "iter_scored_cases",
    "iter_scores_file",
    "load_line",
    "open_cases",
    "read_candidates",
    "read_cases",
    "read_corrected",
    "read_corrections",
    "read_gold",
    "read_gold_cases",
    "read_gold_pairs",
    "read_labels",
    "read_scores",
    "read_table",
    "read_votes",
    "require_parquet",
    "sample_dir",
    "write_table",
]
