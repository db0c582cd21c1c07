"""The SELECTs of a syntax tree, tied to their place in the text, their sources and names.

Why not `sqlglot.optimizer.scope`: measured on 2,492 recorded queries it took 0.12 ms a query where
this takes 0.05 ms, and it would replace only the walk from SELECT to SELECT. The text of each
SELECT, the ORDER BY of set operations and SQLite's rules for names of enclosing queries, which are
most of this module, would stay.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect, NormalizationStrategy

from clausewise.sql.model import Piece, Role, Select, Source
from clausewise.sql.nodes import LEAVES, QUERIES, first_select
from clausewise.sql.outline import Outline, Region
from clausewise.sql.tokens import Tokens

_SYSTEM_TABLES = frozenset(
    {"sqlite_master", "sqlite_schema", "sqlite_temp_master", "sqlite_temp_schema"}
    | {"sqlite_sequence", "sqlite_stat1", "sqlite_stat4", "dbstat"}
)
Columns = Mapping[str, str | None]
"""Folded column name to the schema's spelling; None as spelling for computed columns."""


_FOLDING = (NormalizationStrategy.LOWERCASE, NormalizationStrategy.UPPERCASE)


class Catalog:
    """The tables that the caller knows, looked up in any case. Columns are folded on demand.

    `grammar` says whether names without quotes are written in lower or in upper case.
    """

    def __init__(
        self, tables: Mapping[str, Sequence[str]] | None, grammar: Dialect | None = None
    ) -> None:
        self.known = tables is not None
        strategy = grammar.normalization_strategy if grammar is not None else None
        self._folds = grammar if strategy in _FOLDING else None
        self._tables = tables or {}
        self._spelling = {name.casefold(): name for name in self._tables}
        self._columns: dict[str, Columns] = {}

    def name_of(self, identifier: exp.Identifier) -> str:
        """Return a name as the database knows it: PostgreSQL turns `T1` without quotes into t1."""
        if self._folds is not None and not identifier.quoted:
            return self._folds.normalize_identifier(identifier.copy()).name
        return identifier.name

    def table(self, name: str) -> str | None:
        """Return the schema's spelling of a table, or None."""
        return self._spelling.get(name.casefold())

    @staticmethod
    def is_system(name: str) -> bool:
        """Whether SQLite has a table of that name in every database."""
        return name.casefold() in _SYSTEM_TABLES

    def columns(self, table: str) -> Columns:
        """Return the columns of a table given in the schema's spelling."""
        if table not in self._columns:
            names = self._tables[table]
            self._columns[table] = {name.casefold(): name for name in names}
        return self._columns[table]


@dataclass(slots=True, eq=False)
class Entry:
    """One source as the resolution of names sees it."""

    source: Source
    folded: str
    """The alias, case-folded."""
    scope: Scope | None
    """What defines it, for derived tables and CTEs."""
    renamed: tuple[str, ...]
    """Column names given with the alias: `c(a, b)`."""
    is_table: bool
    """Written as a plain name that no CTE has: a base table, known to the schema or not."""
    call: exp.Expr | None = None
    """The call of a table-valued function: `json_each(x)`."""


@dataclass(slots=True, eq=False)
class Scope:
    """One SELECT: its node of the tree, its place in the text, its names."""

    node: exp.Select
    region: Region
    select: Select
    owner: Scope | None
    role: Role
    """As `select.role`, but a further member of a set operation has the role of the first."""
    ctes: Mapping[str, exp.CTE]
    entries: list[Entry] = field(default_factory=list)
    is_lateral: bool = False
    """In FROM after LATERAL: it sees the sources before it."""
    tails: list[exp.Expr] = field(default_factory=list)
    """Set operations around it whose ORDER BY and LIMIT are kept with this, the first member."""

    def outer(self) -> tuple[Scope | None, int]:
        """Return the next SELECT whose columns can be used here, and how many levels up it is.

        A sub-query sees the SELECT around it. A table in FROM or WITH does not see its
        neighbors, only what stands around the SELECT that it belongs to.
        """
        if self.owner is None:
            return None, 0
        if self.role is Role.SUBQUERY or self.is_lateral:
            return self.owner, 1
        scope, hops = self.owner.outer()
        return scope, hops + 1

    def tail(self, name: str) -> exp.Expr | None:
        """Return ORDER BY, LIMIT or OFFSET: its own, or that of the set operation around it."""
        for node in (self.node, *self.tails):
            found = node.args.get(name)
            if isinstance(found, exp.Expr):
                return found
        return None


@dataclass(frozen=True, slots=True)
class _Visit:
    """A node still to be looked at, with where it stands."""

    node: exp.Expr
    owner: Scope | None
    role: Role
    ctes: Mapping[str, exp.CTE]
    is_member: bool = False
    """Whether it is a further member of a set operation."""
    is_lateral: bool = False


