"""Where each SELECT and each of its clauses stands, read off the tokens alone."""

from __future__ import annotations

from dataclasses import dataclass, field

from sqlglot import TokenType

from clausewise.errors import ParseError
from clausewise.sql.tokens import FURTHER_MODIFIERS, JOIN_MODIFIERS, Tokens
from clausewise.types import Clause

_CLAUSE_WORDS = {
    TokenType.WHERE: Clause.WHERE,
    TokenType.GROUP_BY: Clause.GROUP_BY,
    TokenType.HAVING: Clause.HAVING,
    TokenType.WINDOW: Clause.QUERY,
    TokenType.ORDER_BY: Clause.ORDER_BY,
    TokenType.LIMIT: Clause.LIMIT,
}
_FURTHER_WORDS = {
    **_CLAUSE_WORDS,
    TokenType.QUALIFY: Clause.QUERY,
    TokenType.OFFSET: Clause.LIMIT,
    TokenType.FETCH: Clause.LIMIT,
}
"""The same in other dialects than SQLite, to which these are names."""
_ORDER = {
    Clause.SELECT: 0,
    Clause.FROM: 1,
    Clause.JOIN: 2,
    Clause.WHERE: 3,
    Clause.GROUP_BY: 4,
    Clause.HAVING: 5,
    Clause.QUERY: 6,
    Clause.ORDER_BY: 7,
    Clause.LIMIT: 8,
}
"""Clauses as they follow one another; QUERY stands for WINDOW, and for QUALIFY."""
_AFTER_SET_OPERATION = frozenset({Clause.ORDER_BY, Clause.LIMIT})
_SET_WORDS = frozenset({TokenType.UNION, TokenType.INTERSECT, TokenType.EXCEPT})
_QUERY_WORDS = frozenset({TokenType.SELECT, TokenType.WITH, TokenType.VALUES})
_SOURCE_STARTS = frozenset(
    {TokenType.FROM, TokenType.JOIN, TokenType.COMMA, TokenType.L_PAREN, TokenType.STRAIGHT_JOIN}
)
_WORDS = (
    frozenset(_FURTHER_WORDS)
    | _SET_WORDS
    | {
        TokenType.SELECT,
        TokenType.FROM,
        TokenType.JOIN,
        TokenType.STRAIGHT_JOIN,
        TokenType.ON,
        TokenType.USING,
        TokenType.COMMA,
        TokenType.WITH,
        TokenType.L_PAREN,
        TokenType.R_PAREN,
    }
)


@dataclass(slots=True, eq=False)
class Slot:
    """One clause as a range of tokens, ends inclusive. `body` is the first token of its content."""

    kind: Clause
    first: int
    body: int
    last: int = -1
    condition: int = -1
    """The ON or USING of a JOIN; -1 where there is none."""


@dataclass(slots=True, eq=False)
class SourceSlot:
    """One source with its alias, as a range of tokens."""

    first: int
    last: int = -1
    join: Slot | None = None


@dataclass(slots=True, eq=False)
class Region:
    """One SELECT as a range of tokens."""

    first: int
    last: int = -1
    slots: list[Slot] = field(default_factory=list)
    sources: list[SourceSlot] = field(default_factory=list)
    set_words: tuple[int, int] | None = None
    """The set operator that ties it to the member before."""

    def slot(self, kind: Clause) -> Slot | None:
        """Return the first clause of that kind."""
        return next((slot for slot in self.slots if slot.kind is kind), None)


@dataclass(slots=True, eq=False)
class _Frame:
    """What is open within one pair of brackets."""

    opener: int
    region: Region | None = None
    slot: Slot | None = None
    source: SourceSlot | None = None
    lead: Region | None = None
    """The first member of a set operation, which gets its ORDER BY and LIMIT."""
    set_words: tuple[int, int] | None = None
    is_group: bool = False
    """Brackets around joins, `(a JOIN b)`: no SELECT of its own, its sources go to the outer."""


