"""What a probability is made of beside the findings."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated, ClassVar

from pydantic import ConfigDict, Field, Strict

_LogOdds = Annotated[float, Strict()]


@dataclass(frozen=True, slots=True)
class Explanation:
    """Parts of the log-odds of being incorrect that are no findings.

    Together with the contributions of the findings they add up to the log-odds of
    `1 - p_correct`.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    prior: Annotated[
        _LogOdds,
        Field(description="of a query of which nothing is known: the share of incorrect ones"),
    ]
    silence: Annotated[_LogOdds, Field(description="what the silence of the other signals says")]
    shape: Annotated[_LogOdds, Field(description="the length and the parts of the query")]
    expectation: Annotated[
        _LogOdds,
        Field(description="how well the query fits what the question leads one to expect"),
    ]
    answers: Annotated[
        _LogOdds, Field(description="candidates that agree, and judges that speak for the query")
    ]

    def to_dict(self) -> dict[str, float]:
        """Return the parts as a JSON object."""
        return asdict(self)
