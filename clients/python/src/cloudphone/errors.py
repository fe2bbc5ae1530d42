"""Requests, jobs and steps that failed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .models import ActResult, Job


class CloudPhoneError(Exception):
    """A request that failed. Its text is for people, with what to do next; programs use `kind`."""

    def __init__(
        self,
        message: str,
        *,
        kind: str,
        status: int = 0,
        request_id: str | None = None,
        retry_after_s: int | None = None,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        """The kind of the service's error; `unreachable` or `timeout` when no response came, `unexpected` when it is not the service's."""
        self.status = status
        """HTTP status; 0 when no response came."""
        self.request_id = request_id
        """X-Request-Id of the response, for reports to the operator."""
        self.retry_after_s = retry_after_s
        """After how many seconds the same request may succeed."""


class JobFailedError(CloudPhoneError):
    """A job that ended as `failed`: kind and text are those of its error."""

    def __init__(self, job: Job) -> None:
        error = job.error
        super().__init__(
            "The job failed." if error is None else error.message,
            kind="internal" if error is None else error.error,
            status=200,
        )
        self.job = job


class EventError(CloudPhoneError):
    """An event that this package cannot read, which a newer service may send."""

    def __init__(self, message: str, *, event_id: str) -> None:
        super().__init__(message, kind="unexpected", status=200)
        self.event_id = event_id
        """Its place in the events: as `last_event_id`, a new stream goes on after it."""


def job_timeout(job: Job, timeout_s: float) -> CloudPhoneError:
    text = f"Job {job.id} ({job.kind} of {job.device}) has not ended within {timeout_s:g} s and goes on. Wait for it again."
    return CloudPhoneError(text, kind="timeout", status=200)


class StepFailedError(CloudPhoneError):
    """A step on a phone's screen that could not be done."""

    def __init__(self, message: str, *, kind: str, result: ActResult) -> None:
        super().__init__(message, kind=kind, status=200)
        self.result = result
        """The results of the steps, with the screen after them."""


class ExpectationError(StepFailedError, AssertionError):
    """What was expected did not come true in time. Test programs report it as a failed assertion."""
