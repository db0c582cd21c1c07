"""Reads a question's sentences for the things asked for, in order.

A shallow reading without a parser model. Each sentence is opened by a question word or a request
("list", "show"); what follows is a list of noun phrases, until a preposition, a relative clause
or a verb says of which things they are asked.
"""

from __future__ import annotations

from dataclasses import replace

from clausewise.question.asked import Asked, AskedKind
from clausewise.question.tokens import Token, word_set

_JOINING_PHRASES = (
    ("as", "well", "as"),
    ("along", "with"),
    ("together", "with"),
    ("followed", "by"),
    ("in", "addition", "to"),
)


def _group(token: Token, *, marked: bool) -> Asked:
    """Return what may be shown or not: what rows are grouped by, or a second thing after `and`."""
    return Asked(
        AskedKind.GROUP, (token.word,), (), token.start, token.end, required=False, marked=marked
    )


class SentenceReader:
    """Reads one sentence from left to right; the items found are in `items`."""

    def __init__(self, tokens: tuple[Token, ...]) -> None:
        self.tokens = tokens
        self.lowers = tuple(token.lower for token in tokens)
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
        self._maybe: Token | None = None

    def read(self) -> None:
        """Find the opening and read what follows."""
        at = self._opening()
        if at is None:
            return
        for token in self._group_words(0, at):
            self.items.append(_group(token, marked=True))
        self._open(at)

    def _is(self, at: int, key: str) -> bool:
        return (
            at < len(self.lowers)
            and not self.tokens[at].quoted
            and self.lowers[at] in word_set("asking", key)
        )

    def _opening(self) -> int | None:
        for at, token in enumerate(self.tokens):
            if token.quoted:
                continue
            fresh = at == 0 or self.lowers[at - 1] in word_set("asking", "before_requests")
            second = at <= 2 and self._is(0, "prepositions")
            if self._is(at, "openers") and (fresh or second or at <= 1):
                return at
            if at == 0 and self._is(at, "sorting_requests") and token.sentence == 0:
                return at
            if fresh and self._is(at, "imperatives") and self._may_request(at):
                return at
        if self._is(0, "yes_no"):
            return 0
        return next((at for at in range(len(self.tokens)) if self._is(at, "openers")), None)

    def _may_request(self, at: int) -> bool:
        """Whether a word that requests (`name`, `list`) is no noun here."""
        if at == 0 or self.lowers[at] not in word_set("asking", "requests_or_nouns"):
            return True
        following = self.lowers[at + 1] if at + 1 < len(self.lowers) else ""
        return following in ("me", "us", "out", "down") or (
            self._is(at + 1, "determiners") and following not in ("of", "that", "this")
        )

    def _group_words(self, first: int, last: int) -> list[Token]:
        """Return the noun after `each`, `every`, `per` between two positions."""
        found = []
        for at in range(first, min(last, len(self.tokens))):
            different = self._is(at, "different") and "for" in self.lowers[max(0, at - 3) : at]
            if not different and self.lowers[at] not in word_set("cues", "each"):
                continue
            nouns = [
                token
                for token in self.tokens[at + 1 : at + 4]
                if token.is_word
                and token.lower not in word_set("asking", "not_nouns")
                and token.lower not in word_set("asking", "before_nouns")
            ]
            if nouns:
                found.append(nouns[0])
                place = self.tokens.index(nouns[0])
                if self.lowers[place + 1 : place + 2] in (("and",), ("or",)):
                    found.extend(self.tokens[place + 2 : place + 3])
        return found

    def _open(self, at: int) -> None:
        """Read from an opening word on."""
        lower = self.lowers[at]
        if lower == "how":
            self._how(at + 1)
        elif lower in ("who", "whom", "who's"):
            self._special(AskedKind.PERSON, at)
        elif lower == "when":
            self._special(AskedKind.TIME, at)
        elif lower in ("where", "where's"):
            self._special(AskedKind.PLACE, at)
        elif self._is(at, "openers"):
            self._what(at)
        elif self._is(at, "imperatives") or self._is(at, "sorting_requests"):
            self._request(at)
        else:
            self._special(AskedKind.YES_NO, at)

    def _special(self, kind: AskedKind, at: int) -> None:
        self._kind = kind
        self._words = [self.tokens[at]]
        self._clause(at + 1, hard=True)

    def _how(self, at: int) -> None:
        if at >= len(self.lowers):
            return
        if self.lowers[at] in ("many", "much"):
            self._kind = AskedKind.COUNT if self.lowers[at] == "many" else AskedKind.MEASURE
            if self._kind is AskedKind.MEASURE:
                self._words = [self.tokens[at]]
            self._phrase(at + 1)
            return
        self._kind = AskedKind.MEASURE
        self._words = [self.tokens[at]]
        self._clause(at + 1, hard=True)

    def _what(self, at: int) -> None:
        following = at + 1
        if self._is(following, "auxiliaries"):
            self._kind = AskedKind.PLAIN
            self._phrase(following + 1)
        elif "'" in self.lowers[at]:
            self._kind = AskedKind.PLAIN
            self._phrase(following)
        elif following < len(self.lowers):
            self._kind = AskedKind.WHICH
            self._phrase(following + (self.lowers[following] == "of"))

    def _request(self, at: int) -> None:
        self.requests = True
        counting = self.lowers[at] == "count"
        at += 1
        while self._is(at, "after_imperative"):
            at += 1
        if self._is(at, "openers"):
            self._open(at)
            return
        if self._is(at, "pronouns") and not self._is(at, "possessives"):
            return
        self._kind = AskedKind.COUNT if counting else AskedKind.PLAIN
        self._phrase(at)

    # -- noun phrases and what follows them ---------------------------------------------------

    def _phrase(self, at: int) -> None:
        """Read a list of noun phrases."""
        while at < len(self.tokens):
            joined = self._joiner(at)
            if joined:
                self._close()
                if self._is(at + joined, "prepositions") or self._is(at + joined, "relatives"):
                    self._clause(at + joined, hard=False)
                    return
                if self._goes_on_elsewhere(at + joined):
                    self._restart(at + joined)
                    return
                at += joined
                continue
            token = self.tokens[at]
            if self._is(at, "ordering") or self._order_stated(at):
                self._clause(at, hard=True)
                return
            if token.lower == "(":
                at = self._after_bracket(at)
                continue
            if self._ends_phrase(at):
                self._clause(at, hard=not self._is(at, "prepositions"))
                return
            if token.is_word and not token.quoted:
                self._note(token, at)
            if self._possesses(at):
                self._tail.extend(self._words)
                self._words = []
            at += 1
        self._close()

    def _possesses(self, at: int) -> bool:
        """Whether what was read so far is only the owner: `the student's`."""
        lower = self.lowers[at]
        return lower.endswith(("'s", "\u2019s")) or lower in ("'", "\u2019")

    def _order_stated(self, at: int) -> bool:
        """Whether `in order of`, `in the order` starts here; `order` alone may be a thing."""
        if self.lowers[at] == "order":
            return self.lowers[at + 1 : at + 2] == ("by",)
        return self.lowers[at] == "in" and "order" in self.lowers[at + 1 : at + 3]

    def _note(self, token: Token, at: int) -> None:
        """Take a word into the noun phrase."""
        if token.lower in word_set("asking", "possessives"):
            self.refers_back = self._back = True
        if token.lower in word_set("asking", "determiners") and token.lower != "names'":
            return
        if token.lower in word_set("asking", "count_heads") and self._count_follows(at):
            self._kind = AskedKind.COUNT
            return
        if token.lower in word_set("asking", "everything") and self._kind is AskedKind.PLAIN:
            self._kind = AskedKind.EVERYTHING
        self._words.append(token)

    def _count_follows(self, at: int) -> bool:
        """Whether `number` means counting (`number of pets`) and is no name (`phone number`)."""
        return at + 1 < len(self.lowers) and self.lowers[at + 1] == "of" and not self._words_named()

    def _words_named(self) -> bool:
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
            return not self._linked(at)
        if self._is(at, "prepositions") or self._is(at, "relatives"):
            return bool(self._words) or self._kind is AskedKind.COUNT
        return bool(self._words) and self._is(at, "verbs_after_noun")

    def _linked(self, at: int) -> bool:
        """Whether `of` belongs to the noun phrase: `number of pets`, `date of birth`."""
        before = self.lowers[at - 1] if at else ""
        if before in word_set("asking", "determiners") | word_set("asking", "openers"):
            return True
        heads = word_set("asking", "count_heads") | word_set("cues", "average")
        heads |= word_set("cues", "sum") | word_set("cues", "ratio")
        if before in heads and (before not in ("number", "numbers") or not self._words):
            return True
        return before in ("date", "place", "country", "type", "kind", "year") and (
            at + 1 < len(self.lowers) and not self._is(at + 1, "determiners")
        )

    def _joiner(self, at: int) -> int:
        """Return how many tokens join two items here, 0 where none does."""
        lower = self.lowers[at]
        if self.tokens[at].quoted:
            return 0
        for phrase in _JOINING_PHRASES:
            if self.lowers[at : at + len(phrase)] == phrase:
                return len(phrase)
        if lower == ",":
            return 1 + (self._joiner(at + 1) if at + 1 < len(self.lowers) else 0)
        return int(lower in word_set("asking", "joiners") or lower == "/")

    def _after_bracket(self, at: int) -> int:
        while at < len(self.lowers) and self.lowers[at] != ")":
            at += 1
        return at + 1

    def _goes_on_elsewhere(self, at: int) -> bool:
        """Whether a new question or request starts here, inside the sentence."""
        at += self._is(at, "after_imperative")
        return self._is(at, "openers") or (self._is(at, "imperatives") and self._may_request(at))

    def _restart(self, at: int) -> None:
        requested = self.requests
        if self.lowers[0] in word_set("asking", "sorting_requests"):
            self.items = [replace(item, required=False) for item in self.items]
        at += self._is(at, "after_imperative")
        self._open(at)
        self.requests = requested

    def _clause(self, at: int, *, hard: bool) -> None:
        """Skip what only says of which things is asked, until the list goes on."""
        start = at
        while at < len(self.tokens):
            hard = hard or self._hardens(at)
            joined = self._joiner(at)
            following = at + joined
            if joined and following < len(self.tokens):
                if self._goes_on_elsewhere(following) and not self._describes(at, following):
                    self._close_with_groups(start, at)
                    self._restart(following)
                    return
                if self._continues(at, following, hard=hard):
                    self._close_with_groups(start, at)
                    self._sure = not hard and self._surely_continues(following)
                    self._phrase(following)
                    return
                if not hard and self.lowers[at] == "and" and self._may_be_noun(following):
                    self._maybe = self.tokens[following]
                at = following
                continue
            if self.tokens[at].is_word and not self.tokens[at].quoted:
                self._tail.append(self.tokens[at])
            at += 1
        self._close_with_groups(start, at)

    def _may_be_noun(self, at: int) -> bool:
        """Whether `and` may join a second thing here: `the dates of arrival and departure`."""
        return (
            self.tokens[at].text.islower()
            and not self.tokens[at].quoted
            and not self._is(at, "imperatives")
            and not self._is(at, "sorting_requests")
            and not self._is(at, "verbs_after_noun")
            and not self._is(at, "prepositions")
        )

    def _hardens(self, at: int) -> bool:
        """Whether a relative clause, a verb or an order starts here: what follows is no list."""
        return (
            self._is(at, "relatives")
            or self._is(at, "verbs_after_noun")
            or self._is(at, "ordering")
            or self._order_stated(at)
        )

    def _describes(self, joiner: int, at: int) -> bool:
        """Whether `, which`, `and whose` only says more of the things and asks for nothing."""
        if self.lowers[at] in word_set("asking", "persons_relative"):
            return self.lowers[joiner] == "," or self.lowers[at] != "which"
        questioned = self._is(at + 1, "auxiliaries") or self._is(at + 1, "openers")
        return self._is(at, "relatives") and not questioned

    def _continues(self, joiner: int, at: int, *, hard: bool) -> bool:
        """Whether the list of things asked for goes on after a joiner in the description."""
        if self._is(at, "possessives"):
            self.refers_back = True
            return True
        if "number" in self.lowers[at : at + 3] and "of" in self.lowers[at : at + 4]:
            return True
        if self._is(at, "corresponding") or self._is(at + 1, "corresponding"):
            return True
        phrase = self.lowers[joiner] in ("as", "along", "together", "followed")
        if hard:
            return phrase and self._is(at, "determiners")
        named = self.lowers[at] == "the" and not self._is(at + 1, "prepositions")
        following = self.lowers[at + 1 : at + 3]
        return phrase or named or self.lowers[at] == "also" or bool({"of", "for"} & {*following})

    def _surely_continues(self, at: int) -> bool:
        return self._is(at, "possessives") or "of" in self.lowers[at : at + 4]

    def _close_with_groups(self, first: int, last: int) -> None:
        maybe = self._maybe
        self._close()
        if maybe is not None and maybe.is_word:
            self.items.append(_group(maybe, marked=False))
        self._maybe = None
        for token in self._group_words(first, last):
            self.items.append(_group(token, marked=True))

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
                    back=self._back,
                    sure=self._sure,
                )
            )
        self._words, self._tail, self._back = [], [], False
        self._kind, self._sure = AskedKind.PLAIN, True
