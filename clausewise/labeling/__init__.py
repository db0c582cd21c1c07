"""From outcomes to votes: labeling functions, the label matrix, its summary, outside votes."""

from clausewise.labeling.functions import (
    LabelingFunction,
    SignalInfo,
    VotingUnit,
    build_labeling_functions,
    fired_function,
    silence_function,
)
from clausewise.labeling.matrix import (
    LabelMatrix,
    build_label_matrix,
    check_label_matrix,
    checked_votes,
)
from clausewise.labeling.outside import LabelMatrixWarning, OutsideVotes
from clausewise.labeling.shape import LevelsOf, ShapeLevels, shape_functions, shape_levels
from clausewise.labeling.summary import summarize

__all__ = [
    "LabelMatrix",
    "LabelMatrixWarning",
    "LabelingFunction",
    "LevelsOf",
    "OutsideVotes",
    "ShapeLevels",
    "SignalInfo",
    "VotingUnit",
    "build_label_matrix",
    "build_labeling_functions",
    "check_label_matrix",
    "checked_votes",
    "fired_function",
    "shape_functions",
    "shape_levels",
    "silence_function",
    "summarize",
]
