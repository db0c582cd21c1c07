"""Names in a query, looked up as SQLite does."""

from __future__ import annotations

from dataclasses import dataclass, field

from clausewise.sql.canonical.expressions import affinity_of, repeatable
from clausewise.sql.canonical.model import (
    ColumnFacts,
    Expression,
    Query,
    Relation,
    SelectBlock,
    SetBlock,
    TableFacts,
    Untranslatable,
)


@dataclass(slots=True, eq=False)
class NameScope:
    """What the names in one SELECT may mean."""

    parent: NameScope | None
    sources: list[tuple[str, Relation]] = field(default_factory=list)
    """Folded alias and relation, in the order of FROM."""
    merged: dict[str, Expression] = field(default_factory=dict)
    """Folded names of columns that USING or NATURAL joined, to the left one."""
    hidden: set[tuple[int, str]] = field(default_factory=set)
    """`id` of a relation and its column that `*` leaves out: the right one under USING."""
    aliases: dict[str, Expression] = field(default_factory=dict)
    """Folded names that SELECT gives to its expressions."""
    joining: bool = False
    """Whether conditions of joins are read, where aliases count but are not known yet."""

    def find(self, name: str, table: str | None) -> Expression | None:
        """Return the column of a name here or further out; None where there is none.

        Raises Untranslatable where several have it.
        """
        scope: NameScope | None = self
        while scope is not None:
            found = scope.find_here(name, table)
            if found is not None:
                return found
            if table is None and name in scope.aliases:
                return repeatable(scope.aliases[name])
            if scope.joining and scope.parent is not None:
                raise Untranslatable("a condition of a join on a name that it does not have")
            scope = scope.parent
        return None

    def find_here(self, name: str, table: str | None) -> Expression | None:
        """Return the column of a name among this SELECT's own sources."""
        if table is None and name in self.merged:
            return self.merged[name]
        found: list[Expression] = []
        for alias, relation in self.sources:
            if table is None or alias == table:
                key = key_of(relation, name)
                if key is not None:
                    found.append(("col", relation, key))
        if len(found) > 1:
            raise Untranslatable(f"ambiguous name {name}")
        return found[0] if found else None


def key_of(relation: Relation, name: str) -> str | None:
    """Return the key of a relation's column of that folded name."""
    if relation.query is None:
        return name if name in relation.facts.columns else None
    found = [key for key, facts in relation.facts.columns.items() if facts.name.casefold() == name]
    if len(found) > 1:
        raise Untranslatable(f"two columns are called {name}")
    return found[0] if found else None


def derived(query: Query, names: list[str], title: str) -> Relation:
    """Return the relation that a derived table or CTE makes of a query."""
    columns = {
        str(position): ColumnFacts(name, *facts)
        for position, (name, facts) in enumerate(zip(names, _outputs(query), strict=True))
    }
    facts = TableFacts(title, columns)
    return Relation(facts, query)


def _outputs(query: Query) -> list[tuple[str | None, bool]]:
    """Return affinity and not-null of each result column."""
    if isinstance(query, SetBlock):
        return [(None, False)] * len(_first(query).select)
    found = []
    for value in query.select:
        fixed = value[0] == "col" and not value[1].optional and value[1].column(value[2]).not_null
        fixed = fixed or value[0] in ("num", "str") or value[:2] == ("agg", "COUNT")
        found.append((affinity_of(value), bool(fixed)))
    return found


def _first(query: Query) -> SelectBlock:
    while isinstance(query, SetBlock):
        query = query.members[0]
    return query
