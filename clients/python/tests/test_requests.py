"""Repetitions of requests and of the stream of events, without a service."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import datetime, timezone
from itertools import islice
from pathlib import Path

import anyio
import httpx
import pytest

from cloudphone import AsyncCloudPhone, CloudPhone, CloudPhoneError, EventError, models, verify_webhook

Handler = Callable[[httpx.Request], httpx.Response]

JOB = {"id": "job_1", "kind": "create", "state": "done", "device": "demo", "progress": 100, "created_at": "2026-11-20T17:00:00Z"}
DEVICE = {
    **{"name": "demo", "model": "phone-720p", "android": "14", "state": "creating", "uptime": 0, "minutes_today": 0},
    **{"exit": {"type": "direct", "country": "us", "timezone": "America/New_York"}, "plan": "minute", "labels": {}, "timeline": False},
    **{"screen": {"width": 720, "height": 1280, "density": 320}, "driver": "simulated", "created_at": "2026-11-20T17:00:00Z"},
}


class Service:
    """Returns these responses in order, and keeps the requests and the waits between them."""

    def __init__(self, *responses: httpx.Response | Exception) -> None:
        self.requests: list[httpx.Request] = []
        self.waits: list[float] = []
        self._responses = list(responses)

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        response = self._responses.pop(0)
        if isinstance(response, Exception):
            raise response
        return response

    @property
    def client(self) -> CloudPhone:
        transport = httpx.MockTransport(self)
        return CloudPhone("http://phones/v1", "cp_key", transport=transport, wait=self.waits.append, random=lambda: 0.0)

    @property
    def async_client(self) -> AsyncCloudPhone:
        async def wait(seconds: float) -> None:
            self.waits.append(seconds)

        transport = httpx.MockTransport(self)
        return AsyncCloudPhone("http://phones/v1", "cp_key", transport=transport, wait=wait, random=lambda: 0.0)


def refusal(status: int, kind: str, **headers: str) -> httpx.Response:
    return httpx.Response(status, headers=headers, json={"error": kind, "message": f"It is {kind}."})


def job() -> httpx.Response:
    return httpx.Response(200, json={"job": JOB})


LOST = httpx.ReadError("connection reset")


def test_anything_is_repeated_after_a_rate_limit() -> None:
    service = Service(refusal(429, "rate_limited", **{"retry-after": "7"}), httpx.Response(202, json={"job": JOB}))
    made = service.client.post("/v1/devices/demo/stop", models.StopDeviceResult)
    assert made.job.kind == "create"
    assert service.waits == [7]
    assert service.requests[1].headers["authorization"] == "Bearer cp_key"


def test_a_rate_limit_of_longer_than_a_window_is_an_error() -> None:
    service = Service(refusal(429, "rate_limited", **{"retry-after": "61"}))
    with pytest.raises(CloudPhoneError) as caught:
        service.client.get("/v1/jobs/job_1", models.GetJobResult)
    assert (caught.value.kind, caught.value.retry_after_s, service.waits) == ("rate_limited", 61, [])


def test_a_read_is_repeated_five_times_and_then_an_error() -> None:
    service = Service(LOST, refusal(503, "unavailable"), refusal(504, "timeout"), httpx.Response(502, text="a proxy's"), LOST)
    with pytest.raises(CloudPhoneError) as caught:
        service.client.get("/v1/jobs/job_1", models.GetJobResult)
    assert caught.value.kind == "unreachable"
    assert service.waits == [0.5, 1, 2, 4]


def test_what_may_have_had_an_effect_is_sent_once() -> None:
    for failure in (LOST, refusal(503, "unavailable"), refusal(409, "busy")):
        service = Service(failure)
        with pytest.raises(CloudPhoneError):
            service.client.phone("demo").stop()
        assert len(service.requests) == 1


def test_a_creation_is_repeated_with_one_key() -> None:
    service = Service(LOST, httpx.Response(202, json={"job": JOB, "device": DEVICE}), job())
    phone = service.client.create_phone(model="phone-720p", network={"type": "direct", "country": "us"})
    assert phone.name == "demo"
    first, second = (request.headers["idempotency-key"] for request in service.requests[:2])
    assert first == second != ""


def test_the_async_client_repeats_alike() -> None:
    service = Service(LOST, refusal(429, "rate_limited", **{"retry-after": "2"}), job())

    async def run() -> models.Job:
        async with service.async_client as cloud:
            return (await cloud.get("/v1/jobs/job_1", models.GetJobResult)).job

    assert anyio.run(run).state == "done"
    assert service.waits == [0.5, 2]


def test_a_newer_service_may_have_further_words_and_fields() -> None:
    service = Service(httpx.Response(200, json={"job": {**JOB, "kind": "defrost", "colour": "blue"}}))
    assert service.client.get("/v1/jobs/job_1", models.GetJobResult).job.kind == "defrost"


def test_a_response_that_is_not_the_services_is_an_error() -> None:
    service = Service(httpx.Response(200, json={"hello": 1}))
    with pytest.raises(CloudPhoneError, match="GetJobResult") as caught:
        service.client.get("/v1/jobs/job_1", models.GetJobResult)
    assert caught.value.kind == "unexpected"
    with pytest.raises(ValueError, match="http"):
        CloudPhone("phones.example.com", "cp_key")


class Chunks(httpx.SyncByteStream):
    def __init__(self, *chunks: str | Exception) -> None:
        self._chunks = chunks

    def __iter__(self) -> Iterator[bytes]:
        for chunk in self._chunks:
            if isinstance(chunk, Exception):
                raise chunk
            yield chunk.encode()


def stream(*chunks: str | Exception) -> httpx.Response:
    return httpx.Response(200, headers={"content-type": "text/event-stream"}, stream=Chunks(*chunks))


def state(place: int, word: str) -> str:
    data = f'{{"event":"device.state","ts":"2026-11-20T17:00:00Z","phone":"demo","state":"{word}"}}'
    return f"id: {place}\nevent: device.state\ndata: {data}\n\n"


def test_events_go_on_behind_the_last_id() -> None:
    service = Service(
        stream("retry: 3000\n:\nid: 40\n\n", state(41, "starting"), state(42, "run")[:20], LOST),
        LOST,
        refusal(503, "unavailable", **{"retry-after": "1"}),
        stream(state(42, "running"), ":\nid: 50\n\n", 'event: stream.closed\ndata: {"error": "unavailable"}\n\n'),
        stream(state(51, "stopping")),
    )
    events = list(islice(service.client.events(["device.state"], device="demo"), 3))
    assert [(event.id, event.state) for event in events] == [("41", "starting"), ("42", "running"), ("51", "stopping")]
    assert [request.headers.get("last-event-id") for request in service.requests] == [None, "41", "41", "41", "50"]
    assert service.requests[0].url.query == b"types=device.state&device=demo"
    assert service.waits == [3, 6, 1, 3]


def test_events_end_with_a_refusal_and_where_nothing_is_reached_at_first() -> None:
    revoked = Service(stream("id: 1\n\n"), refusal(401, "unauthorized"))
    with pytest.raises(CloudPhoneError) as caught:
        next(revoked.client.events())
    assert caught.value.kind == "unauthorized"
    nothing = Service(*[LOST] * 5)
    with pytest.raises(CloudPhoneError) as caught:
        next(nothing.client.events())
    assert (caught.value.kind, len(nothing.requests)) == ("unreachable", 5)


def received(place: int, payload: object) -> str:
    return f"id: {place}\ndata: {payload if isinstance(payload, str) else json.dumps(payload)}\n\n"


def test_every_event_of_the_reference_is_read() -> None:
    document = json.loads((Path(__file__).parents[1] / "openapi.json").read_text())
    bodies = [webhook["post"]["requestBody"]["content"]["application/json"] for webhook in document["x-webhooks"].values()]
    payloads = [body["example"] for body in bodies]
    assert "key.expiring" in [payload["event"] for payload in payloads]
    service = Service(stream(*[received(place, payload) for place, payload in enumerate(payloads)]))
    events = list(islice(service.client.events(), len(payloads)))
    assert [event.event for event in events] == [payload["event"] for payload in payloads]
    assert [event.phone for event in events] == [payload.get("phone", "") for payload in payloads]
    expiring = next(event for event in events if event.event == "key.expiring")
    assert (expiring.key, expiring.name) == ("key_1m7x2vye5t4vyenbj210hep75", "ci")
    assert expiring.expires_at == datetime(2026, 11, 27, 17, tzinfo=timezone.utc)


def test_events_go_on_behind_one_that_is_not_known() -> None:
    for payload in ({"event": "device.state", "ts": "yesterday", "phone": "demo"}, ["an", "array"], "{"):
        service = Service(stream(state(41, "starting"), received(42, payload)), stream(state(43, "running")))
        events = service.client.events()
        assert next(events).id == "41"
        with pytest.raises(EventError, match="42") as caught:
            next(events)
        assert isinstance(caught.value, CloudPhoneError)
        assert (caught.value.kind, caught.value.event_id) == ("unexpected", "42")
        assert next(service.client.events(last_event_id=caught.value.event_id)).id == "43"
        assert service.requests[1].headers["last-event-id"] == "42"


def test_signatures_of_webhooks() -> None:
    body = b'{"event":"test"}'
    assert not verify_webhook(body, None, "cp_key")
    assert not verify_webhook(body, "0" * 64, "cp_key")
