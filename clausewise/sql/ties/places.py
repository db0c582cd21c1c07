"""Where the SELECTs of a query stand: their whole text, their rows' width, what they stand in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from clausewise.sql.model import ColumnUse, Join, Piece, Query, Role, Select, Source
from clausewise.text import quote_name
from clausewise.types import Clause, ClauseSpan

_QUOTED = r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]"""
_TOKEN = re.compile(rf"--[^\n]*|/\*.*?(?:\*/|\Z)|{_QUOTED}|\w+|\s+|.", re.DOTALL)
_OPENING = re.compile(r"[\s(]*")


class Places:
    """The SELECTs of one query with the texts that statements are put together from."""

    def __init__(self, query: Query, tables: Mapping[str, Sequence[str]]) -> None:
        self.query = query
        self._tables = tables
        self._members: dict[int, list[Select]] = {}
        self._heads: dict[int, Select] = {}
        last: dict[int, Select] = {}
        for select in query.selects:
            parent = -1 if select.parent is None else select.parent.index
            if select.role is Role.SET_MEMBER:
                head = last[parent]
            else:
                head = last[parent] = select
            self._heads[select.index] = head
            self._members.setdefault(head.index, []).append(select)

    def members(self, head: Select) -> Sequence[Select]:
        """Return the SELECTs of a set operation by its first one, or that one alone."""
        return self._members[head.index]

    def head(self, select: Select) -> Select:
        """Return the first SELECT of the set operation that one belongs to, or that one itself."""
        return self._heads[select.index]

    def core(self, head: Select) -> str:
        """Return a query's text without ORDER BY and LIMIT."""
        return self.query.text[head.piece.start : self._core_end(head)]

    def keys(self, head: Select) -> str:
        """Return a query's ORDER BY, or nothing where it has none."""
        clause = head.clause(Clause.ORDER_BY)
        return "" if clause is None else clause.text

    def limit(self, head: Select) -> str:
        """Return a query's LIMIT with its OFFSET, or nothing where it has none."""
        clause = head.clause(Clause.LIMIT)
        return "" if clause is None else clause.text

    def width(self, select: Select) -> int | None:
        """Return the number of columns that a SELECT gives, None where that cannot be said."""
        count = 0
        for projection in select.projections:
            if not projection.star:
                count += 1
                continue
            names = self.star_columns(select, projection.star_source)
            if names is None:
                return None
            count += len(names)
        return count

    def star_columns(self, select: Select, source: Source | None) -> list[str] | None:
        """Return what `*` or `t.*` stands for, quoted; None where that cannot be said."""
        # NATURAL and USING make one column of two; ON names both.
        if source is None and any(_merges_columns(part.join) for part in select.sources):
            return None
        found: list[str] = []
        for part in select.sources if source is None else [source]:
            if part.table is not None and part.table in self._tables:
                alias = quote_name(part.alias)
                found += [f"{alias}.{quote_name(name)}" for name in self._tables[part.table]]
            else:
                width = None if part.select is None else self.width(part.select)
                if width is None:
                    return None
                found += [""] * width
        return found

    def word_before(self, select: Select) -> str:
        """Return the keyword before the brackets around a sub-query: `IN`, `EXISTS`, or another."""
        before = [word for word in self.query.keywords if word.start < select.piece.start]
        if not before:
            return ""
        word = before[-1]
        gap = self.query.text[word.start + len(word.word) : select.piece.start]
        return word.word if _OPENING.fullmatch(gap) else ""

    def innermost(self, place: int) -> Select:
        """Return the SELECT that a place in the text belongs to."""
        around = [s for s in self.query.selects if s.piece.start <= place < self.end(s)]
        return max(around, key=lambda select: select.piece.start)

    def end(self, select: Select) -> int:
        """Return where a SELECT ends, with the ORDER BY and LIMIT that are kept with it."""
        return max((select.piece.end, *(clause.end for clause in select.clauses)))

    def end_of_all(self, head: Select) -> int:
        """Return where a set operation ends, or the SELECT where it is alone."""
        return max(self.end(member) for member in self.members(head))

    def inside(self, head: Select) -> Iterator[tuple[Select, int]]:
        """Yield all SELECTs of a query, nested ones too, with how deep below its level they are."""
        for other in self.query.selects:
            if head.piece.start <= other.piece.start < self.end_of_all(head):
                above, distance = other, 0
                while self.head(above) is not head and above.parent is not None:
                    above, distance = above.parent, distance + 1
                yield other, distance

    def is_correlated(self, head: Select) -> bool:
        """Whether any member of a set operation uses a column of an enclosing SELECT."""
        return any(member.correlated for member in self.members(head))

    def has_recursion(self) -> bool:
        """Whether a WITH reads itself."""
        for select in self.query.selects:
            read = {source.select.index for source in select.sources if source.select is not None}
            above: Select | None = select
            while above is not None:
                if self.head(above).role is Role.CTE and self.head(above).index in read:
                    return True
                above = above.parent
        return self.query.has_keyword("RECURSIVE")

    def mentions_of(self, select: Select) -> list[ColumnUse]:
        """Return the uses of a SELECT's columns in it and in the SELECTs inside it."""
        sources = {source.piece.start for source in select.sources}
        return [
            use
            for other in self.query.selects
            if select.piece.start <= other.piece.start < self.end(select)
            for use in other.columns
            if use.source is not None and use.source.piece.start in sources
        ]

    def _core_end(self, head: Select) -> int:
        tails = [head.clause(Clause.ORDER_BY), head.clause(Clause.LIMIT)]
        starts = [clause.start for clause in tails if clause is not None]
        return min(starts, default=self.end_of_all(head))


def bracketed(text: str, start: int) -> tuple[int, int] | None:
    """Return the extent of what stands in the first brackets from `start` on, without them.

    None where something else than white space and comments stands before them, or they are open.
    """
    depth = begin = 0
    for token in _TOKEN.finditer(text, start):
        word = token[0]
        if word == "(":
            depth += 1
            begin = begin or token.end()
        elif depth == 0 and not (word.isspace() or word.startswith(("--", "/*"))):
            return None
        elif word == ")":
            depth -= 1
            if depth == 0:
                return begin, token.start()
    return None


def first_argument(piece: Piece) -> tuple[str, str]:
    """Return the first argument of a call, and the text of the further ones."""
    extent = bracketed(piece.text, piece.text.index("("))
    inside = "" if extent is None else piece.text[slice(*extent)]
    depth = 0
    for token in _TOKEN.finditer(inside):
        depth += (token[0] == "(") - (token[0] == ")")
        if token[0] == "," and depth == 0:
            return inside[: token.start()], inside[token.end() :]
    return inside, ""


def contains(outer: Piece | ClauseSpan | None, inner: Piece) -> bool:
    """Whether a stretch of the text lies inside another."""
    return outer is not None and outer.start <= inner.start and inner.end <= outer.end


def folded(text: str) -> str:
    """Return a stretch of SQL without white space and case, to compare it by."""
    return re.sub(rf"({_QUOTED})|\s+", lambda found: found[1] or "", text).casefold()


def _merges_columns(join: Join | None) -> bool:
    """Whether a join is NATURAL or has USING, so that `*` gives the columns of both once."""
    if join is None:
        return False
    return join.kind == "natural" or bool(re.search(r"\bUSING\b", join.clause.text, re.IGNORECASE))
