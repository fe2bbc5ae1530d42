from __future__ import annotations

import math
import random as platform_random
import time
import uuid
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from types import TracebackType
from typing import Any

import httpx
from httpx_sse import EventSource

from .. import models
from .._events import IDLE_S, Event, Place
from .._requests import (
    Query,
    Result,
    connection_error,
    error_of,
    json_of,
    origin_of,
    query_of,
    result_of,
    seconds_before_next,
    segment,
)
from .._waiting import AsyncWait, async_wait
from ..errors import CloudPhoneError, JobFailedError, job_timeout
from .phone import AsyncPhone

PAGE = 200
"""Most items of one page of a list."""

JOB_WAIT_MAX_S = 60
"""Longest time that the service holds a request for a job."""


class AsyncCloudPhone:
    """A cloud phone service, by one key. Use it in a `with` statement, or close it.

    `url`: base URL of the service, with /v1. `attempts`: most attempts for one request; 1 repeats nothing. `timeout_s`: longest wait for a
    response; requests can be held for 60 s. `transport`, `wait` and `random`: in place of the platform's.
    """

    def __init__(
        self,
        url: str,
        key: str,
        *,
        attempts: int = 5,
        timeout_s: float = 90.0,
        transport: httpx.AsyncBaseTransport | None = None,
        wait: AsyncWait = async_wait,
        random: Callable[[], float] = platform_random.random,
    ) -> None:
        self._origin = origin_of(url)
        self._attempts = attempts
        self._timeout_s = timeout_s
        self._wait = wait
        self._random = random
        self._http = httpx.AsyncClient(
            base_url=self._origin, headers={"authorization": f"Bearer {key}"}, timeout=timeout_s, transport=transport
        )

    async def __aenter__(self) -> AsyncCloudPhone:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Closes its connections."""
        await self._http.aclose()

    def phone(self, name: str) -> AsyncPhone:
        """The phone of this name; no request is sent."""
        return AsyncPhone(self, name)

    async def phones(self, *, state: str | None = None, label: str | None = None) -> AsyncGenerator[models.Device, None]:
        """The devices that the key sees; `label` as `key:value`."""
        cursor: str | None = None
        while True:
            query: Query = {"state": state, "label": label, "limit": PAGE, "cursor": cursor}
            page = await self.get("/v1/devices", models.ListDevicesResult, query=query)
            for device in page.devices:
                yield device
            cursor = page.next_cursor
            if not cursor:
                return

    async def create_phone(
        self,
        *,
        model: str,
        network: Mapping[str, str] | models.ExitChoice,
        plan: str = "minute",
        name: str | None = None,
        android: str | None = None,
        start: bool | None = None,
        idempotency_key: str | None = None,
        timeout_s: float = 600.0,
    ) -> AsyncPhone:
        """Creates a phone and waits until it has booted, or is there, with `start=False`.

        It is created once, also where a response was lost. To have the same for a program that is run again, pass an `idempotency_key`.
        """
        fields = {"model": model, "network": network, "plan": plan, "name": name, "android": android, "start": start}
        body = {field: value for field, value in fields.items() if value is not None}
        made = await self.post(
            "/v1/devices", models.CreateDeviceResult, body, idempotency_key=idempotency_key or str(uuid.uuid4())
        )
        await self.wait_for_job(made.job, timeout_s=timeout_s)
        return self.phone(made.device.name)

    async def wait_for_job(
        self,
        job: models.Job | str,
        *,
        timeout_s: float = 600.0,
        on_progress: Callable[[models.Job], None] | None = None,
    ) -> models.Job:
        """Waits until a job has ended and returns it. Raises JobFailedError when it failed, and `timeout` when it has not ended in time."""
        deadline = time.monotonic() + timeout_s
        path = f"/v1/jobs/{segment(job if isinstance(job, str) else job.id)}"
        while True:
            left_s = max(0, math.ceil(deadline - time.monotonic()))
            query = {"wait_s": min(JOB_WAIT_MAX_S, left_s)}
            current = (await self.get(path, models.GetJobResult, query=query)).job
            if on_progress is not None:
                on_progress(current)
            if current.state == "done":
                return current
            if current.state == "failed":
                raise JobFailedError(current)
            if time.monotonic() >= deadline:
                raise job_timeout(current, timeout_s)

    async def run_group(
        self,
        devices: Sequence[str],
        steps: Sequence[Mapping[str, Any] | models.GroupStepInput],
        *,
        name: str | None = None,
        concurrency: int | None = None,
        on_error: str | None = None,
        timeout_s: float = 3600.0,
    ) -> models.Group:
        """Runs the same steps on many phones, and returns the group when it has ended: each device with its state and error.

        A device that failed is no exception: its state is `failed`.
        """
        fields = {"devices": devices, "steps": steps, "name": name, "concurrency": concurrency, "on_error": on_error}
        body = {field: value for field, value in fields.items() if value is not None}
        made = await self.post("/v1/groups", models.CreateGroupResult, body)
        try:
            await self.wait_for_job(made.job, timeout_s=timeout_s)
        except JobFailedError:
            pass  # The group has the reason of each device.
        return (await self.get(f"/v1/groups/{segment(made.group.id)}", models.GetGroupResult)).group

    async def events(
        self, types: Sequence[str] = (), *, device: str | None = None, last_event_id: str | None = None
    ) -> AsyncGenerator[Event, None]:
        """Events of the phones as they happen, without end: each once and in their order, also over disconnects.

        `types`: only these; all without any. `last_event_id`: go on behind the event with this id. Raises when the service refuses: when the
        key was revoked, or the id is older than the events that are kept. A service that cannot be reached is an error after `attempts` at the
        beginning; a stream that was open is opened again for as long as it takes. Close the iterator, or its client, to end the stream.
        An event that this package cannot read is an EventError; its `event_id` as `last_event_id` goes on behind it.
        """
        query = query_of({"types": ",".join(types) or None, "device": device})
        timeout = httpx.Timeout(self._timeout_s, read=IDLE_S)
        place = Place(last_event_id)
        while True:
            error: CloudPhoneError | None = None
            try:
                async with self._http.stream(
                    "GET", "/v1/events", params=query, headers=place.headers, timeout=timeout
                ) as response:
                    if response.is_success:
                        async for received in EventSource(response).aiter_sse():
                            event = place.take(received)
                            if event is not None:
                                yield event
                    else:
                        await response.aread()
                        error = error_of(response)
            except httpx.TransportError as cause:
                error = connection_error(cause, self._origin)
            await self._wait(place.seconds_before_next(error, attempts=self._attempts, random=self._random()))

    async def get(self, path: str, result: type[Result], *, query: Query | None = None) -> Result:
        """GET of any path of the reference; `result` is the model of its response."""
        return result_of(await self.request("GET", path, query=query), result)

    async def post(
        self, path: str, result: type[Result], body: object = None, *, idempotency_key: str | None = None
    ) -> Result:
        """POST to any path of the reference. `body`: a model, or what JSON is made of."""
        headers = {} if idempotency_key is None else {"idempotency-key": idempotency_key}
        return result_of(await self.request("POST", path, body=body, headers=headers), result)

    async def patch(self, path: str, result: type[Result], body: object) -> Result:
        return result_of(await self.request("PATCH", path, body=body), result)

    async def put(self, path: str, result: type[Result], body: object) -> Result:
        return result_of(await self.request("PUT", path, body=body), result)

    async def delete(self, path: str, result: type[Result]) -> Result:
        return result_of(await self.request("DELETE", path), result)

    async def request(
        self,
        method: str,
        path: str,
        *,
        body: object = None,
        query: Query | None = None,
        headers: Mapping[str, str] | None = None,
        files: Mapping[str, Any] | None = None,
    ) -> httpx.Response:
        """Sends any request, and returns its response, which is a success. `path` begins with /v1.

        Repeated where that is safe. `files`, for uploads, are sent once.
        """
        sent = {**(headers or {}), **({} if body is None else {"content-type": "application/json"})}
        content = None if body is None else json_of(body)
        is_safe = method in ("GET", "HEAD") or "idempotency-key" in sent
        attempt = 0
        while True:
            attempt += 1
            try:
                response = await self._http.request(
                    method, path, content=content, params=query_of(query), headers=sent, files=files
                )
                if response.is_success or response.status_code == 304:
                    return response
                error = error_of(response)
            except httpx.TransportError as cause:
                error = connection_error(cause, self._origin)
            may_repeat = attempt < self._attempts and files is None
            seconds = seconds_before_next(error, is_safe=is_safe, attempt=attempt, random=self._random())
            if seconds is None or not may_repeat:
                raise error
            await self._wait(seconds)
