"""The strategy of RED-SQL: constraint violations and a wider view of the database, in rounds.

- `violations`: what the signals find, as violations with a level, and the paper's own constraints;
- `context`: what a prompt shows of a query: expanded schema, execution, violations;
- `strategy`: the rounds of the order, and the strategy itself.
"""

from clausewise.correction.redsql.strategy import RedSQLOptions, redsql
from clausewise.correction.redsql.violations import CONSTRAINTS, Violation, ViolationSource

__all__ = ["CONSTRAINTS", "RedSQLOptions", "Violation", "ViolationSource", "redsql"]