def build_scopes(
    tree: exp.Expr, tokens: Tokens, places: Outline, catalog: Catalog
) -> tuple[list[Scope], dict[int, Scope]]:
    """Return the scopes of all SELECTs in text order, and the same by the `id` of their node.

    Sources are filled in; columns and all that hangs on them are not.
    """
    builder = _Builder(_place(tree, tokens, places), tokens)
    builder.add(tree)
    scopes = sorted(builder.by_node.values(), key=lambda scope: scope.region.first)
    for index, scope in enumerate(scopes):
        scope.select.index = index
        _add_sources(scope, builder.by_node, tokens, catalog)
    return scopes, builder.by_node


def _place(tree: exp.Expr, tokens: Tokens, places: Outline) -> dict[int, Region]:
    """Tie every SELECT node to its region: the innermost one around a leaf of its own.

    Nodes without such a leaf (`SELECT NULL`) take the regions that are left, in order.
    """
    if len(places.regions) == 1 and isinstance(tree, exp.Select):
        return {id(tree): places.regions[0]}
    placed: dict[int, Region] = {}
    waiting = []
    free = list(places.regions)
    for node in tree.find_all(exp.Select):
        if _stands_for_values(node):
            continue
        number = _own_region(node, tokens, places)
        region = places.regions[number] if number >= 0 else None
        if region is None or region not in free:
            waiting.append(node)
            continue
        free.remove(region)
        placed[id(node)] = region
    if len(waiting) != len(free):
        raise tokens.error("a SELECT that cannot be distinguished from its neighbors", 0)
    placed.update({id(node): region for node, region in zip(waiting, free, strict=True)})
    return placed


def _stands_for_values(select: exp.Select) -> bool:
    """Whether the parser made up the SELECT: in WITH it puts one around a bare VALUES."""
    from_ = select.args.get("from_")
    if from_ is None or not isinstance(from_.this, exp.Values):
        return False
    alias = from_.this.args.get("alias")
    return alias is not None and alias.name == "_values" and not alias.this.meta


def _own_region(select: exp.Select, tokens: Tokens, places: Outline) -> int:
    stack: list[exp.Expr] = [
        child for child in select.iter_expressions() if not isinstance(child, exp.With)
    ]
    while stack:
        node = stack.pop()
        if isinstance(node, LEAVES):
            token = tokens.at.get(node.meta.get("start", -1), -1)
            if token >= 0 and places.region_of[token] >= 0:
                return places.region_of[token]
        if not isinstance(node, QUERIES):
            stack.extend(node.iter_expressions())
    return -1


class _Builder:
    """Walks the tree from SELECT to SELECT."""

    def __init__(self, placed: dict[int, Region], tokens: Tokens) -> None:
        self.placed = placed
        self.tokens = tokens
        self.by_node: dict[int, Scope] = {}
        self.visits: list[_Visit] = []

    def add(self, tree: exp.Expr) -> None:
        self.visits.append(_Visit(tree, None, Role.ROOT, {}))
        while self.visits:
            visit = self.visits.pop()
            if isinstance(visit.node, (*QUERIES, exp.Subquery)):
                self._query(visit)
            elif isinstance(visit.node, exp.Join):
                self._join(visit)
            else:
                self._descend(visit.node, visit)

    def _query(self, visit: _Visit) -> None:
        """Follow the first members down to a SELECT; queue the further members and the CTEs."""
        node: exp.Expr = visit.node
        ctes = dict(visit.ctes)
        spine: list[exp.Expr] = []
        withs: list[exp.Expr | None] = []
        while not isinstance(node, exp.Select) or _stands_for_values(node):
            if not isinstance(node, (exp.Subquery, exp.SetOperation)):
                self._descend(visit.node, visit)
                return
            spine.append(node)
            withs.append(node.args.get("with_"))
            node = node.this
        withs.append(node.args.get("with_"))
        definitions = [cte for with_ in withs if with_ for cte in with_.expressions]
        ctes.update({cte.alias.casefold(): cte for cte in definitions})
        scope = self._select(node, visit, ctes)
        scope.tails = spine
        for cte in definitions:
            self.visits.append(_Visit(cte.this, scope, Role.CTE, ctes))
        for outer in spine:
            if isinstance(outer, exp.SetOperation):
                member = _Visit(
                    outer.expression, visit.owner, visit.role, ctes, True, visit.is_lateral
                )
                self.visits.append(member)
            self._queue_parts(outer, scope, ctes, ("order", "limit", "offset", "joins"))

    def _select(self, node: exp.Select, visit: _Visit, ctes: Mapping[str, exp.CTE]) -> Scope:
        region = self.placed[id(node)]
        role = Role.SET_MEMBER if visit.is_member else visit.role
        parent = visit.owner.select if visit.owner else None
        select = Select(role, 0, self.tokens.piece(region.first, region.last), parent)
        if region.set_words is not None:
            words = self.tokens.tokens[region.set_words[0] : region.set_words[1] + 1]
            select.set_operator = " ".join(word.text.upper() for word in words)
        scope = Scope(node, region, select, visit.owner, visit.role, ctes)
        scope.is_lateral = visit.is_lateral
        self.by_node[id(node)] = scope
        if len(self.placed) > 1:
            self._queue_parts(node, scope, ctes, [key for key in node.args if key != "with_"])
        return scope

    def _queue_parts(
        self, node: exp.Expr, scope: Scope, ctes: Mapping[str, exp.CTE], keys: Iterable[str]
    ) -> None:
        for key in keys:
            role = Role.DERIVED if key in ("from_", "joins", "laterals") else Role.SUBQUERY
            value = node.args.get(key)
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, exp.Expr):
                    self.visits.append(_Visit(child, scope, role, ctes))

    def _join(self, visit: _Visit) -> None:
        for key, value in visit.node.args.items():
            role = Role.DERIVED if key == "this" else Role.SUBQUERY
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, exp.Expr):
                    self.visits.append(_Visit(child, visit.owner, role, visit.ctes))

    def _descend(self, node: exp.Expr, visit: _Visit) -> None:
        for child in node.iter_expressions():
            is_lateral = visit.is_lateral or isinstance(node, exp.Lateral)
            self.visits.append(
                _Visit(child, visit.owner, visit.role, visit.ctes, is_lateral=is_lateral)
            )


