"""Events of GET /v1/events, and where their stream goes on after a disconnect."""

from __future__ import annotations

import json
from datetime import datetime

from httpx_sse import ServerSentEvent
from pydantic import BaseModel, ConfigDict

from ._requests import SHOWN_MAX, is_passing
from .errors import CloudPhoneError, EventError
from .models import Job, Problem

IDLE_S = 45.0
"""A stream without a byte for so long is lost: the service sends a comment every 15 seconds."""

RETRY_S = 3.0
"""Wait before a stream is opened again, unless the service sends another."""

RETRY_MAX_S = 30.0


class Event(BaseModel):
    """Something that happened to a phone, or to a group."""

    model_config = ConfigDict(extra="allow")

    id: str
    """Its place in the events: as `last_event_id`, the stream goes on after it."""
    event: str
    """job.finished, health.problem, health.resolved, recording.finished, lease.begun, lease.ended, handover.begun, handover.ended,
    app.crashed, app.not_responding, key.expiring or device.state; a newer service may have others."""
    ts: datetime
    phone: str = ""
    """Name of the device. Empty for a group and for a key."""
    job: Job | None = None
    """Of job.finished: the job in its final state."""
    problem: Problem | None = None
    """Of health.problem and health.resolved."""
    state: str | None = None
    """Of device.state: the state from then on."""
    key: str | None = None
    """Of key.expiring: the id of the key."""
    name: str | None = None
    """Of key.expiring: the name of the key."""
    expires_at: datetime | None = None
    """Of key.expiring: when the key stops working."""


class Place:
    """The place of a reader in the stream."""

    def __init__(self, last_event_id: str | None) -> None:
        self.last_event_id = last_event_id
        self.is_open = False
        """Whether a stream was open once: from then on it is opened again for as long as it takes."""
        self._retry_s = RETRY_S
        self._failures = 0

    @property
    def headers(self) -> dict[str, str]:
        accepted = {"accept": "text/event-stream", "cache-control": "no-store"}
        return accepted if self.last_event_id is None else {**accepted, "last-event-id": self.last_event_id}

    def take(self, received: ServerSentEvent) -> Event | None:
        """The event, if the text that was received is one. Raises an EventError for one that cannot be read, and is behind it then."""
        self.is_open = True
        self._failures = 0
        if received.id:
            self.last_event_id = received.id
        if received.retry is not None:
            self._retry_s = min(received.retry / 1000, RETRY_MAX_S)
        # stream.closed is the end of a stream: the response to the next request shows whether the key is still good.
        if received.data == "" or received.event == "stream.closed":
            return None
        return event_of(received)

    def seconds_before_next(self, error: CloudPhoneError | None, *, attempts: int, random: float) -> float:
        """How long to wait until the stream is opened again. Raises the error that there is no use in repeating."""
        self._failures += 1
        if error is not None:
            is_limit = error.status == 429 and error.retry_after_s is not None
            if not (is_limit or is_passing(error)) or (not self.is_open and self._failures >= attempts):
                raise error
            if error.retry_after_s is not None:
                return error.retry_after_s + random
        # Of many readers of a service that was restarted, not all come back at the same time.
        return min(self._retry_s * 2.0 ** min(self._failures - 1, 4), RETRY_MAX_S) * (1 + random / 2)


def event_of(received: ServerSentEvent) -> Event:
    try:
        data = json.loads(received.data)
        if not isinstance(data, dict):
            raise ValueError("its data is no object")
        return Event.model_validate({**data, "id": received.id})
    except ValueError as cause:
        message = f"Event {received.id} is not an Event as this package knows it: {cause}: {received.data[:SHOWN_MAX]}"
        raise EventError(message, event_id=received.id) from cause
