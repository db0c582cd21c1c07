"""The options by which a language model is asked, the same for every command that may ask one."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, get_type_hints

import typer

from clausewise.cli.common import notify, print_error
from clausewise.errors import InputError

if TYPE_CHECKING:
    from clausewise.llm import LLM, LLMSettings


class When(StrEnum):
    """About which cases the model is asked."""

    ALL = "all"
    DOUBTFUL = "doubtful"


WhenOption: TypeAlias = Annotated[
    When, typer.Option("--llm-when", help="Ask about all cases, or only about doubtful ones.")
]
ShareOption: TypeAlias = Annotated[
    float | None,
    typer.Option("--llm-share", help="Share of the cases that are doubtful.", min=0, max=1),
]


@dataclass(frozen=True)
class ModelOptions:
    """What the user says of the language model; the key comes from the environment alone."""

    llm: Annotated[
        str | None, typer.Option("--llm", metavar="MODEL", help="A language model to ask.")
    ] = None
    llm_base_url: Annotated[
        str | None, typer.Option("--llm-base-url", help="An OpenAI-compatible endpoint.")
    ] = None
    llm_budget: Annotated[
        str | None,
        typer.Option("--llm-budget", help="The most to spend, e.g. calls=1000,tokens=2000000."),
    ] = None
    llm_price: Annotated[
        str | None,
        typer.Option("--llm-price", help="US dollars per million tokens, e.g. 0.15,0.60."),
    ] = None
    llm_concurrency: Annotated[
        int, typer.Option("--llm-concurrency", help="Calls in flight.", min=1)
    ] = 8
    llm_requests_per_minute: Annotated[
        float | None, typer.Option("--llm-requests-per-minute", help="The endpoint's rate limit.")
    ] = None
    llm_timeout: Annotated[
        float, typer.Option("--llm-timeout", help="Seconds for one try.", min=0.1)
    ] = 60.0
    llm_offline: Annotated[
        bool, typer.Option("--llm-offline", help="Answer from the cache alone.")
    ] = False
    llm_no_values: Annotated[
        bool, typer.Option("--llm-no-values", help="Send no cell of the database.")
    ] = False
    llm_combined: Annotated[
        bool, typer.Option("--llm-combined", help="One call that answers several signals.")
    ] = False
    llm_samples: Annotated[
        int,
        typer.Option(
            "--llm-samples", help="Times to ask where the majority of answers counts.", min=1
        ),
    ] = 5
    llm_prepare: Annotated[
        str | None,
        typer.Option("--llm-prepare", help="documentation, rewriting, or both with a comma."),
    ] = None

    def settings(self) -> LLMSettings | None:
        """Return the settings of the language model's client, None where no model is named.

        Raises InputError where an option has no meaning, or is given without a model.
        """
        from clausewise.llm import Budget, LLMSettings

        if self.llm is None:
            given = [
                field.name for field in fields(self) if getattr(self, field.name) != field.default
            ]
            if given:
                option = given[0].replace("_", "-")
                raise InputError("has no meaning without --llm MODEL", field=f"--{option}")
            return None
        prepare = (self.llm_prepare or "").split(",")
        return LLMSettings(
            model=self.llm,
            base_url=self.llm_base_url,
            concurrency=self.llm_concurrency,
            requests_per_minute=self.llm_requests_per_minute,
            timeout=self.llm_timeout,
            budget=Budget() if self.llm_budget is None else Budget.parse(self.llm_budget),
            price=None if self.llm_price is None else _price(self.llm_price),
            offline=self.llm_offline,
            send_values=not self.llm_no_values,
            combined=self.llm_combined,
            samples=self.llm_samples,
            prepare=frozenset(part.strip() for part in prepare if part.strip()),
        )

    @contextmanager
    def opened(self) -> Iterator[LLM | None]:
        """Yield the language model's client, None where none is named; then report its cost."""
        settings = self.settings()
        if settings is None:
            yield None
            return
        from clausewise.llm import LLM

        with LLM(settings) as llm:
            try:
                yield llm
            finally:
                notify(_spent(llm))
                if llm.failures:
                    where = f" at {settings.base_url}" if settings.base_url else ""
                    print_error(f"language model {settings.model}{where}: {llm.failures}")


def refuse_lone_options(model: ModelOptions, when: When, share: float | None) -> None:
    """Raise InputError for options that have no effect in this combination."""
    if model.llm is None and when is not When.ALL:
        raise InputError("has no meaning without --llm MODEL", field="--llm-when")
    if share is not None and when is not When.DOUBTFUL:
        raise InputError("has no meaning without --llm-when doubtful", field="--llm-share")


def _price(text: str) -> tuple[float, float]:
    try:
        prompt, answer = (float(part) for part in text.split(","))
    except ValueError:
        raise InputError(
            f"cannot read '{text}': two prices in US dollars per million tokens, of prompts and "
            "of answers, e.g. 0.15,0.60",
            field="--llm-price",
        ) from None
    return prompt, answer


def _spent(llm: LLM) -> str:
    spent = llm.spent
    cost = "" if spent.usd is None else f", {spent.usd:.4f} US dollars"
    return (
        f"{llm.settings.model}: {spent.calls} calls, {spent.prompt_tokens} prompt and "
        f"{spent.completion_tokens} answer tokens{cost}"
    )


def with_model_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options of `ModelOptions`; it gets them as one argument, `model`."""
    hints = get_type_hints(command, include_extras=True)
    own = [
        parameter.replace(annotation=hints[parameter.name])
        for parameter in inspect.signature(command).parameters.values()
        if parameter.name != "model"
    ]
    option_hints = get_type_hints(ModelOptions, include_extras=True)
    added = [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=field.default,
            annotation=option_hints[field.name],
        )
        for field in fields(ModelOptions)
    ]

    @functools.wraps(command)
    def with_options(*args: Any, **given: Any) -> Any:
        chosen = {field.name: given.pop(field.name) for field in fields(ModelOptions)}
        return command(*args, **given, model=ModelOptions(**chosen))

    parameters = [*own, *added]
    with_options.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        parameters, return_annotation=hints["return"]
    )
    with_options.__annotations__ = {item.name: item.annotation for item in parameters}
    return with_options
