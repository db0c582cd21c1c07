"""Reports: one record made from scored cases, and its views for people and programs."""

from clausewise.reporting.comparison_view import render_comparison
from clausewise.reporting.correction_evaluation_view import corrections_text
from clausewise.reporting.error_report import SignalNotes
from clausewise.reporting.evaluation_view import evaluation_text
from clausewise.reporting.json_view import to_json
from clausewise.reporting.report import Report, build_report, report_dict, stream_report
from clausewise.reporting.schema_texts import schema_texts
from clausewise.reporting.schemas import load_schema
from clausewise.reporting.selection import select_cases
from clausewise.reporting.views import VIEWS, ChunkedView, View, ViewOptions, iter_view, render

__all__ = [
    "VIEWS",
    "ChunkedView",
    "Report",
    "SignalNotes",
    "View",
    "ViewOptions",
    "build_report",
    "corrections_text",
    "evaluation_text",
    "iter_view",
    "load_schema",
    "render",
    "render_comparison",
    "report_dict",
    "schema_texts",
    "select_cases",
    "stream_report",
    "to_json",
]
