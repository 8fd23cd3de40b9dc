"""What a provider does to a conversation: replies without a message, refusals, a full context window, outages.

Who answers for what (the rule of three outcomes): a refusal and a context window that the model filled are the model's
own endings, scored on what the conversation has. A reply that holds no message, and a provider that was failing when
the time ran out, are errors of ours: retried, then reported apart and never scored.
"""

from __future__ import annotations

from itertools import takewhile
from typing import Literal

from inspect_ai.event import ModelEvent
from inspect_ai.log import transcript
from inspect_ai.model import ModelOutput
from inspect_ai.util import sample_limits
from tenacity import RetryError

Ending = Literal["rounds", "refusal", "context"]
_CANCELLED = "model call cancelled"  # what Inspect notes as the error of a call that a limit interrupts


class ProviderError(Exception):
    """The provider did not do its part; says how."""


def refuse_empty_reply(output: ModelOutput) -> None:
    """Raises ProviderError for a reply without any message, which is not even an empty answer."""
    if not output.choices:
        raise ProviderError(f"the reply holds no message{f': {output.error}' if output.error else ''}")


def ending_of(output: ModelOutput) -> Ending | None:
    """What cut a reply short for good, if anything did. A reply cut at its own maximum of tokens is a reply."""
    if output.stop_reason == "content_filter":
        return "refusal"
    return "context" if output.stop_reason == "model_length" else None


def outage_at_time_limit() -> ProviderError | None:
    """For a conversation that is being cancelled: the error of its provider, if its time ran out during retries.

    The limit on wall-clock time goes on while Inspect waits for a provider that fails. A conversation that ends so was
    not ended by the model.
    """
    remaining = sample_limits().time.remaining
    if remaining is None or remaining > 0:
        return None
    calls = [event for event in transcript().events if isinstance(event, ModelEvent)]
    unanswered = takewhile(lambda call: call.error is not None, reversed(calls))
    failures = [str(call.error).strip() for call in unanswered if _CANCELLED not in str(call.error)]
    return ProviderError(f"failing when the time limit came: {failures[0]}") if failures else None


def as_error_of_ours(error: Exception) -> Exception:
    """The error to end a conversation with, so that Inspect takes it for one and its message says what happened.

    Inspect takes a TimeoutError that leaves a solver for the end of the conversation and would score it, and hides the
    error of a call that was retried in vain behind the address of an object.
    """
    if isinstance(error, RetryError) and error.__cause__ is not None:
        attempts = error.last_attempt.attempt_number
        return ProviderError(f"failed {attempts} times, at last with {_said(error.__cause__)}")
    return ProviderError(_said(error)) if isinstance(error, TimeoutError) else error


def _said(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"
