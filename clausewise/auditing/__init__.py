"""The audit of annotated ("gold") queries: likely wrong annotations, each with a category.

An annotated query is judged like a predicted one; the findings, the question and the data of the
database then say to which categories of GBV-SQL's typology it belongs, and how suspicious it is.
"""

from clausewise.audited_case import AuditedCase, AuditedCategory, AuditStatus, FaultSide
from clausewise.auditing.auditor import audit, iter_audits
from clausewise.auditing.typology import CATEGORIES, Category

__all__ = [
    "CATEGORIES",
    "AuditStatus",
    "AuditedCase",
    "AuditedCategory",
    "Category",
    "FaultSide",
    "audit",
    "iter_audits",
]
