"""What the words of a sentence may be: question words, requests, joiners, ends of a noun phrase."""

from __future__ import annotations

from clausewise.question.tokens import Token, word_set, word_table

_POLITE_REACH = 3
"""Tokens from `could you` to what is requested: `please`, `kindly`, `also`."""
_LONGEST_OPENING = 5
"""Words of the longest opening: `i would like to know`."""
_LONGEST_PHRASE = 8
"""Tokens of a phrase after `with` that are looked at."""
_FIGURES = frozenset({"many", "much", "total", "sum", "average", "mean", "avg", "percentage",
                      "percent", "share", "cumulative", "running"})  # fmt: skip
_RELATING = frozenset({"where", "when", "who", "whose"})
_PICKING = frozenset(
    {"same", "only", "best", "worst", "top", "between", "over", "under", "above", "below",
     "exactly", "equal", "no", "not", "any", "than", "least", "most", "starting", "beginning",
     "ending", "containing", "being", "value"}
)  # fmt: skip
"""Words by which a phrase after `with` says of which things is asked."""
_JOINING_PHRASES = (
    ("as", "well", "as"),
    ("along", "with"),
    ("together", "with"),
    ("followed", "by"),
    ("in", "addition", "to"),
)


class SentenceGrammar:
    """The tokens of one sentence and what may stand at each position."""

    def __init__(self, tokens: tuple[Token, ...]) -> None:
        self.tokens = tokens
        self.lowers = tuple(token.lower for token in tokens)

    def is_listed(self, at: int, key: str) -> bool:
        """Whether the token is in a list of the table `asking`; false inside quotation marks."""
        return (
            at < len(self.lowers)
            and not self.tokens[at].quoted
            and self.lowers[at] in word_set("asking", key)
        )

    def opening(self) -> int | None:
        """Return where the question word or the request stands, None where there is none."""
        polite = self._polite_request()
        if polite is not None:
            return polite
        for at, token in enumerate(self.tokens):
            if token.quoted:
                continue
            fresh = at == 0 or self.lowers[at - 1] in word_set("asking", "before_requests")
            second = at <= 2 and self.is_listed(0, "prepositions")
            if self.is_listed(at, "openers") and (fresh or second or at <= 1):
                return at
            if at == 0 and self.is_listed(at, "sorting_requests") and token.sentence == 0:
                return at
            if fresh and self.is_listed(at, "imperatives") and self.may_request(at):
                return at
        if self.is_listed(0, "yes_no"):
            return 0
        return next((at for at in range(len(self.tokens)) if self._opens_late(at)), None)

    def counts_without_request(self) -> bool:
        """Whether the sentence is only `number of vessels`, without a word that asks."""
        at = next(
            (i for i in range(min(3, len(self.tokens))) if self.is_listed(i, "count_heads")), 3
        )
        plain = all(self.lowers[i] in ("the", "total") for i in range(min(at, len(self.tokens))))
        return plain and self.lowers[at + 1 : at + 2] == ("of",)

    def _opens_late(self, at: int) -> bool:
        """Whether a question word inside a sentence asks: in a later sentence `where` relates."""
        later = self.tokens[at].sentence > 0 and self.lowers[at] in _RELATING
        return self.is_listed(at, "openers") and not later

    def _polite_request(self) -> int | None:
        """Return where the request stands in `could you list ...`, `I'd like to know ...`."""
        openings = word_set("asking", "polite_openings")
        longest = min(_LONGEST_OPENING, len(self.lowers))
        said = (length for length in range(longest, 1, -1) if self._says(length, openings))
        start = next(said, None)
        if start is None:
            return None
        for at in range(start, start + _POLITE_REACH):
            if self.is_listed(at, "openers") or self.is_listed(at, "requesting_gerunds"):
                return at
            if self.is_listed(at, "imperatives") and self.may_request(at):
                return at
        return start - 1 if self.is_listed(start - 1, "polite_requests") else None

    def _says(self, length: int, openings: frozenset[str]) -> bool:
        return " ".join(self.lowers[:length]) in openings

    def may_request(self, at: int) -> bool:
        """Whether a word that requests (`name`, `list`) is no noun here."""
        if self.lowers[at] not in word_set("asking", "requests_or_nouns"):
            return True
        if at == 0:
            return self.lowers[1:2] not in (("and",), (",",), ("of",))
        following = self.lowers[at + 1] if at + 1 < len(self.lowers) else ""
        return following in ("me", "us", "out", "down") or (
            self.is_listed(at + 1, "determiners") and following not in ("of", "that", "this")
        )

    def group_words(self, first: int, last: int) -> list[Token]:
        """Return the noun after `each`, `every`, `per` between two positions."""
        found = []
        for at in range(first, min(last, len(self.tokens))):
            different = (
                self.is_listed(at, "different") and "for" in self.lowers[max(0, at - 3) : at]
            )
            if not different and self.lowers[at] not in word_set("cues", "each"):
                continue
            place = next((i for i in range(at + 1, at + 4) if self._is_noun(i)), None)
            if place is not None:
                found.append(self.tokens[place])
                if self.lowers[place + 1 : place + 2] in (("and",), ("or",)):
                    found.extend(self.tokens[place + 2 : place + 3])
        return found

    def by_words(self, first: int, last: int) -> list[Token]:
        """Return the noun after `by` in `the number of hives by breed`; figures are asked for."""
        if not set(self.lowers) & (_FIGURES | word_set("asking", "count_heads")):
            return []
        return [
            self.tokens[at + 1]
            for at in range(first, min(last, len(self.tokens) - 1))
            if self.lowers[at] == "by"
            and self._is_noun(at + 1)
            and not self.is_listed(at + 1, "openers")
            and self.tokens[at + 1].text.islower()
            and not self._is_participle(at - 1)
        ]

    def _is_participle(self, at: int) -> bool:
        """Whether `by` names who did it: `written by`, `sold by`, `ordered by`."""
        return at >= 0 and (
            self.is_listed(at, "verbs_after_noun")
            or self.is_listed(at, "ordering")
            or self.is_listed(at, "ordering_imperatives")
            or self.lowers[at].endswith("ed")
        )

    def shows_beside(self, at: int, *, closed: bool) -> bool:
        """Whether `with` adds things to show (`with their dates`), and no condition on things.

        A colon after a request adds them too: `the last harvest: date and weight`.
        """
        if self.tokens[at].quoted:
            return False
        if self.lowers[at] == ":":
            return at + 1 < len(self.tokens) and not self.tokens[at + 1].quoted
        if self.lowers[at] != "with" or (closed and self.lowers[at - 1] != ","):
            return False
        following = at + 1
        figures = _FIGURES | word_set("asking", "count_heads") | word_set("cues", "ratio")
        if not (
            self.is_listed(following, "possessives")
            or self.lowers[following : following + 1] in (("the",), ("corresponding",), ("how",))
            or figures & set(self.lowers[following : following + 1])
        ):
            return False
        return not self._is_condition(following)

    def _is_condition(self, at: int) -> bool:
        """Whether a phrase picks rows: a superlative, a comparison, a number or a name in it."""
        picking = _PICKING | word_set("cues", "comparing")
        picking |= word_set("superlatives", "highest") | word_set("superlatives", "lowest")
        picking |= frozenset(word_table("superlatives")["by_meaning"])
        for place in range(at, min(at + _LONGEST_PHRASE, len(self.tokens))):
            ends = self.joiner_length(place) or self.is_listed(place, "relatives")
            if ends or self.lowers[place] in ("in", "during", "on", "from", "for"):
                break
            token = self.tokens[place]
            if token.quoted or token.capitalized or token.text[0].isdigit():
                return True
            if token.lower in picking or token.lower in "=<>":
                return True
        return False

    def _is_noun(self, at: int) -> bool:
        return (
            at < len(self.tokens)
            and self.tokens[at].is_word
            and self.lowers[at] not in word_set("asking", "not_nouns")
            and self.lowers[at] not in word_set("asking", "before_nouns")
        )

    def is_possessive(self, at: int) -> bool:
        """Whether what was read so far is only the owner: `the student's`."""
        lower = self.lowers[at]
        return lower.endswith(("'s", "\u2019s")) or lower in ("'", "\u2019")

    def states_order(self, at: int) -> bool:
        """Whether `in order of`, `in the order` starts here; `order` alone may be a thing."""
        if self.lowers[at] == "order":
            return self.lowers[at + 1 : at + 2] == ("by",)
        return self.lowers[at] == "in" and "order" in self.lowers[at + 1 : at + 3]

    def joiner_length(self, at: int) -> int:
        """Return how many tokens join two items here, 0 where none does."""
        first = at
        while at < len(self.lowers) and self.lowers[at] == "," and not self.tokens[at].quoted:
            at += 1
        commas = at - first
        if at == len(self.lowers) or self.tokens[at].quoted:
            return commas
        for phrase in _JOINING_PHRASES:
            if self.lowers[at : at + len(phrase)] == phrase:
                return commas + len(phrase)
        return commas + (self.lowers[at] in ("/", "+") or self.is_listed(at, "joiners"))

    def after_bracket(self, at: int) -> int:
        """Return the position after the bracket that closes."""
        while at < len(self.lowers) and self.lowers[at] != ")":
            at += 1
        return at + 1

    def starts_request(self, at: int) -> bool:
        """Whether a new question or request starts here, inside the sentence."""
        at += self.is_listed(at, "after_imperative")
        return self.is_listed(at, "openers") or (
            self.is_listed(at, "imperatives") and self.may_request(at)
        )

    def may_be_noun(self, at: int) -> bool:
        """Whether `and` may join a second thing here: `the dates of arrival and departure`."""
        return (
            self.tokens[at].text.islower()
            and not self.tokens[at].quoted
            and not self.is_listed(at, "imperatives")
            and not self.is_listed(at, "sorting_requests")
            and not self.is_listed(at, "verbs_after_noun")
            and not self.is_listed(at, "prepositions")
        )

    def ends_list(self, at: int) -> bool:
        """Whether a relative clause, a verb or an order starts here: what follows is no list."""
        return (
            self.is_listed(at, "relatives")
            or self.is_listed(at, "verbs_after_noun")
            or self.is_listed(at, "ordering")
            or self.states_order(at)
        )

    def describes(self, joiner: int, at: int) -> bool:
        """Whether `, which`, `and whose` only says more of the things and asks for nothing."""
        if self.lowers[at] in word_set("asking", "persons_relative"):
            return self.lowers[joiner] == "," or self.lowers[at] != "which"
        questioned = self.is_listed(at + 1, "auxiliaries") or self.is_listed(at + 1, "openers")
        return self.is_listed(at, "relatives") and not questioned

    def surely_continues(self, at: int) -> bool:
        """Whether what follows is surely one more thing asked for: `their ages`, `names of`."""
        return self.is_listed(at, "possessives") or "of" in self.lowers[at : at + 4]
