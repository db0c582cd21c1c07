"""From a syntax tree to blocks: joins, clauses and set operations.

What is not named here is refused, so that nothing is proved of a construct that nobody thought of.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from clausewise.sql.canonical.expressions import has_aggregate, relations_in, repeatable
from clausewise.sql.canonical.model import (
    Expression,
    OrderTerm,
    OuterPart,
    Query,
    Relation,
    SelectBlock,
    SetBlock,
    TableFacts,
    Untranslatable,
    width,
)
from clausewise.sql.canonical.names import NameScope, derived, key_of
from clausewise.sql.canonical.scalars import CommonTables, ScalarReader

_SELECT_PARTS = frozenset(
    {"expressions", "from_", "joins", "where", "group", "having", "order", "limit", "offset"}
    | {"distinct", "with_"}
)
_MOST_RELATIONS = 12


class QueryReader(ScalarReader):
    """Reads the queries of one statement."""

    def __init__(self, tables: Mapping[str, TableFacts], text: str) -> None:
        super().__init__(text)
        self._tables = tables
        self._count = 0
        self._limited: set[int] = set()

    def query(
        self, node: exp.Expr, scope: NameScope | None, ctes: CommonTables
    ) -> tuple[Query, list[str]]:
        """Return a query and the names of its result columns."""
        while isinstance(node, (exp.Subquery, exp.Paren)):
            _only(node, {"this", "alias", "with_"})
            ctes = self._with(node, ctes)
            node = node.this
        if isinstance(node, exp.Select):
            return self._select(node, scope, ctes)
        if isinstance(node, exp.SetOperation):
            return self._set_operation(node, scope, ctes)
        raise Untranslatable(type(node).__name__)

    @staticmethod
    def _with(node: exp.Expr, ctes: CommonTables) -> CommonTables:
        with_ = node.args.get("with_")
        if with_ is None:
            return ctes
        _only(with_, {"expressions", "recursive"})
        known = dict(ctes)
        for cte in with_.expressions:
            _only(cte, {"this", "alias"})
            # A CTE sees those before it: where its own name comes in, it is a table or an error.
            known[cte.alias.casefold()] = (cte, dict(known))
        return known

    def _set_operation(
        self, node: exp.SetOperation, scope: NameScope | None, ctes: CommonTables
    ) -> tuple[Query, list[str]]:
        _only(node, {"this", "expression", "distinct", "order", "limit", "offset", "with_"})
        ctes = self._with(node, ctes)
        left, names = self.query(node.this, scope, ctes)
        right, _ = self.query(node.expression, scope, ctes)
        if width(left) != width(right):
            raise Untranslatable("members of different widths")
        kinds = {exp.Union: "union", exp.Intersect: "intersect", exp.Except: "except"}
        operator = kinds[type(node)]
        if not node.args.get("distinct"):
            if operator != "union":
                raise Untranslatable(f"{operator} all")
            operator = "union all"
        block = SetBlock(operator, [left, right])
        folded = [name.casefold() for name in names]
        for term in _ordered(node):
            value = term.this
            if isinstance(value, exp.Literal) and value.is_int:
                place = int(value.name) - 1
            elif isinstance(value, exp.Column) and not value.table:
                name = value.name.casefold()
                if folded.count(name) != 1:
                    raise Untranslatable("ORDER BY of a set operation")
                place = folded.index(name)
            else:
                raise Untranslatable("ORDER BY of a set operation")
            if not 0 <= place < len(names):
                raise Untranslatable("ORDER BY position")
            block.order.append(_term(term, ("position", place)))
        block.limit, block.offset = _limits(node)
        return block, names

    def _select(
        self, node: exp.Select, parent: NameScope | None, ctes: CommonTables
    ) -> tuple[Query, list[str]]:
        _only(node, _SELECT_PARTS)
        ctes = self._with(node, ctes)
        block = SelectBlock()
        scope = NameScope(parent)
        self._enter(scope, ctes)
        self._from(node, block, scope, ctes)
        names = self._projections(node, block, scope)
        where = node.args.get("where")
        if where is not None:
            block.where.append(self.value(where.this))
        self._grouping(node, block)
        self._order(node, block, scope)
        distinct = node.args.get("distinct")
        if distinct is not None:
            _only(distinct, set())
            block.distinct = True
        block.limit, block.offset = _limits(node)
        values = [*block.select, *block.having, *(term.value for term in block.order)]
        block.aggregated = block.group is not None or any(map(has_aggregate, values))
        if any(has_aggregate(part) for part in (*block.where, *(block.group or ()))):
            raise Untranslatable("an aggregate in WHERE")
        if block.having and block.group is None:
            raise Untranslatable("HAVING without GROUP BY")
        self._leave()
        return block, names

    def _from(
        self, node: exp.Select, block: SelectBlock, scope: NameScope, ctes: CommonTables
    ) -> None:
        from_ = node.args.get("from_")
        joins = node.args.get("joins") or []
        if from_ is None:
            if joins:
                raise Untranslatable("a join without FROM")
            return
        alias, relation = self._relation(from_.this, scope, ctes)
        block.inner.append(relation)
        scope.sources.append((alias, relation))
        read = [self._joined(join, scope, ctes) for join in joins]
        folded = [alias for alias, _ in scope.sources]
        if len(set(folded)) < len(folded):
            raise Untranslatable("one alias for two tables")
        # SQLite lets ON name any table of FROM, so conditions are read when all are known.
        later = {other for other, _ in read}
        scope.joining = True
        for join, (other, conditions) in zip(joins, read, strict=True):
            later.discard(other)
            on = join.args.get("on")
            if on is not None:
                conditions.append(self.value(on))
            if any(relations_in(condition) & later for condition in conditions):
                raise Untranslatable("a condition on a table that comes later")
            self._add(join.side, other, conditions, block)
        scope.joining = False
        if scope.merged and any(join.side == "RIGHT" for join in joins):
            raise Untranslatable("RIGHT JOIN with USING")

    def _joined(
        self, join: exp.Join, scope: NameScope, ctes: CommonTables
    ) -> tuple[Relation, list[Expression]]:
        """Return the table of a join and the conditions that USING or NATURAL set."""
        _only(join, {"this", "side", "kind", "on", "using", "method"})
        if join.kind not in ("", "INNER", "CROSS", "OUTER") or join.method not in ("", "NATURAL"):
            raise Untranslatable("join")
        alias, relation = self._relation(join.this, scope, ctes)
        conditions = self._shared_columns(join, list(scope.sources), relation, scope)
        scope.sources.append((alias, relation))
        return relation, conditions

    @staticmethod
    def _add(
        side: str, relation: Relation, conditions: list[Expression], block: SelectBlock
    ) -> None:
        if any(map(has_aggregate, conditions)):
            raise Untranslatable("an aggregate in ON")
        if side == "":
            block.inner.append(relation)
            block.where += conditions
        elif side == "LEFT":
            relation.optional = True
            block.outer.append(OuterPart([relation], conditions))
        elif side == "RIGHT" and not block.outer:
            part = OuterPart(block.inner, [*block.where, *conditions])
            for other in part.relations:
                other.optional = True
            block.inner, block.where, block.outer = [relation], [], [part]
        else:
            raise Untranslatable(f"{side} JOIN")

    @staticmethod
    def _shared_columns(
        join: exp.Join, before: list[tuple[str, Relation]], relation: Relation, scope: NameScope
    ) -> list[Expression]:
        """Return the conditions of USING or NATURAL; the left column is the one of that name."""
        using = [part.name.casefold() for part in join.args.get("using") or ()]
        if join.method == "NATURAL":
            taken = {f.name.casefold() for _, other in before for f in other.facts.columns.values()}
            own = [facts.name.casefold() for facts in relation.facts.columns.values()]
            using = [name for name in own if name in taken]
        conditions: list[Expression] = []
        for name in using:
            left = scope.find_here(name, None)
            key = key_of(relation, name)
            if left is None or key is None:
                raise Untranslatable("USING without such a column")
            conditions.append(("cmp", "=", left, ("col", relation, key)))
            scope.merged[name] = left
            scope.hidden.add((id(relation), key))
        return conditions

    def _relation(
        self, node: exp.Expr, scope: NameScope, ctes: CommonTables
    ) -> tuple[str, Relation]:
        self._count += 1
        if self._count > _MOST_RELATIONS:
            raise Untranslatable("many tables")
        alias_node = node.args.get("alias")
        if isinstance(node, exp.Subquery):
            _only(node, {"this", "alias"})
            query, names = self.query(node.this, scope.parent, ctes)
            names = _renamed(names, alias_node)
            return node.alias.casefold(), derived(query, names, node.alias or "subquery")
        if not isinstance(node, exp.Table) or not isinstance(node.this, exp.Identifier):
            raise Untranslatable(type(node).__name__)
        _only(node, {"this", "alias"})
        name = node.name.casefold()
        alias = (node.alias or node.name).casefold()
        if name in ctes:
            cte, visible = ctes[name]
            query, names = self.query(cte.this, None, visible)
            if cte.find(exp.Limit) is not None:
                if id(cte) in self._limited:
                    raise Untranslatable("rows that LIMIT chose, named twice")
                self._limited.add(id(cte))
            names = _renamed(_renamed(names, cte.args.get("alias")), alias_node)
            return alias, derived(query, names, node.name)
        if name not in self._tables or (alias_node is not None and alias_node.columns):
            raise Untranslatable(f"no table {node.name}")
        return alias, Relation(self._tables[name])

    def _projections(self, node: exp.Select, block: SelectBlock, scope: NameScope) -> list[str]:
        names: list[str] = []
        aliases: dict[str, Expression] = {}
        for item in node.expressions:
            if item.is_star:
                table = item.args.get("table") if isinstance(item, exp.Column) else None
                wanted = None if table is None else table.name.casefold()
                star = item.this if isinstance(item, exp.Column) else item
                _only(star, set())
                self._star(wanted, block, scope, names)
                continue
            value = self.value(item.this if isinstance(item, exp.Alias) else item)
            block.select.append(value)
            names.append(item.alias_or_name)
            if isinstance(item, exp.Alias):
                aliases.setdefault(item.alias.casefold(), value)
        scope.aliases = aliases
        if not block.select:
            raise Untranslatable("no columns")
        return names

    @staticmethod
    def _star(wanted: str | None, block: SelectBlock, scope: NameScope, names: list[str]) -> None:
        found = False
        for alias, relation in scope.sources:
            if wanted is not None and alias != wanted:
                continue
            found = True
            for key, facts in relation.facts.columns.items():
                if wanted is None and (id(relation), key) in scope.hidden:
                    continue
                block.select.append(("col", relation, key))
                names.append(facts.name)
        if not found:
            raise Untranslatable("* without a table")

    def _grouping(self, node: exp.Select, block: SelectBlock) -> None:
        group = node.args.get("group")
        if group is not None:
            _only(group, {"expressions"})
            block.group = [self._by_position(part, block) for part in group.expressions]
        having = node.args.get("having")
        if having is not None:
            block.having.append(self.value(having.this))

    def _by_position(self, node: exp.Expr, block: SelectBlock) -> Expression:
        if isinstance(node, exp.Literal) and node.is_int:
            place = int(node.name) - 1
            if not 0 <= place < len(block.select):
                raise Untranslatable("position")
            return repeatable(block.select[place])
        if isinstance(node, exp.Literal) and node.is_string:
            raise Untranslatable("a text that may be an alias")
        return self.value(node)

    def _order(self, node: exp.Select, block: SelectBlock, scope: NameScope) -> None:
        for term in _ordered(node):
            value = term.this
            # Unlike elsewhere, an alias goes before a column of that name.
            if isinstance(value, exp.Column) and not value.table:
                alias = scope.aliases.get(value.name.casefold())
                if alias is not None:
                    block.order.append(_term(term, repeatable(alias)))
                    continue
            block.order.append(_term(term, self._by_position(value, block)))


def _only(node: exp.Expr, known: set[str] | frozenset[str]) -> None:
    """Raise Untranslatable where a node has a part that is not known."""
    for key, value in node.args.items():
        if value and key not in known:
            raise Untranslatable(f"{type(node).__name__} with {key}")


def _ordered(node: exp.Expr) -> list[exp.Ordered]:
    order = node.args.get("order")
    if order is None:
        return []
    _only(order, {"expressions"})
    for term in order.expressions:
        if not isinstance(term, exp.Ordered):
            raise Untranslatable("ORDER BY")
        _only(term, {"this", "desc", "nulls_first"})
    return list(order.expressions)


def _term(node: exp.Ordered, value: Expression) -> OrderTerm:
    return OrderTerm(value, bool(node.args.get("desc")), bool(node.args.get("nulls_first")))


def _limits(node: exp.Expr) -> tuple[int | None, int]:
    found: list[int | None] = []
    for key in ("limit", "offset"):
        part = node.args.get(key)
        if part is None:
            found.append(None)
            continue
        _only(part, {"expression"})
        number = part.expression
        if not isinstance(number, exp.Literal) or not number.is_int:
            raise Untranslatable(key)
        found.append(int(number.name))
    return found[0], found[1] or 0


def _renamed(names: list[str], alias: exp.Expr | None) -> list[str]:
    given = [column.name for column in alias.args.get("columns") or ()] if alias else []
    return [*given, *names[len(given) :]]
