"""Reports: one record made from scored cases, and its views for people and programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clausewise.lazy_names import lazy_names

if TYPE_CHECKING:
    from clausewise.reporting.comparison_view import render_comparison as render_comparison
    from clausewise.reporting.correction_evaluation_view import corrections_text as corrections_text
    from clausewise.reporting.error_report import SignalNotes as SignalNotes
    from clausewise.reporting.evaluation_view import evaluation_text as evaluation_text
    from clausewise.reporting.json_view import to_json as to_json
    from clausewise.reporting.published_schemas import schema_texts as schema_texts
    from clausewise.reporting.report import Report as Report
    from clausewise.reporting.report import build_report as build_report
    from clausewise.reporting.report import report_dict as report_dict
    from clausewise.reporting.report import stream_report as stream_report
    from clausewise.reporting.schemas import load_schema as load_schema
    from clausewise.reporting.selection import select_cases as select_cases
    from clausewise.reporting.views import VIEWS as VIEWS
    from clausewise.reporting.views import ChunkedView as ChunkedView
    from clausewise.reporting.views import View as View
    from clausewise.reporting.views import ViewOptions as ViewOptions
    from clausewise.reporting.views import iter_view as iter_view
    from clausewise.reporting.views import render as render

_HOMES = {
    "ChunkedView": "clausewise.reporting.views",
    "Report": "clausewise.reporting.report",
    "SignalNotes": "clausewise.reporting.error_report",
    "VIEWS": "clausewise.reporting.views",
    "View": "clausewise.reporting.views",
    "ViewOptions": "clausewise.reporting.views",
    "build_report": "clausewise.reporting.report",
    "corrections_text": "clausewise.reporting.correction_evaluation_view",
    "evaluation_text": "clausewise.reporting.evaluation_view",
    "iter_view": "clausewise.reporting.views",
    "load_schema": "clausewise.reporting.schemas",
    "render": "clausewise.reporting.views",
    "render_comparison": "clausewise.reporting.comparison_view",
    "report_dict": "clausewise.reporting.report",
    "schema_texts": "clausewise.reporting.published_schemas",
    "select_cases": "clausewise.reporting.selection",
    "stream_report": "clausewise.reporting.report",
    "to_json": "clausewise.reporting.json_view",
}
"""Public name to the module that it is imported from."""

__all__ = sorted(_HOMES)  # noqa: PLE0605 - all of them are strings
__getattr__, __dir__ = lazy_names(__name__, _HOMES)