def _add_sources(
    scope: Scope, by_node: Mapping[int, Scope], tokens: Tokens, catalog: Catalog
) -> None:
    nodes = list(_source_nodes(scope.node))
    slots = scope.region.sources
    for index, node in enumerate(nodes):
        if len(slots) == len(nodes):
            piece = tokens.piece(slots[index].first, slots[index].last)
        else:
            piece = _leaf_extent(node, tokens)
        scope.entries.append(_entry(node, piece, scope, by_node, catalog))
    scope.select.sources = tuple(entry.source for entry in scope.entries)


def _source_nodes(select: exp.Select) -> Iterator[exp.Expr]:
    """Yield the tables and sub-queries of FROM and its joins in text order."""
    from_ = select.args.get("from_")
    if from_ is not None:
        yield from _flatten(from_.this)
    for join in select.args.get("joins") or ():
        yield from _flatten(join.this)


def _flatten(node: exp.Expr) -> Iterator[exp.Expr]:
    inner = node.this if isinstance(node, exp.Subquery) else None
    is_group = isinstance(inner, exp.Table) or (
        isinstance(inner, exp.Subquery) and bool(inner.alias or inner.args.get("joins"))
    )
    if is_group and isinstance(inner, exp.Expr):
        yield from _flatten(inner)
    else:
        yield node
    for join in node.args.get("joins") or ():
        yield from _flatten(join.this)


def _leaf_extent(node: exp.Expr, tokens: Tokens) -> Piece:
    """Return the text from the first to the last leaf: for sources only other dialects have."""
    found = (part.meta.get("start", -1) for part in node.walk() if isinstance(part, LEAVES))
    places = [tokens.at[start] for start in found if start in tokens.at]
    if not places:
        raise tokens.error("a table in FROM that cannot be distinguished from its neighbors", 0)
    return tokens.piece(*tokens.balance(min(places), max(places)))


def _entry(
    node: exp.Expr, piece: Piece, scope: Scope, by_node: Mapping[int, Scope], catalog: Catalog
) -> Entry:
    alias_node = node.args.get("alias")
    renamed = tuple(column.name for column in alias_node.columns) if alias_node else ()
    is_named = isinstance(node, exp.Table) and isinstance(node.this, exp.Identifier)
    name = node.name if is_named else node.alias
    identifier = alias_node.this if alias_node and alias_node.this else node.this
    is_written = isinstance(identifier, exp.Identifier)
    alias = catalog.name_of(identifier) if is_written else node.alias or name
    cte = scope.ctes.get(name.casefold()) if is_named and not node.text("db") else None
    if is_named and cte is None:
        source = Source(name, alias, catalog.table(name), piece)
        return Entry(source, alias.casefold(), None, renamed, is_table=True)
    if cte is not None:
        renamed = renamed or tuple(column.name for column in cte.args["alias"].columns)
    inner = by_node.get(id(first_select(node if cte is None else cte.this)))
    source = Source(name, alias, None, piece, inner.select if inner else None)
    call = node.this if isinstance(node, exp.Table) and not is_named else None
    return Entry(source, alias.casefold(), inner, renamed, is_table=False, call=call)
