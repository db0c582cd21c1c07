"""Fills a Select: its clauses, and in each of them the items with their facts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sqlglot import TokenType, exp

from clausewise.sql.facts import FactFinder, columns_in
from clausewise.sql.joins import attach_joins, joins_of, natural_pairs, using_pairs
from clausewise.sql.mentions import Mentions, Window
from clausewise.sql.model import (
    Aggregate,
    ColumnUse,
    Conjunct,
    Literal,
    OrderItem,
    Piece,
    Predicate,
    Projection,
    Source,
    UnknownName,
)
from clausewise.sql.nodes import is_aggregate, unwrap
from clausewise.sql.resolution import Names, projection_ranges
from clausewise.sql.scopes import Scope
from clausewise.sql.tokens import Tokens
from clausewise.types import Clause, ClauseSpan

_OFFSET_ENDS = (TokenType.ROW, TokenType.ROWS, TokenType.LIMIT, TokenType.FETCH)
_ORDER_WORDS = frozenset({TokenType.ASC, TokenType.DESC})


class SelectFiller:
    """Fills one Select from its scope."""

    def __init__(
        self, scope: Scope, by_node: dict[int, Scope], tokens: Tokens, names: Names
    ) -> None:
        self.scope = scope
        self.region = scope.region
        self.node = scope.node
        self.tokens = tokens
        self.names = names
        self.mentions = Mentions(scope, tokens, names)
        self.finder = FactFinder(self.mentions, by_node)
        self.projection_ranges = projection_ranges(scope, tokens)
        self.group_nodes: list[exp.Expr] = []
        self.group_ranges: list[Window] = []
        self.order_nodes: list[exp.Expr] = []
        self.order_ranges: list[Window] = []

    def fill(self) -> list[UnknownName]:
        """Fill the Select and return the names in it that the schema does not know."""
        self._note_aliases()
        self._walk_all()
        using = using_pairs(self.scope, self.tokens, self.names)
        for pair in using:
            self.mentions.columns.extend((pair.left, pair.right))
        natural = natural_pairs(self.scope, self.tokens, self.names)
        self.finder.predicates.join_pairs.extend((*using, *natural))
        self.finder.sort()
        select = self.scope.select
        select.clauses = tuple(
            self.tokens.span(slot.kind, slot.first, slot.last)
            for slot in self.region.slots
            if slot.kind is not Clause.QUERY
        )
        select.columns = tuple(self.mentions.columns)
        select.literals = tuple(self.mentions.literals)
        select.comparisons = tuple(self.finder.predicates.comparisons)
        select.subquery_filters = tuple(self.finder.predicates.subquery_filters)
        select.aggregates = tuple(self.finder.aggregates)
        select.join_pairs = tuple(self.finder.predicates.join_pairs)
        select.outer_pairs = tuple(self.finder.predicates.outer_pairs)
        select.self_pairs = tuple(self.finder.predicates.self_pairs)
        distinct = self.node.args.get("distinct")
        select.distinct = distinct is not None
        select.picks_rows = self.node.args.get("qualify") is not None or (
            distinct is not None and distinct.args.get("on") is not None
        )
        select.projections = tuple(self._projections())
        select.conjuncts = tuple(self._conjuncts())
        select.group_by = tuple(self.tokens.piece(*part) for part in self.group_ranges)
        select.group_columns = tuple(self._group_columns())
        select.grouped_projections = tuple(self._grouped_projections())
        select.order_by = tuple(self._order_items())
        select.limit = self._limit()
        select.offset = self._offset()
        attach_joins(self.scope, self.tokens, select.join_pairs)
        return self.mentions.unknown

    # --- walking

    def _note_aliases(self) -> None:
        for node in self.node.expressions:
            if isinstance(node, exp.Alias):
                self.mentions.aliases.setdefault(node.alias.casefold(), unwrap(node.this))

    def _walk_all(self) -> None:
        for node, part in zip(self.node.expressions, self.projection_ranges, strict=True):
            self.finder.walk(_unalias(node), Clause.SELECT, self._expression_range(node, part))
        whole = self.region.first, self.region.last
        for entry in self.scope.entries:
            if entry.call is not None:
                self.finder.walk(entry.call, Clause.FROM, whole)
        for join in joins_of(self.node):
            on = join.args.get("on")
            if on is not None:
                self.finder.walk(on, Clause.JOIN, self._condition_range(on) or whole)
        for name, kind in (("where", Clause.WHERE), ("having", Clause.HAVING)):
            slot, condition = self.region.slot(kind), self.node.args.get(name)
            if slot is not None and condition is not None:
                self.finder.walk(condition.this, kind, (slot.body, slot.last))
        self._walk_lists()
        distinct, qualify = self.node.args.get("distinct"), self.node.args.get("qualify")
        if distinct is not None and distinct.args.get("on") is not None:
            self.finder.walk(distinct.args["on"], Clause.SELECT, whole)
        for part in (*(self.node.args.get("windows") or ()), *([qualify] if qualify else [])):
            self.finder.walk(part, Clause.QUERY, whole)

    def _walk_lists(self) -> None:
        group, order = self.node.args.get("group"), self.scope.tail("order")
        self.group_nodes, self.group_ranges = self._items(group, Clause.GROUP_BY)
        self.order_nodes, self.order_ranges = self._items(order, Clause.ORDER_BY)
        for node, part in zip(self.group_nodes, self.group_ranges, strict=True):
            self.finder.walk(node, Clause.GROUP_BY, part)
        for node, part in zip(self.order_nodes, self.order_ranges, strict=True):
            if not self._is_alias(node.this):
                self.finder.walk(node.this, Clause.ORDER_BY, self._key_range(*part))
        slot = self.region.slot(Clause.LIMIT)
        for name in ("limit", "offset"):
            amount = self.scope.tail(name)
            if amount is not None and slot is not None:
                self.mentions.compared[id(_amount(amount))] = name.upper()
                self.finder.walk(amount, Clause.LIMIT, (slot.body, slot.last))

    def _items(self, node: exp.Expr | None, kind: Clause) -> tuple[list[exp.Expr], list[Window]]:
        """Return the items of GROUP BY or ORDER BY, each with its tokens."""
        slot = self.region.slot(kind)
        if node is None or slot is None:
            return [], []
        if node.args.get("all") is True and not node.expressions:
            return self._grouped_by_all()
        ranges = self.tokens.split(slot.body, slot.last, TokenType.COMMA)
        if len(ranges) != len(node.expressions):
            raise self.tokens.error(f"an empty place in {kind.value.replace('_', ' ')}", slot.first)
        return node.expressions, ranges

    def _grouped_by_all(self) -> tuple[list[exp.Expr], list[Window]]:
        """Return what GROUP BY ALL stands for: the selected expressions without an aggregate."""
        pairs = zip(self.node.expressions, self.projection_ranges, strict=True)
        kept = [
            (_unalias(node), self._expression_range(node, part))
            for node, part in pairs
            if not any(is_aggregate(inner) for inner in node.walk())
        ]
        return [node for node, _ in kept], [part for _, part in kept]

    def _condition_range(self, node: exp.Expr) -> Window | None:
        """Return the tokens of the ON condition that holds a leaf of the node."""
        for part in node.walk():
            token = self.tokens.at.get(part.meta_get("start", -1), -1)
            for slot in self.region.slots if token >= 0 else ():
                if 0 <= slot.condition < token <= slot.last:
                    return slot.condition + 1, slot.last
        return None

    # --- items

    def _expression_range(self, node: exp.Expr, part: Window) -> Window:
        """Return a selected expression's tokens without its alias."""
        first, last = part
        if not isinstance(node, exp.Alias):
            return part
        last -= 1
        return first, last - (self.tokens.kinds[last] is TokenType.ALIAS)

    def _projections(self) -> list[Projection]:
        found = []
        for node, part in zip(self.node.expressions, self.projection_ranges, strict=True):
            inner = unwrap(_unalias(node))
            piece = self.tokens.piece(*part)
            column = None
            if isinstance(inner, exp.Column) and not inner.is_star:
                use = self.mentions.known(inner)
                column = use if isinstance(use, ColumnUse) else None
            is_star = inner.is_star and not isinstance(inner, exp.Count)
            found.append(
                Projection(
                    piece,
                    self.tokens.piece(*self._expression_range(node, part)),
                    node.alias if isinstance(node, exp.Alias) else None,
                    column,
                    is_star,
                    self._star_source(inner, piece) if is_star else None,
                    _holds(self.finder.aggregates, piece),
                    columns_in(self.mentions.columns, piece),
                    self._whole_aggregate(inner, piece),
                )
            )
        return found

    def _whole_aggregate(self, node: exp.Expr, piece: Piece) -> Aggregate | None:
        """Return the aggregate that a selected expression is: the first to begin in its text."""
        if not is_aggregate(node):
            return None
        found = (a for a in self.finder.aggregates if piece.start <= a.piece.start < piece.end)
        return next(found, None)

    def _star_source(self, node: exp.Expr, piece: Piece) -> Source | None:
        qualifier = node.text("table") if isinstance(node, exp.Column) else ""
        if not qualifier:
            return None
        for source in self.scope.select.sources:
            if source.alias.casefold() == qualifier.casefold():
                return source
        if self.names.catalog.known:
            span = ClauseSpan(Clause.SELECT, piece.text, piece.start, piece.end)
            self.mentions.unknown.append(UnknownName("*", qualifier, span))
        return None

    def _conjuncts(self) -> list[Conjunct]:
        found = []
        for slot in self.region.slots:
            body = slot.body
            if slot.kind is Clause.JOIN:
                if slot.condition < 0 or self.tokens.kinds[slot.condition] is TokenType.USING:
                    continue
                body = slot.condition + 1
            elif slot.kind not in (Clause.WHERE, Clause.HAVING):
                continue
            for first, last in self.tokens.conjuncts(body, slot.last):
                piece = self.tokens.piece(first, last)
                has_query = bool(self.tokens.find((TokenType.SELECT,), first, last))
                columns = columns_in(self.mentions.columns, piece)
                found.append(
                    Conjunct(
                        piece,
                        slot.kind,
                        has_query,
                        columns,
                        self._whole_predicate(first, last),
                        self._bare_condition(first, last, columns),
                    )
                )
        return found

    def _whole_predicate(self, first: int, last: int) -> Predicate | None:
        """Return the predicate that a condition is as a whole, brackets around it aside."""
        first, last = self.tokens.without_brackets(first, last)
        return self.finder.predicates.at(self.tokens.starts[first], self.tokens.ends[last])

    def _bare_condition(
        self, first: int, last: int, columns: tuple[ColumnUse, ...]
    ) -> ColumnUse | None:
        """Return the column that a condition is, NOT and brackets aside."""
        if len(columns) != 1:
            return None
        first, last = self.tokens.without_brackets(first, last)
        while first < last and self.tokens.kinds[first] is TokenType.NOT:
            first, last = self.tokens.without_brackets(first + 1, last)
        place = self.tokens.starts[first], self.tokens.ends[last]
        return columns[0] if (columns[0].piece.start, columns[0].piece.end) == place else None

    def _group_columns(self) -> list[ColumnUse]:
        columns = (self._key_column(unwrap(node)) for node in self.group_nodes)
        return [column for column in columns if column is not None]

    def _grouped_projections(self) -> Iterator[Projection]:
        """Yield the selected expressions that are grouped by, in the order of SELECT."""
        if not self.group_nodes:
            return
        named = [self._key_projection(unwrap(node)) for node in self.group_nodes]
        written = {self._words(*part) for part in self.group_ranges}
        shown = zip(
            self.scope.select.projections,
            self.node.expressions,
            self.projection_ranges,
            strict=True,
        )
        for projection, node, part in shown:
            again = self._words(*self._expression_range(node, part)) in written
            if again or any(projection is key for key in named):
                yield projection

    def _words(self, first: int, last: int) -> tuple[str, ...]:
        """Return what a stretch says, whatever its white space, comments and case."""
        tokens = self.tokens.tokens[first : last + 1]
        return tuple(
            f"'{token.text}" if token.token_type is TokenType.STRING else token.text.casefold()
            for token in tokens
        )

    def _is_alias(self, node: exp.Expr) -> bool:
        """Whether an ORDER BY key is the alias of a selected expression and nothing else."""
        return (
            isinstance(node, exp.Column)
            and not node.text("table")
            and node.name.casefold() in self.mentions.aliases
        )

    def _key_projection(self, node: exp.Expr) -> Projection | None:
        """Return what a key names by its position or alias."""
        projections = self.scope.select.projections
        if isinstance(node, exp.Literal) and not node.is_string and node.name.isdecimal():
            number = int(node.name)
            stars = any(projection.star for projection in projections[:number])
            return projections[number - 1] if 0 < number <= len(projections) and not stars else None
        if isinstance(node, exp.Column) and not node.text("table"):
            name = node.name.casefold()
            named = (p for p in projections if p.alias is not None and p.alias.casefold() == name)
            return next(named, None)
        return None

    def _key_column(self, node: exp.Expr) -> ColumnUse | None:
        use = self.mentions.known(node) if isinstance(node, exp.Column) else None
        if isinstance(use, ColumnUse):
            return use
        projection = self._key_projection(node)
        return projection.column if projection is not None else None

    def _key_range(self, first: int, last: int) -> Window:
        """Return the tokens of an ORDER BY key without ASC, DESC and NULLS FIRST or LAST."""
        if last - 1 > first and self.tokens.tokens[last - 1].text.upper() == "NULLS":
            last -= 2
        if last > first and self.tokens.kinds[last] in _ORDER_WORDS:
            last -= 1
        return first, last

    def _order_items(self) -> list[OrderItem]:
        found = []
        for node, part in zip(self.order_nodes, self.order_ranges, strict=True):
            key = unwrap(node.this)
            piece = self.tokens.piece(*part)
            projection = self._key_projection(key)
            has_aggregate = _holds(self.finder.aggregates, piece)
            if projection is not None and self.mentions.known(key) is None:
                has_aggregate = projection.has_aggregate
            found.append(
                OrderItem(
                    piece,
                    self.tokens.piece(*self._key_range(*part)),
                    self._key_column(key),
                    bool(node.args.get("desc")),
                    has_aggregate,
                    projection,
                    [token.text.upper() for token in self.tokens.tokens[part[1] - 1 : part[1] + 1]]
                    == ["NULLS", "LAST"],
                )
            )
        return found

    def _limit(self) -> int | None:
        node = self.scope.tail("limit")
        if node is None:
            return None
        amount = _amount(node)
        if amount is None:
            return 1 if isinstance(node, exp.Fetch) else None  # FETCH FIRST ROW ONLY
        count = self.mentions.known(amount)
        value = count.value if isinstance(count, Literal) else None
        return value if isinstance(value, int) else None

    def _offset(self) -> Piece | None:
        slot = self.region.slot(Clause.LIMIT)
        if slot is None or self.scope.tail("offset") is None:
            return None
        parts = self.tokens.split(slot.body, slot.last, TokenType.COMMA)
        if len(parts) > 1:
            return self.tokens.piece(*parts[0])
        parts = self.tokens.split(slot.first, slot.last, TokenType.OFFSET)
        if len(parts) == 1:
            return None
        first, last = parts[1]
        for end in _OFFSET_ENDS:
            first, last = self.tokens.split(first, last, end)[0]
        return self.tokens.piece(first, last)


def _amount(node: exp.Expr) -> exp.Expr | None:
    """Return what stands after LIMIT, OFFSET or FETCH FIRST, None where nothing does."""
    found = node.args.get("expression") or node.args.get("count")
    return unwrap(found) if isinstance(found, exp.Expr) else None


def _unalias(node: exp.Expr) -> exp.Expr:
    return node.this if isinstance(node, exp.Alias) else node


def _holds(aggregates: Iterable[Aggregate], piece: Piece) -> bool:
    return any(
        piece.start <= aggregate.piece.start and aggregate.piece.end <= piece.end
        for aggregate in aggregates
    )