@dataclass(slots=True)
class Outline:
    """All SELECTs in text order. `region_of` gives each token the innermost one around it."""

    regions: list[Region]
    region_of: list[int]
    set_words: list[tuple[int, int]]
    with_words: tuple[int, int] | None


class _OutlineReader:
    """One pass over the tokens with a stack of bracket frames."""

    def __init__(self, tokens: Tokens) -> None:
        self.tokens = tokens
        self.kinds = tokens.kinds
        is_sqlite = tokens.dialect == "sqlite"
        self.clause_words = _CLAUSE_WORDS if is_sqlite else _FURTHER_WORDS
        self.modifiers = JOIN_MODIFIERS if is_sqlite else JOIN_MODIFIERS | FURTHER_MODIFIERS
        self.frame = _Frame(-1)
        self.stack: list[_Frame] = []
        self.regions: list[Region] = []
        self.numbers: list[int] = [-1]
        self.region_of: list[int] = []
        self.set_words: list[tuple[int, int]] = []
        self.with_words: tuple[int, int] | None = None
        self.with_start: int | None = None

    def read(self) -> Outline:
        for index, kind in enumerate(self.kinds):
            after_dot = index > 0 and self.kinds[index - 1] is TokenType.DOT
            if after_dot and kind is TokenType.L_PAREN:
                raise self.tokens.error("a bracket cannot follow a dot", index)
            if kind in _WORDS and not after_dot:
                self._word(index, kind)
            self.region_of.append(self.numbers[-1])
        self._end_region(self.frame, len(self.kinds) - 1)
        return Outline(self.regions, self.region_of, self.set_words, self.with_words)

    def _word(self, index: int, kind: TokenType) -> None:
        frame = self.frame
        if kind is TokenType.L_PAREN:
            self._open_frame(index)
        elif kind is TokenType.R_PAREN:
            self._close_frame(index)
        elif kind is TokenType.SELECT:
            self._open_region(frame, index)
        elif kind is TokenType.WITH:
            if not self.stack and frame.lead is None and self.with_start is None:
                self.with_start = index
        elif kind in _SET_WORDS:
            self._set_operation(frame, index)
        elif kind in self.clause_words:
            self._clause(frame, index, self.clause_words[kind])
        elif kind is TokenType.FROM and index - 1 in self._query_starts(frame):
            raise self.tokens.error("FROM without SELECT", index)
        elif frame.region is not None:
            self._from_part(frame, frame.region, index, kind)

    def _query_starts(self, frame: _Frame) -> tuple[int, ...]:
        """Return the tokens behind which a query begins: a bracket, a set operator."""
        return frame.opener, *(frame.set_words or ())

    def _open_frame(self, index: int) -> None:
        outer = self.frame
        inner = _Frame(index)
        in_from = outer.slot is not None and outer.slot.kind in (Clause.FROM, Clause.JOIN)
        starts = index > 0 and self.kinds[index - 1] in _SOURCE_STARTS
        if in_from and starts and self._is_group(index):
            inner.region, inner.slot, inner.is_group = outer.region, outer.slot, True
            if outer.source is not None and outer.region is not None:
                outer.region.sources.remove(outer.source)
            inner.source = self._open_source(inner, index + 1)
        self.stack.append(outer)
        self.numbers.append(self.numbers[-1])
        self.frame = inner

    def _is_group(self, index: int) -> bool:
        """Whether the bracket at a source's place holds joins, not a query."""
        while index + 1 < len(self.kinds) and self.kinds[index + 1] is TokenType.L_PAREN:
            partner = self.tokens.partner[index + 1]
            follows = self.kinds[partner + 1]
            if follows not in _SET_WORDS and follows is not TokenType.R_PAREN:
                return True
            index += 1
        return index + 1 < len(self.kinds) and self.kinds[index + 1] not in _QUERY_WORDS

    def _close_frame(self, index: int) -> None:
        inner, self.frame = self.frame, self.stack.pop()
        self.numbers.pop()
        if inner.is_group:
            self._end_source(inner, index - 1)
            if inner.slot is not self.frame.slot:
                self._end_slot(inner, index - 1)
            self.frame.source = None
            return
        self._end_region(inner, index - 1)
        opens_query = inner.opener == 0 or self.kinds[inner.opener - 1] is TokenType.L_PAREN
        if opens_query and self.frame.lead is None and not self.frame.is_group:
            self.frame.lead = inner.lead

    def _open_region(self, frame: _Frame, index: int) -> None:
        self._end_region(frame, index - 1)
        if self.with_start is not None and not self.stack and self.with_words is None:
            self.with_words = self.with_start, index - 1
        region = Region(index, set_words=self._set_words_before(frame, index))
        frame.region = region
        frame.lead = frame.lead or region
        frame.set_words = None
        self.numbers[-1] = len(self.regions)
        self.regions.append(region)
        body = index + 1
        while body < len(self.kinds) and self.kinds[body] in (TokenType.DISTINCT, TokenType.ALL):
            body += 1
        if self.kinds[body : body + 2] == [TokenType.ON, TokenType.L_PAREN]:
            body = self.tokens.partner[body + 1] + 1
        frame.slot = Slot(Clause.SELECT, index, body)
        region.slots.append(frame.slot)

    def _set_words_before(self, frame: _Frame, index: int) -> tuple[int, int] | None:
        """Return the set operator before a SELECT, also through brackets: `UNION (SELECT`."""
        if frame.set_words is not None:
            return frame.set_words
        for outer in reversed(self.stack):
            if self.kinds[index - 1] is not TokenType.L_PAREN:
                return None
            index -= 1
            if outer.set_words is not None and outer.set_words[1] == index - 1:
                return outer.set_words
        return None

    def _set_operation(self, frame: _Frame, index: int) -> None:
        if frame.lead is None or frame.is_group:
            return
        self._end_region(frame, index - 1)
        follows = self.kinds[index + 1] if index + 1 < len(self.kinds) else None
        with_all = follows in (TokenType.ALL, TokenType.DISTINCT)
        frame.set_words = index, index + with_all
        self.set_words.append(frame.set_words)
        self.numbers[-1] = self.numbers[-2] if self.stack else -1

    def _clause(self, frame: _Frame, index: int, kind: Clause) -> None:
        if frame.is_group or frame.lead is None:
            return
        if not self._is_clause_word(index):
            return
        body = index + 1
        if self._goes_on(frame, index, kind):
            return
        self._check_order(frame, index, kind)
        if kind in _AFTER_SET_OPERATION and frame.region is not frame.lead:
            self._end_region(frame, index - 1)
            frame.slot = Slot(kind, index, body)
            frame.lead.slots.append(frame.slot)
            self.numbers[-1] = self.numbers[-2] if self.stack else -1
        elif frame.region is not None:
            self._end_slot(frame, index - 1)
            frame.slot = Slot(kind, index, body)
            frame.region.slots.append(frame.slot)

    def _goes_on(self, frame: _Frame, index: int, kind: Clause) -> bool:
        """Whether a word belongs to the clause that is open: OFFSET, LIMIT and FETCH are one."""
        if frame.slot is None or frame.slot.kind is not kind or self.tokens.dialect == "sqlite":
            return False
        if kind is Clause.QUERY:
            return self.kinds[index] is TokenType.QUALIFY
        return kind is Clause.LIMIT and self.kinds[frame.slot.first] is not self.kinds[index]

    def _check_order(self, frame: _Frame, index: int, kind: Clause) -> None:
        """Raise ParseError for clauses out of order, which sqlglot lets pass."""
        if frame.slot is not None and _ORDER[frame.slot.kind] >= _ORDER[kind]:
            word = self.tokens.tokens[index].text.upper()
            raise self.tokens.error(f"{word} cannot stand here", index)

    def _is_clause_word(self, index: int) -> bool:
        """Distinguish the keyword WINDOW from a column of that name, and OFFSET, and FETCH."""
        if self.kinds[index] is TokenType.FETCH:
            return self.kinds[index + 1 : index + 2] in ([TokenType.FIRST], [TokenType.NEXT])
        if self.kinds[index] is TokenType.OFFSET:
            return self.frame.slot is not None and self.frame.slot.kind is not Clause.SELECT
        if self.kinds[index] is not TokenType.WINDOW:
            return True
        return self.kinds[index + 2 : index + 4] == [TokenType.ALIAS, TokenType.L_PAREN]

    def _from_part(self, frame: _Frame, region: Region, index: int, kind: TokenType) -> None:
        slot = frame.slot
        if kind is TokenType.FROM:
            if self.kinds[index - 1] is not TokenType.DISTINCT and not frame.is_group:
                self._check_order(frame, index, Clause.FROM)
                self._end_slot(frame, index - 1)
                frame.slot = Slot(Clause.FROM, index, index + 1)
                region.slots.append(frame.slot)
                frame.source = self._open_source(frame, index + 1)
            return
        if slot is None or slot.kind not in (Clause.FROM, Clause.JOIN):
            return
        if kind in (TokenType.JOIN, TokenType.STRAIGHT_JOIN):
            first = index
            while self.kinds[first - 1] in self.modifiers:
                first -= 1
            self._leave_slot(frame, first - 1)
            frame.slot = Slot(Clause.JOIN, first, index + 1)
            region.slots.append(frame.slot)
            frame.source = self._open_source(frame, index + 1)
        elif kind in (TokenType.ON, TokenType.USING):
            if slot.kind is Clause.JOIN and slot.condition < 0:
                slot.condition = index
                self._end_source(frame, index - 1)
        elif kind is TokenType.COMMA:
            self._end_source(frame, index - 1)
            if slot.kind is Clause.JOIN:
                self._leave_slot(frame, index - 1)
                frame.slot = Slot(Clause.FROM, index + 1, index + 1)
                region.slots.append(frame.slot)
            frame.source = self._open_source(frame, index + 1)

    def _open_source(self, frame: _Frame, index: int) -> SourceSlot:
        slot = frame.slot if frame.slot is not None and frame.slot.kind is Clause.JOIN else None
        source = SourceSlot(index, join=slot)
        if frame.region is not None:
            frame.region.sources.append(source)
        return source

    def _end_source(self, frame: _Frame, last: int) -> None:
        if frame.source is not None:
            if last < frame.source.first:
                raise self._missing_after(frame.source.first - 1)
            frame.source.last = last
            frame.source = None

    def _end_slot(self, frame: _Frame, last: int) -> None:
        self._end_source(frame, last)
        if frame.slot is not None and frame.slot.last < 0:
            frame.slot.last = last
            is_empty = last < frame.slot.body and frame.slot.kind is not Clause.SELECT
            if is_empty or frame.slot.condition == last:
                raise self._missing_after(last)
        frame.slot = None

    def _missing_after(self, index: int) -> ParseError:
        word = self.tokens.piece(index, index).text
        return self.tokens.error(f"something is missing after {word!r}", index)

    def _leave_slot(self, frame: _Frame, last: int) -> None:
        """End the clause open here, but for one that only surrounds these brackets."""
        if frame.is_group and frame.slot is self.stack[-1].slot:
            self._end_source(frame, last)
        else:
            self._end_slot(frame, last)

    def _end_region(self, frame: _Frame, last: int) -> None:
        self._end_slot(frame, last)
        if frame.region is not None and not frame.is_group:
            frame.region.last = last
            frame.region = None


def outline(tokens: Tokens) -> Outline:
    """Return where every SELECT of the statement and each of its clauses stands."""
    return _OutlineReader(tokens).read()
