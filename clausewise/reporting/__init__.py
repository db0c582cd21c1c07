"""Reports: one record made from scored cases, and its views for people and programs."""

from clausewise.reporting.error_report import SignalNotes
from clausewise.reporting.evaluation_view import evaluation_text
from clausewise.reporting.report import Report, build_report, report_dict
from clausewise.reporting.schemas import load_schema
from clausewise.reporting.selection import select_cases
from clausewise.reporting.views import VIEWS, View, ViewOptions, render, to_json

__all__ = [
    "VIEWS",
    "Report",
    "SignalNotes",
    "View",
    "ViewOptions",
    "build_report",
    "evaluation_text",
    "load_schema",
    "render",
    "report_dict",
    "select_cases",
    "to_json",
]
