"""Tokens of one statement, with partners of brackets: the base of all spans."""

from __future__ import annotations

import re
from collections.abc import Iterable

from sqlglot import Token, TokenType
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import TokenError

from clausewise.errors import ParseError
from clausewise.sql.model import Piece
from clausewise.types import Clause, ClauseSpan

MAX_CHARACTERS = 200_000
MAX_NESTING = 200
"""Brackets, CASE and repeated prefix operators; beyond it a recursive parser runs out of stack."""

OPENING = frozenset({TokenType.L_PAREN, TokenType.CASE, TokenType.L_BRACE, TokenType.L_BRACKET})
_OPENER_OF = {
    TokenType.R_PAREN: TokenType.L_PAREN,
    TokenType.R_BRACE: TokenType.L_BRACE,
    TokenType.R_BRACKET: TokenType.L_BRACKET,
    TokenType.END: TokenType.CASE,
}
_SPLIT_KEYWORDS = {"group": TokenType.GROUP_BY, "order": TokenType.ORDER_BY}
_JOIN_ENDS = frozenset(
    {
        TokenType.JOIN,
        TokenType.COMMA,
        TokenType.WHERE,
        TokenType.GROUP_BY,
        TokenType.HAVING,
        TokenType.ORDER_BY,
        TokenType.LIMIT,
        TokenType.UNION,
        TokenType.INTERSECT,
        TokenType.EXCEPT,
        TokenType.R_PAREN,
    }
)
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
_QUOTED_OR_COMMENT = re.compile(
    r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|--[^\n]*|/\*.*?\*/""", re.DOTALL
)
_UNCLOSED = re.compile(r"""['"`\[]|/\*""")


class Tokens:
    """One statement's tokens. All positions in the methods are token indices, ends inclusive."""

    def __init__(self, text: str, tokens: list[Token]) -> None:
        self.text = text
        self.tokens = tokens
        self.kinds = [token.token_type for token in tokens]
        self.starts = [token.start for token in tokens]
        self.ends = [token.end + 1 for token in tokens]
        self.at = {start: index for index, start in enumerate(self.starts)}
        """Character offset of a token's start to its index."""
        self.partner: dict[int, int] = {}
        """Opening bracket (or CASE) to its closing one (or END), and back."""
        self.around: list[int] = []
        """For each token the innermost bracket or CASE that it stands in, -1 outside all."""

    def __len__(self) -> int:
        return len(self.tokens)

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


def tokenize(text: str, dialect: Dialect) -> Tokens:
    """Cut `text` into the tokens of one statement, trailing semicolons dropped.

    Raises ParseError for blank or over-long text, NUL characters, unclosed quotes or comments,
    and for more than one statement.
    """
    if len(text) > MAX_CHARACTERS:
        message = f"{len(text)} characters of SQL, more than the {MAX_CHARACTERS} that are read"
        raise ParseError(message, MAX_CHARACTERS, len(text))
    if "\0" in text:
        place = text.index("\0")
        raise ParseError("a NUL character in the SQL", place, place + 1)
    try:
        found = dialect.tokenize(text)
    except TokenError:
        start = _unclosed(text)
        raise ParseError(f"{text[start : start + 2]!r} is never closed", start, len(text)) from None
    while found and found[-1].token_type is TokenType.SEMICOLON:
        found.pop()
    if not found:
        raise ParseError("there is no statement in the SQL", 0, len(text))
    _refuse_several(found)
    has_comments = "--" in text or "/*" in text
    return Tokens(text, _join_keywords(found) if has_comments else found)


def _unclosed(text: str) -> int:
    """Return where the quote or comment starts that runs to the end of the text."""
    rest = _QUOTED_OR_COMMENT.sub(lambda match: " " * len(match[0]), text)
    opening = _UNCLOSED.search(rest)
    return opening.start() if opening else 0


def _refuse_several(tokens: list[Token]) -> None:
    kinds = [token.token_type for token in tokens]
    if TokenType.SEMICOLON not in kinds:
        return
    pairs = zip(kinds, [*kinds[1:], TokenType.SEMICOLON], strict=True)
    count = sum(kind is not TokenType.SEMICOLON is following for kind, following in pairs)
    first = kinds.index(TokenType.SEMICOLON)
    message = f"{count} statements where one is expected" if count > 1 else "a stray semicolon"
    raise ParseError(message, tokens[first].start, tokens[-1].end + 1)


def _join_keywords(tokens: list[Token]) -> list[Token]:
    """Repair GROUP BY and ORDER BY that a comment cuts in two: sqlglot reads them as two names."""
    joined: list[Token] = []
    for token in tokens:
        last = joined[-1] if joined else None
        if last and token.token_type is TokenType.VAR and token.text.lower() == "by":
            kind = _SPLIT_KEYWORDS.get(last.text.lower())
            if kind and last.token_type is TokenType.VAR:
                joined[-1] = Token(
                    kind, f"{last.text} BY", token.line, token.col, last.start, token.end
                )
                continue
        joined.append(token)
    return joined


def for_parser(tokens: Tokens) -> list[Token]:
    """Return the tokens as sqlglot should see them: joins without a condition as CROSS JOIN.

    For `a JOIN b JOIN c ...` without ON its parser tries every nesting, twice as many with each
    table (half a second at sixteen); CROSS JOIN is read in one go and means the same here.
    """
    joins = [index for index, kind in enumerate(tokens.kinds) if kind is TokenType.JOIN]
    bare = {index for index in joins if not _has_condition(tokens, index)}
    if not bare:
        return tokens.tokens
    result: list[Token] = []
    for index, token in enumerate(tokens.tokens):
        if index in bare:
            before = tokens.kinds[index - 1] if index else TokenType.JOIN
            if before in (TokenType.INNER, TokenType.OUTER):
                result.pop()
            if before not in (TokenType.CROSS, TokenType.NATURAL):
                result.append(
                    Token(TokenType.CROSS, "CROSS", token.line, token.col, token.start, token.start)
                )
        result.append(token)
    return result


def _has_condition(tokens: Tokens, join: int) -> bool:
    index = join + 1
    while index < len(tokens):
        kind = tokens.kinds[index]
        if kind in (TokenType.ON, TokenType.USING):
            return True
        if kind in _JOIN_ENDS:
            return False
        index = tokens.after(index)
    return False
