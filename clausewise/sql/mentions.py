"""Columns and constants as they are mentioned in one SELECT."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sqlglot import TokenType, exp

from clausewise.sql.model import ColumnUse, Literal, Piece, Source, UnknownName
from clausewise.sql.resolution import Binding, Names
from clausewise.sql.scopes import Scope
from clausewise.sql.tokens import Tokens
from clausewise.types import Clause, ClauseSpan

Window = tuple[int, int]
"""First and last token of the place in which an expression stands."""

_MARKED_TEXTS = (exp.ByteString, exp.National, exp.RawString)
_MARKED_TOKENS = frozenset(
    {TokenType.BYTE_STRING, TokenType.HEREDOC_STRING, TokenType.NATIONAL_STRING}
    | {TokenType.RAW_STRING}
)
_NULL_WORDS = frozenset({TokenType.NULL, TokenType.ISNULL, TokenType.NOTNULL})
_TRUTH_WORDS = {True: frozenset({TokenType.TRUE}), False: frozenset({TokenType.FALSE})}
_OWN_ONLY = frozenset({Clause.GROUP_BY, Clause.ORDER_BY})
"""Clauses in which SQLite does not see the columns of enclosing SELECTs."""


@dataclass(slots=True)
class Place:
    """What is known about the place of a node while walking down to it. Never changed."""

    clause: Clause
    window: Window
    in_aggregate: bool = False
    is_predicate: bool = True
    """Whether a comparison here reaches to the next AND, comma or bracket."""
    nots: int = 0
    """NOTs that apply to this very node."""
    in_negated_group: bool = False

    def within(self, window: Window) -> Place:
        """Return the same place narrowed to a predicate's own tokens."""
        return Place(self.clause, window, self.in_aggregate)

    def operand(self) -> Place:
        """Return the place of an operand: neighbors do not identify a comparison there."""
        return Place(self.clause, self.window, self.in_aggregate, is_predicate=False)

    def aggregated(self) -> Place:
        """Return the place of an aggregate function's arguments."""
        return Place(self.clause, self.window, in_aggregate=True)


