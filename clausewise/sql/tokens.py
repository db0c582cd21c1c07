"""Tokens of one statement, with partners of brackets: the base of all spans."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from sqlglot import Token, TokenType

from clausewise.errors import ParseError
from clausewise.sql.model import Piece
from clausewise.types import Clause, ClauseSpan

MAX_CHARACTERS = 200_000
MAX_NESTING = 200
"""Brackets, CASE and repeated prefix operators; beyond it a recursive parser runs out of stack."""

OPENING = frozenset({TokenType.L_PAREN, TokenType.CASE, TokenType.L_BRACE, TokenType.L_BRACKET})
JOIN_MODIFIERS = frozenset(
    {
        TokenType.NATURAL,
        TokenType.LEFT,
        TokenType.RIGHT,
        TokenType.FULL,
        TokenType.INNER,
        TokenType.OUTER,
        TokenType.CROSS,
    }
)
"""Words that may stand before JOIN."""
FURTHER_MODIFIERS = frozenset(
    {TokenType.SEMI, TokenType.ANTI, TokenType.ASOF, TokenType.POSITIONAL}
)
"""The same in other dialects than SQLite, to which they are names."""
_OPENER_OF = {
    TokenType.R_PAREN: TokenType.L_PAREN,
    TokenType.R_BRACE: TokenType.L_BRACE,
    TokenType.R_BRACKET: TokenType.L_BRACKET,
    TokenType.END: TokenType.CASE,
}
_ATOM_ENDS = frozenset(
    {
        TokenType.AND,
        TokenType.OR,
        TokenType.NOT,
        TokenType.WHEN,
        TokenType.THEN,
        TokenType.ELSE,
        TokenType.COMMA,
        TokenType.DISTINCT,
        TokenType.ORDER_BY,
        TokenType.PARTITION_BY,
        TokenType.WHERE,
        TokenType.ASC,
        TokenType.DESC,
        TokenType.ALIAS,
    }
)


class Tokens:
    """One statement's tokens. All positions in the methods are token indices, ends inclusive."""

    def __init__(self, text: str, tokens: list[Token], dialect: str = "sqlite") -> None:
        self.text = text
        self.dialect = dialect
        """The dialect's name as sqlglot knows it, in lower case."""
        self.tokens = tokens
        self.starts = [token.start for token in tokens]
        self.ends = [token.end + 1 for token in tokens]
        self.kinds = self._kinds()
        self.at = {start: index for index, start in enumerate(self.starts)}
        """Character offset of a token's start to its index."""
        self.partner: dict[int, int] = {}
        """Opening bracket (or CASE) to its closing one (or END), and back."""
        self.around: list[int] = []
        """For each token the innermost bracket or CASE that it stands in, -1 outside all."""

    def __len__(self) -> int:
        return len(self.tokens)

    def _kinds(self) -> list[TokenType]:
        """Return the tokens' kinds; a keyword behind a dot is a name: `t.and`."""
        kinds = [token.token_type for token in self.tokens]
        if TokenType.DOT in kinds:
            for index, (before, kind) in enumerate(pairwise(kinds), start=1):
                if before is TokenType.DOT and kind is not TokenType.VAR:
                    word = self.text[self.starts[index] : self.ends[index]]
                    kinds[index] = TokenType.VAR if word.isidentifier() else kind
        return kinds

    def piece(self, first: int, last: int) -> Piece:
        """Return the text from token `first` to token `last`."""
        start, end = self.starts[first], self.ends[last]
        return Piece(self.text[start:end], start, end)

    def span(self, kind: Clause, first: int, last: int) -> ClauseSpan:
        """Return the text from token `first` to token `last` as a clause of that kind."""
        start, end = self.starts[first], self.ends[last]
        return ClauseSpan(kind, self.text[start:end], start, end)

    def match_brackets(self) -> None:
        """Fill `partner` and `around`.

        Raises ParseError for a bracket without a partner and for nesting beyond MAX_NESTING.
        """
        stack: list[int] = []
        prefixes = 0
        previous: TokenType | None = None
        for index, kind in enumerate(self.kinds):
            prefixes = prefixes + 1 if kind is previous else 0
            if prefixes > MAX_NESTING and kind not in (TokenType.COMMA, TokenType.R_PAREN):
                raise self.error(f"the same word more than {MAX_NESTING} times in a row", index)
            previous = kind
            opener = _OPENER_OF.get(kind)
            if opener is not None:
                self._close(stack, index, opener)
            self.around.append(stack[-1] if stack else -1)
            if kind in OPENING:
                stack.append(index)
                if len(stack) > MAX_NESTING:
                    raise self.error(f"nested more than {MAX_NESTING} levels deep", index)
        for index in stack:
            if self.kinds[index] is TokenType.L_PAREN:
                raise self.error("this bracket is never closed", index)

    def _close(self, stack: list[int], index: int, opener: TokenType) -> None:
        if opener is TokenType.CASE:
            # END is also a possible column name, so it closes a CASE only where one is open.
            if stack and self.kinds[stack[-1]] is TokenType.CASE:
                self._pair(stack.pop(), index)
            return
        while stack and self.kinds[stack[-1]] is TokenType.CASE:
            stack.pop()
        if not stack or self.kinds[stack[-1]] is not opener:
            raise self.error("this bracket was never opened", index)
        self._pair(stack.pop(), index)

    def _pair(self, opening: int, closing: int) -> None:
        self.partner[opening] = closing
        self.partner[closing] = opening

    def error(self, message: str, index: int) -> ParseError:
        """Return a ParseError that points at token `index`."""
        return ParseError(message, self.starts[index], self.ends[index])

    def split(self, first: int, last: int, separator: TokenType) -> list[tuple[int, int]]:
        """Cut `first`..`last` at the separators that stand in no bracket of their own."""
        parts = []
        begin = index = first
        while index <= last:
            if self.kinds[index] is separator:
                parts.append((begin, index - 1))
                begin = index + 1
            index = self.after(index)
        parts.append((begin, last))
        return parts

    def after(self, index: int) -> int:
        """Return the next token's index, past the whole bracket where one opens here."""
        if self.kinds[index] in OPENING:
            return self.partner.get(index, index) + 1
        return index + 1

    def find(self, kinds: Iterable[TokenType], first: int, last: int) -> list[int]:
        """Return the tokens of those kinds, in brackets of their own too."""
        return [index for index in range(first, last + 1) if self.kinds[index] in kinds]

    def conjuncts(self, first: int, last: int) -> list[tuple[int, int]]:
        """Cut a condition at its top-level ANDs, also those within brackets around the whole."""
        parts = self._cut_at_and(*self.without_brackets(first, last))
        if len(parts) == 1:
            return [(first, last)]
        return [piece for part in parts for piece in self.conjuncts(*part)]

    def without_brackets(self, first: int, last: int) -> tuple[int, int]:
        """Return what stands inside the brackets around the whole range."""
        while self.kinds[first] is TokenType.L_PAREN and self.partner[first] == last:
            first, last = first + 1, last - 1
        return first, last

    def _cut_at_and(self, first: int, last: int) -> list[tuple[int, int]]:
        parts = []
        betweens = 0
        begin = index = first
        while index <= last:
            kind = self.kinds[index]
            if kind in (TokenType.OR, TokenType.SELECT, TokenType.WITH):
                return [(first, last)]
            if kind is TokenType.BETWEEN:
                betweens += 1
            elif kind is TokenType.AND and betweens:
                betweens -= 1
            elif kind is TokenType.AND:
                parts.append((begin, index - 1))
                begin = index + 1
            index = self.after(index)
        parts.append((begin, last))
        return parts

    def balance(self, first: int, last: int) -> tuple[int, int]:
        """Widen a range until no bracket in it has its partner outside."""
        index = first
        while index <= last:
            partner = self.partner.get(index)
            if partner is not None:
                if partner < first:
                    first = index = partner
                    continue
                last = max(last, partner)
            index += 1
        return first, last

    def enclosing(self, first: int, last: int) -> tuple[int, int]:
        """Return the brackets (or CASE and END) around a range, or the range where none are."""
        first, last = self.balance(first, last)
        around = self.around[first]
        return (around, self.partner[around]) if around in self.partner else (first, last)

    def atom(
        self, leaves: tuple[int, int], window: tuple[int, int], operators: Iterable[TokenType]
    ) -> tuple[int, int]:
        """Return the extent of the predicate that spans `leaves` and holds one of `operators`.

        A predicate reaches to the nearest AND, OR, NOT, comma, bracket or CASE word on either
        side. Where the operator is not found in it (`CAST(x AS TEXT) IS NULL`: all leaves stand
        inside the bracket), the search goes on from the bracket around it.
        """
        while True:
            first, last = self._stretch(*self.balance(*leaves), window)
            around = self.around[first]
            held = (self.kinds[i] in operators for i in range(first, last + 1))
            if any(held) or around < window[0] or around not in self.partner:
                return first, last
            leaves = around, self.partner[around]

    def _stretch(self, first: int, last: int, window: tuple[int, int]) -> tuple[int, int]:
        while first > window[0]:
            kind = self.kinds[first - 1]
            if kind in _ATOM_ENDS and not self._belongs(first - 1):
                break
            if kind in OPENING:
                break
            first = self.partner.get(first - 1, first - 1)
        pending = self._open_betweens(first, last)
        while last < window[1]:
            kind = self.kinds[last + 1]
            if kind is TokenType.BETWEEN:
                pending += 1
            elif kind is TokenType.AND and pending:
                pending -= 1
            elif kind in _ATOM_ENDS and not self._belongs(last + 1):
                break
            if self.partner.get(last + 1, last + 2) <= last:
                break
            last = self.partner.get(last + 1, last + 1)
        return first, last

    def _belongs(self, index: int) -> bool:
        """Whether a boundary word is part of an operator: IS NOT, IS DISTINCT FROM, NOT IN."""
        kind = self.kinds[index]
        if index == 0 or index + 1 >= len(self.kinds):
            return False
        if kind is TokenType.DISTINCT:
            return self.kinds[index + 1] is TokenType.FROM
        if kind is not TokenType.NOT:
            return False
        return self.kinds[index - 1] is TokenType.IS or self.kinds[index + 1] in (
            TokenType.IN,
            TokenType.BETWEEN,
            TokenType.LIKE,
            TokenType.GLOB,
            TokenType.RLIKE,
            TokenType.MATCH,
            TokenType.NULL,
        )

    def _open_betweens(self, first: int, last: int) -> int:
        pending = 0
        index = first
        while index <= last:
            if self.kinds[index] is TokenType.BETWEEN:
                pending += 1
            elif self.kinds[index] is TokenType.AND and pending:
                pending -= 1
            index = self.after(index)
        return pending

    def with_nots(self, first: int, last: int, window: tuple[int, int]) -> tuple[int, int]:
        """Widen a predicate by the NOTs before it and by brackets that stand after such a NOT."""
        outer = first, last
        while outer[0] > window[0]:
            before = outer[0] - 1
            if self.kinds[before] is TokenType.NOT:
                first, last = outer = before, outer[1]
            elif self.kinds[before] is TokenType.L_PAREN and self.partner[before] == outer[1] + 1:
                outer = before, outer[1] + 1
            else:
                break
        return first, last
