"""Reads a question's sentences for the things asked for, in order.

A shallow reading without a parser model. Each sentence is opened by a question word or a request
("list", "show"); what follows is a list of noun phrases, until a preposition, a relative clause
or a verb says of which things they are asked.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from clausewise.inflection import is_plural
from clausewise.question.asked import Asked, AskedKind
from clausewise.question.grammar import SentenceGrammar
from clausewise.question.tokens import Token, word_set


def _group(token: Token, *, marked: bool) -> Asked:
    """Return what may be shown or not: what rows are grouped by, or a second thing after `and`."""
    return Asked(
        AskedKind.GROUP, (token.word,), (), token.start, token.end, required=False, marked=marked
    )


class SentenceReader(SentenceGrammar):
    """Reads one sentence from left to right; the items found are in `items`."""

    def __init__(self, tokens: tuple[Token, ...]) -> None:
        super().__init__(tokens)
        self.items: list[Asked] = []
        self.requests = False
        """Whether the sentence is a request (`List ...`) and no question."""
        self.adds = "also" in self.lowers
        self.refers_back = False
        """Whether it says `their`, `its`: of things asked for before."""
        self._words: list[Token] = []
        self._tail: list[Token] = []
        self._kind = AskedKind.PLAIN
        self._sure = True
        self._back = False
        self._possible: Token | None = None
        self._restarted = False
        self._next: Callable[[], None] | None = None

    def read(self) -> None:
        """Find the opening and read what follows."""
        at = self.opening()
        if at is None:
            if self.counts_without_request():
                self._then(self._phrase, 0)
                self._go_on()
            return
        for token in self.group_words(0, at):
            self.items.append(_group(token, marked=True))
        for token in self.by_words(0, at):
            self.items.append(_group(token, marked=False))
        self._then(self._open, at)
        self._go_on()

    def _go_on(self) -> None:
        while self._next is not None:
            step, self._next = self._next, None
            step()

    def read_keywords(self) -> None:
        """Read a sentence that only names what is wanted, from its first word on."""
        self.requests = True
        self._then(self._phrase, 0)
        while self._next is not None:
            step, self._next = self._next, None
            step()

    def _then(self, step: Callable[..., None], at: int, **options: bool) -> None:
        """Let `read` go on with a step: a long list must not nest as many calls."""
        self._next = partial(step, at, **options)

    def _open(self, at: int) -> None:
        """Read from an opening word on."""
        lower = self.lowers[at]
        if lower == "how":
            self._how(at + 1)
        elif lower in ("who", "whom", "who's"):
            self._one_word(AskedKind.PERSON, at)
        elif lower == "when":
            self._one_word(AskedKind.TIME, at)
        elif lower in ("where", "where's"):
            self._one_word(AskedKind.PLACE, at)
        elif self.is_listed(at, "openers"):
            self._what(at)
        elif (
            self.is_listed(at, "imperatives")
            or self.is_listed(at, "sorting_requests")
            or self.is_listed(at, "requesting_gerunds")
            or (at > 0 and self.is_listed(at, "polite_requests"))
        ):
            self._request(at)
        else:
            self._one_word(AskedKind.YES_NO, at)

    def _one_word(self, kind: AskedKind, at: int) -> None:
        """Read a question word that is all that is asked for: `who`, `when`."""
        self._kind = kind
        self._words = [self.tokens[at]]
        self._then(self._restriction, at + 1, closed=True)

    def _how(self, at: int) -> None:
        if at >= len(self.lowers):
            return
        if self.lowers[at] in ("many", "much"):
            self._kind = AskedKind.COUNT if self.lowers[at] == "many" else AskedKind.MEASURE
            if self._kind is AskedKind.MEASURE:
                self._words = [self.tokens[at]]
            if self.is_listed(at + 1, "verbs_after_noun"):
                self._then(self._restriction, at + 1, closed=True)
            else:
                self._then(self._phrase, at + 1)
            return
        self._kind = AskedKind.MEASURE
        self._words = [self.tokens[at]]
        self._then(self._restriction, at + 1, closed=True)

    def _what(self, at: int) -> None:
        following = at + 1
        if self.is_listed(following, "auxiliaries"):
            self._kind = AskedKind.PLAIN
            self._then(self._phrase, following + 1)
        elif "'" in self.lowers[at] or self.lowers[at] == "whats":
            self._kind = AskedKind.PLAIN
            self._then(self._phrase, following)
        elif following < len(self.lowers):
            self._kind = AskedKind.WHICH
            self._then(self._phrase, following + (self.lowers[following] == "of"))

    def _request(self, at: int) -> None:
        # What starts inside a sentence does not change what the sentence is.
        self.requests = self.requests or not self._restarted
        counting = self.lowers[at] in ("count", "counting")
        at += 1
        while self.is_listed(at, "after_imperative"):
            at += 1
        at += self.lowers[at : at + 1] == ("with",) and self.lowers[at - 1] in ("me", "us")
        at += self.lowers[at : at + 1] == ("of",)
        at = self._led_groups(at)
        if self.is_listed(at, "openers"):
            self._then(self._open, at)
            return
        if self.is_listed(at, "pronouns") and not self.is_listed(at, "possessives"):
            return
        self._kind = AskedKind.COUNT if counting else AskedKind.PLAIN
        self._then(self._phrase, at)

    def _led_groups(self, at: int) -> int:
        """Read `for each store` before the thing asked for, and return the position after it."""
        groups = self.group_words(at, at + 3) if self.lowers[at : at + 1] == ("for",) else []
        for token in groups:
            self.items.append(_group(token, marked=True))
            at = self.tokens.index(token) + 1
        return at + (bool(groups) and self.lowers[at : at + 1] == (",",))

    # -- noun phrases and what follows them ---------------------------------------------------

    def _phrase(self, at: int) -> None:
        """Read a list of noun phrases."""
        while at < len(self.tokens):
            joined = self.joiner_length(at)
            if joined:
                self._close()
                if self.is_listed(at + joined, "prepositions") or self.is_listed(
                    at + joined, "relatives"
                ):
                    self._then(self._restriction, at + joined, closed=False)
                    return
                if self.starts_request(at + joined):
                    self._then(self._restart, at + joined)
                    return
                at += joined
                continue
            token = self.tokens[at]
            if self.lowers[at] == "or" and (self._words or self.items):
                self._then(self._restriction, at, closed=True)
                return
            if self.is_listed(at, "ordering") or self.states_order(at):
                self._then(self._restriction, at, closed=True)
                return
            if token.lower == "(":
                at = self.after_bracket(at)
                continue
            if self._ends_phrase(at):
                self._then(self._restriction, at, closed=not self.is_listed(at, "prepositions"))
                return
            if token.is_word and not token.quoted:
                self._take(token, at)
            if self.is_possessive(at):
                self._tail.extend(self._words)
                self._words = []
            at += 1
        self._close()

    def _take(self, token: Token, at: int) -> None:
        """Take a word into the noun phrase."""
        if token.lower in word_set("asking", "possessives"):
            self.refers_back = self._back = True
        if token.lower in word_set("asking", "determiners") and token.lower != "names'":
            return
        if token.lower == "please":
            return
        if token.lower in word_set("asking", "count_heads") and self._count_follows(at):
            self._kind = AskedKind.COUNT
            return
        if token.lower in word_set("asking", "everything") and self._kind is AskedKind.PLAIN:
            self._kind = AskedKind.EVERYTHING
        self._words.append(token)

    def _count_follows(self, at: int) -> bool:
        """Whether `number` means counting (`number of pets`) and is no name (`phone number`)."""
        if at + 1 >= len(self.lowers) or self.lowers[at + 1] != "of" or self._has_noun():
            return False
        if self.lowers[at] not in word_set("units", "masses"):
            return True
        # "The amount of payments" may count them; "the quantity of its harvest" is a column.
        return self.tokens[at + 2 : at + 3] != () and is_plural(self.lowers[at + 2])

    def _has_noun(self) -> bool:
        """Whether the noun phrase read so far has more than `average`, `highest`, `different`."""
        plain = word_set("asking", "not_nouns") | word_set("cues", "average")
        plain |= word_set("cues", "sum") | word_set("cues", "maximum") | word_set("cues", "minimum")
        plain |= word_set("superlatives", "highest") | word_set("superlatives", "lowest")
        return any(token.lower not in plain for token in self._words)

    def _ends_phrase(self, at: int) -> bool:
        lower = self.lowers[at]
        if self.tokens[at].quoted:
            return True
        if lower in "?.!;:" and lower:
            return True
        if lower == "of":
            return not self._is_linked(at)
        if lower == "there" and self.is_listed(at + 1, "auxiliaries"):
            return bool(self._words)
        if self.is_listed(at, "prepositions") or self.is_listed(at, "relatives"):
            return bool(self._words) or self._kind is AskedKind.COUNT
        return bool(self._words) and self.is_listed(at, "verbs_after_noun")

    def _is_linked(self, at: int) -> bool:
        """Whether `of` belongs to the noun phrase: `number of pets`, `date of birth`."""
        before = self.lowers[at - 1] if at else ""
        if before in word_set("asking", "determiners") | word_set("asking", "openers"):
            return True
        if self.lowers[at + 1 : at + 2] in (("each",), ("every",)):
            return False
        heads = word_set("asking", "count_heads") | word_set("cues", "average")
        heads |= word_set("cues", "sum") | word_set("cues", "ratio")
        if before in heads and (before not in ("number", "numbers") or not self._has_noun()):
            return True
        return before in ("date", "place", "country", "type", "kind", "year") and (
            at + 1 < len(self.lowers) and not self.is_listed(at + 1, "determiners")
        )

    def _restart(self, at: int) -> None:
        """Read another question or request inside the sentence."""
        if self.lowers[0] in word_set("asking", "sorting_requests"):
            self.items = [replace(item, required=False) for item in self.items]
        at += self.is_listed(at, "after_imperative")
        self._restarted = True
        self._then(self._open, at)

    def _restriction(self, at: int, *, closed: bool) -> None:
        """Skip what only says of which things is asked, until the list goes on.

        Where the list is `closed`, only few words open it again.
        """
        start = at
        while at < len(self.tokens):
            if self.shows_beside(at, closed=closed):
                self._close_with_groups(start, at)
                self._sure = False
                self._then(self._phrase, at + 1)
                return
            closed = closed or self.ends_list(at)
            joined = self.joiner_length(at)
            following = at + joined
            if joined and following < len(self.tokens):
                if self.starts_request(following) and not self.describes(at, following):
                    self._close_with_groups(start, at)
                    self._then(self._restart, following)
                    return
                if self._continues(at, following, closed=closed):
                    self._close_with_groups(start, at)
                    self._sure = not closed and self.surely_continues(following)
                    self._then(self._phrase, following)
                    return
                if not closed and self.lowers[at] == "and" and self.may_be_noun(following):
                    self._possible = self.tokens[following]
                at = following
                continue
            if self.tokens[at].is_word and not self.tokens[at].quoted:
                self._tail.append(self.tokens[at])
            at += 1
        self._close_with_groups(start, at)

    def _continues(self, joiner: int, at: int, *, closed: bool) -> bool:
        """Whether the list of things asked for goes on after a joiner in the description."""
        if self.is_listed(at, "possessives"):
            self.refers_back = True
            return True
        if "number" in self.lowers[at : at + 3] and "of" in self.lowers[at : at + 4]:
            return True
        if self.is_listed(at, "corresponding") or self.is_listed(at + 1, "corresponding"):
            return True
        phrase = self.lowers[joiner] in ("as", "along", "together", "followed")
        if closed:
            return phrase and self.is_listed(at, "determiners")
        named = self.lowers[at] == "the" and not self.is_listed(at + 1, "prepositions")
        following = self.lowers[at + 1 : at + 3]
        return phrase or named or self.lowers[at] == "also" or bool({"of", "for"} & {*following})

    def _close_with_groups(self, first: int, last: int) -> None:
        maybe = self._possible
        self._close()
        if maybe is not None and maybe.is_word:
            self.items.append(_group(maybe, marked=False))
        self._possible = None
        for token in self.group_words(first, last):
            self.items.append(_group(token, marked=True))
        for token in self.by_words(first, last):
            self.items.append(_group(token, marked=False))

    def _close(self) -> None:
        """Put the noun phrase read so far among the items."""
        if self._words or self._kind is AskedKind.COUNT:
            words = tuple(token.word for token in self._words)
            tail = tuple(token.word for token in self._tail)
            place = self._words or self._tail or [self.tokens[0]]
            self.items.append(
                Asked(
                    self._kind,
                    words,
                    tail,
                    place[0].start,
                    place[-1].end,
                    refers_back=self._back,
                    sure=self._sure,
                )
            )
        self._words, self._tail, self._back = [], [], False
        self._kind, self._sure = AskedKind.PLAIN, True
