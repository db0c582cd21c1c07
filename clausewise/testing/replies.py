"""Language models for tests: recorded replies, and models that say yes or no to everything.

Both are served by a `ScriptedEndpoint` to the real client, so that requests, parsing and re-asks
are those of a real run. A recorded reply is one of

- a text: the content of the model's message, as it is;
- a mapping: the same, written as JSON;
- `{chances: {"yes": 0.8, "no": 0.1}}`: the probabilities of the first word of the answer;
- `{refusal: text}`: the server says that the model refuses.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clausewise.testing.endpoint import Reply, ScriptedEndpoint

if TYPE_CHECKING:
    from clausewise.llm import LLM

_NO_MORE = Reply(status=400, error="the test has no further reply")


class RecordedReplies:
    """Gives replies in order; a request beyond the last one is refused."""

    def __init__(self, replies: Sequence[str | Mapping[str, Any]]) -> None:
        self._replies = [_reply(reply) for reply in replies]
        self._chances = any(reply.chances for reply in self._replies)
        self._lock = threading.Lock()

    @property
    def left(self) -> int:
        """How many replies have not been asked for."""
        return len(self._replies)

    def __call__(self, request: Mapping[str, Any]) -> Reply:
        """Return the next reply. A model gives chances of words where one of the replies does."""
        if _is_probe(request):
            return Reply("Yes", chances={"Yes": 0.99, "No": 0.01} if self._chances else None)
        with self._lock:
            return self._replies.pop(0) if self._replies else _NO_MORE


class AnyReply:
    """Answers every request with an object that fits its schema, and says `answer` throughout."""

    def __init__(self, answer: bool, texts: Sequence[str] = ("author.name", "author")) -> None:
        self._answer = answer
        self._texts = tuple(texts)

    def __call__(self, request: Mapping[str, Any]) -> Reply:
        """Return the reply; requests without a schema get a yes or no."""
        if _is_probe(request):
            return Reply("Yes", chances={"Yes": 0.99, "No": 0.01})
        schema = request.get("response_format", {}).get("json_schema", {}).get("schema")
        if schema is None:
            yes = 0.9 if self._answer else 0.2
            return Reply("Yes" if self._answer else "No", chances={"Yes": yes, "No": 1 - yes})
        return Reply(json.dumps(_instance(schema, schema, self._answer, cycle(self._texts))))


@contextmanager
def scripted_model(
    replies: Callable[[Mapping[str, Any]], Reply], folder: Path, **settings: Any
) -> Iterator[LLM]:
    """Open a model behind a server on the loopback; its cache stays in `folder`.

    `settings` are fields of `LLMSettings`. Raises MissingExtraError without `clausewise[llm]`.
    """
    from clausewise.llm import LLM, LLMSettings

    if "prepare" in settings:
        settings["prepare"] = frozenset(settings["prepare"])
    with ScriptedEndpoint(replies) as endpoint:
        given: dict[str, Any] = {"base_url": endpoint.url, "attempts": 1}
        given |= {"cache_folder": folder / "llm", **settings}
        with LLM(LLMSettings("scripted", **given)) as llm:
            yield llm


def _reply(recorded: str | Mapping[str, Any]) -> Reply:
    if isinstance(recorded, str):
        return Reply(recorded)
    if "chances" in recorded:
        chances = {str(word): float(share) for word, share in recorded["chances"].items()}
        return Reply(max(chances, key=lambda word: chances[word]), chances=chances)
    if "refusal" in recorded:
        return Reply("", refusal=recorded["refusal"])
    return Reply(json.dumps(recorded, ensure_ascii=False))


def _is_probe(request: Mapping[str, Any]) -> bool:
    """Whether the client only asks whether the server gives chances of words."""
    from clausewise.llm.yes_no import PROBE_USER

    return any(message["content"] == PROBE_USER for message in request["messages"])


def _instance(
    schema: Mapping[str, Any], whole: Mapping[str, Any], answer: bool, texts: Iterator[str]
) -> Any:
    """Return a value that fits a JSON schema; arrays get two items."""
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        return _instance(whole["$defs"][name], whole, answer, texts)
    if "anyOf" in schema:
        return _instance(schema["anyOf"][0], whole, answer, texts)
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema.get("type")
    if kind == "object":
        return {
            name: _instance(part, whole, answer, texts)
            for name, part in schema["properties"].items()
        }
    if kind == "array":
        return [_instance(schema["items"], whole, answer, texts) for _ in range(2)]
    simple: dict[Any, Any] = {"boolean": answer, "integer": 1, "number": 0.4}
    return simple.get(kind) if kind in simple else next(texts)