class Mentions:
    """Takes down every column and constant of one SELECT, each node once."""

    def __init__(self, scope: Scope, tokens: Tokens, names: Names) -> None:
        self.scope = scope
        self.tokens = tokens
        self.names = names
        self.sqlite = tokens.dialect == "sqlite"
        self.duckdb = tokens.dialect == "duckdb"
        self.aliases: dict[str, exp.Expr] = {}
        """Folded alias of a selected expression to its node."""
        self.columns: list[ColumnUse] = []
        self.literals: list[Literal] = []
        self.unknown: list[UnknownName] = []
        self.compared: dict[int, str] = {}
        """The `id` of a constant's node to what it is compared by."""
        self._noted: dict[int, ColumnUse | Literal | None] = {}
        self._bound: dict[int, Binding | None] = {}
        self._claimed: set[int] = set()
        self._searched: dict[tuple[str, Window], int] = {}

    def known(self, node: exp.Expr | None) -> ColumnUse | Literal | None:
        """Return what was noted for a node, None where nothing was."""
        return self._noted.get(id(node))

    def claim(self, what: str, window: Window, matches: Callable[[int], bool]) -> int:
        """Take the next token in `window` that matches, for a node without a position.

        Returns -1 where there is none that no other node has. Each window is searched once for
        each `what`, however many nodes ask.
        """
        key = what, window
        for token in range(self._searched.get(key, window[0]), window[1] + 1):
            if matches(token) and token not in self._claimed:
                self._claimed.add(token)
                self._searched[key] = token + 1
                return token
        self._searched[key] = window[1] + 1
        return -1

    def column(
        self, node: exp.Column, place: Place, in_join: bool = False
    ) -> ColumnUse | Literal | None:
        """Return the use of a column.

        A Literal where SQLite reads a double-quoted name as text; None for `t.*` and for an
        alias of an expression. A name that means nothing is noted as unknown.
        """
        key = id(node)
        if key not in self._noted:
            self._noted[key] = self._column(node, place, in_join)
        return self._noted[key]

    def _column(self, node: exp.Column, place: Place, in_join: bool) -> ColumnUse | Literal | None:
        piece = self._column_piece(node)
        if piece is None:
            return None
        name, qualifier = node.name, node.text("table") or None
        is_quoted = self.tokens.text[piece.start] == '"'
        binding = self.bind(node, place.clause)
        if binding is None:
            if qualifier is None and self._sees_alias(name, place.clause):
                return None
            if is_quoted and qualifier is None and self.sqlite:
                literal = Literal(name, piece, place.clause, is_double_quoted=True)
                self.literals.append(literal)
                return literal
            self._note_unknown(name, qualifier, piece, place.clause)
            binding = Binding(None, None, None, 0)
        use = ColumnUse(
            name=name,
            qualifier=qualifier,
            clause=place.clause,
            piece=piece,
            table=binding.table,
            column=binding.column,
            source=binding.source,
            depth=binding.depth,
            in_join_condition=in_join,
            in_aggregate=place.in_aggregate,
            quoted_with_double_quotes=is_quoted,
        )
        self.columns.append(use)
        return use

    def _note_unknown(self, name: str, qualifier: str | None, piece: Piece, clause: Clause) -> None:
        # The keys of a set operation may also name result columns of its further members.
        members = (node for node in self.scope.tails if isinstance(node, exp.SetOperation))
        is_shared_key = clause is Clause.ORDER_BY and any(members)
        if self.names.catalog.known and not is_shared_key:
            span = ClauseSpan(clause, piece.text, piece.start, piece.end)
            self.unknown.append(UnknownName(name, qualifier, span))

    def _column_piece(self, node: exp.Column) -> Piece | None:
        """Return the text from the first qualifier to the name, None for `t.*`."""
        starts = [start for part in node.parts if (start := part.meta_get("start", -1)) >= 0]
        if not starts or node.is_star:
            return None
        last = self.tokens.at[starts[-1]]
        return self.tokens.piece(self.tokens.at[starts[0]], last)

    def bind(self, node: exp.Column, clause: Clause) -> Binding | None:
        """Return what a column name means here, None where it is no column at all.

        Aliases of bare columns are seen everywhere but in SELECT, where no own column has the
        name.
        """
        key = id(node)
        if key not in self._bound:
            self._bound[key] = None  # what aliases that name each other see
            self._bound[key] = self._bind(node, clause)
        return self._bound[key]

    def _bind(self, node: exp.Column, clause: Clause) -> Binding | None:
        name, qualifier = node.name, node.text("table") or None
        outwards = not (self.sqlite and clause in _OWN_ONLY)
        found = self.names.find(self.scope, name, qualifier, outwards)
        if found is None and qualifier is not None and self.duckdb:
            # a field of a struct: `address.city`
            found = self.names.find(self.scope, node.parts[0].name, None, outwards)
        if qualifier is not None or not self._sees_alias(name, clause):
            return found
        if found is not None and found.depth == 0:
            return found
        target = self.aliases[name.casefold()]
        return self.bind(target, Clause.SELECT) if isinstance(target, exp.Column) else None

    def own_source(self, node: exp.Column, clause: Clause) -> Source | None:
        """Return the source that a column comes from where it is one of this SELECT."""
        binding = self.bind(node, clause)
        return binding.source if binding is not None and binding.depth == 0 else None

    def _sees_alias(self, name: str, clause: Clause) -> bool:
        return (clause is not Clause.SELECT or self.duckdb) and name.casefold() in self.aliases

    def constant(self, node: exp.Expr, place: Place) -> Literal | None:
        """Return a constant; None where the node is something else."""
        key = id(node)
        if key not in self._noted:
            found = self._constant(node, place)
            if found is None:
                return None
            self._noted[key] = found
            self.literals.append(found)
        known = self._noted[key]
        return known if isinstance(known, Literal) else None

    def _constant(self, node: exp.Expr, place: Place) -> Literal | None:
        if isinstance(node, exp.Null):
            return self._word(node, None, _NULL_WORDS, place)
        if isinstance(node, exp.Boolean):
            return self._word(node, bool(node.this), _TRUTH_WORDS[bool(node.this)], place)
        if isinstance(node, _MARKED_TEXTS):
            return self._marked_text(node, place)
        inner: exp.Expr = node.this if isinstance(node, exp.Neg) else node
        if not isinstance(inner, exp.Literal) or (inner.is_string and inner is not node):
            return None
        first = last = self.tokens.at.get(inner.meta_get("start", -1), -1)
        if first < 0:
            first, last = self._leading_dot(place)
        if first < 0:
            return None
        value = inner.name if inner.is_string else _number(inner.name)
        if inner is not node and not isinstance(value, str):
            value, first = -value, first - 1
        operator = self.compared.get(id(node), "")
        return Literal(value, self.tokens.piece(first, last), place.clause, operator)

    def _marked_text(self, node: exp.Expr, place: Place) -> Literal | None:
        """Return a text like `E'a'`, `N'a'` or `$$a$$`, which has no position in the tree."""
        tokens = self.tokens.tokens

        def matches(token: int) -> bool:
            is_marked = tokens[token].token_type in _MARKED_TOKENS
            return is_marked and tokens[token].text == node.name

        token = self.claim(f"text {node.name}", place.window, matches)
        if token < 0:
            return None
        operator = self.compared.get(id(node), "")
        return Literal(node.name, self.tokens.piece(token, token), place.clause, operator)

    def _leading_dot(self, place: Place) -> Window:
        """Find a number like `.5`, which is two tokens and has no position in the tree."""
        tokens = self.tokens

        def matches(token: int) -> bool:
            pair = tokens.kinds[token : token + 2]
            is_number = pair == [TokenType.DOT, TokenType.NUMBER]
            return is_number and tokens.ends[token] == tokens.starts[token + 1]

        token = self.claim("number", place.window, matches)
        return token, token + (token >= 0)

    def _word(
        self, node: exp.Expr, value: bool | None, words: frozenset[TokenType], place: Place
    ) -> Literal | None:
        kinds = self.tokens.kinds
        token = self.claim(f"word {value}", place.window, lambda index: kinds[index] in words)
        if token < 0:
            return None
        operator = self.compared.get(id(node), "")
        return Literal(value, self.tokens.piece(token, token), place.clause, operator)


def _number(text: str) -> int | float:
    """Read a number as SQLite does: integers beyond 64 bits become floating point."""
    try:
        value = int(text)
    except ValueError:
        return float(text)
    return value if -(2**63) <= value < 2**63 else float(value)
