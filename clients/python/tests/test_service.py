"""Both clients against a whole service, whose address and key are in the environment."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from contextlib import aclosing
from itertools import islice

import anyio
import anyio.from_thread
import httpx
import pytest

from cloudphone import AsyncCloudPhone, CloudPhone, CloudPhoneError, ExpectationError, JobFailedError, Phone, models

URL, KEY = os.environ["CLOUDPHONE_URL"], os.environ["CLOUDPHONE_KEY"]
NETWORK = {"type": "direct", "country": "us"}


@pytest.fixture(scope="module")
def cloud() -> Iterator[CloudPhone]:
    with CloudPhone(URL, KEY) as cloud:
        yield cloud


@pytest.fixture(scope="module")
def phone(cloud: CloudPhone) -> Phone:
    return cloud.create_phone(model="phone-720p", network=NETWORK, name="snake")


def test_a_key_of_the_program_creates_one_phone(cloud: CloudPhone) -> None:
    network = models.ExitChoice(type="direct", country="us")
    key = str(uuid.uuid4())
    names = [
        cloud.create_phone(model="phone-720p", network=network, start=False, idempotency_key=key).name for _ in range(2)
    ]
    assert names[0] == names[1]
    assert names[0] in [device.name for device in cloud.phones(state="stopped")]
    cloud.phone(names[0]).delete()


def test_steps_and_expectations(phone: Phone) -> None:
    phone.open_app("Notes", expect={"app": "Notes"})
    phone.tap(text="New note", role="button")
    assert phone.type("Bread", into="Title").expect_met
    phone.tap(text="Save")
    phone.expect(text="Bread", timeout_s=20)
    with pytest.raises(ExpectationError, match="Butter") as unmet:
        phone.expect(text="Butter", timeout_s=0.5)
    assert isinstance(unmet.value, AssertionError)
    with pytest.raises(CloudPhoneError) as missing:
        phone.tap(text="Butter")
    assert (missing.value.kind, missing.value.status) == ("not_found", 404)
    elements = phone.observe().elements or []
    bread = next(element for element in elements if "Bread" in (element.text or element.label or ""))
    phone.tap(element=bread.id, expect={"text": "Delete note"})
    assert phone.screenshot(format="jpeg", max_size=200).startswith(b"\xff\xd8")


def test_jobs(cloud: CloudPhone, phone: Phone) -> None:
    with pytest.raises(CloudPhoneError) as running:
        phone.start()
    assert running.value.kind == "busy"
    assert running.value.request_id is not None
    seen: list[models.Job] = []
    made = cloud.post("/v1/devices/snake/restart", models.RestartDeviceResult)
    assert cloud.wait_for_job(made.job, on_progress=seen.append).state == "done"
    assert seen[-1].id == made.job.id
    assert phone.install("trails").result is not None
    assert phone.info().state == "running"


def test_a_group_has_the_outcome_of_each_phone(cloud: CloudPhone, phone: Phone) -> None:
    group = cloud.run_group([phone.name], [{"open_app": {"app": "Settings"}}, {"open_app": {"app": "Nothing"}}])
    assert [device.state for device in group.devices] == ["failed"]
    group = cloud.run_group([phone.name], [models.GroupStepInput(open_app=models.OpenAppInput(app="Settings"))])
    assert [device.state for device in group.devices] == ["done"]


class CutStream(httpx.SyncByteStream):
    """A response that breaks off in the middle of its second event."""

    def __init__(self, whole: httpx.SyncByteStream) -> None:
        self._whole = whole

    def __iter__(self) -> Iterator[bytes]:
        for number, chunk in enumerate(self._whole):
            # The first two have no event: `retry`, and the place in the stream.
            if number == 3:
                yield chunk[:50]
                raise httpx.ReadError("cut")
            yield chunk

    def close(self) -> None:
        self._whole.close()


class CuttingTransport(httpx.HTTPTransport):
    opened = 0

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        response = super().handle_request(request)
        if request.url.path == "/v1/events":
            self.opened += 1
            assert isinstance(response.stream, httpx.SyncByteStream)
            response.stream = CutStream(response.stream)
        return response


def test_events_of_a_stream_that_is_cut_all_the_time(cloud: CloudPhone, phone: Phone) -> None:
    types = ["device.state"]
    watching = cloud.events(types, device=phone.name)
    with anyio.from_thread.start_blocking_portal() as portal:
        restart = portal.start_task_soon(restart_later)
        begin = next(watching)
        whole = [begin.state, *(event.state for event in islice(watching, 5))]
        restart.result()
    watching.close()
    assert whole == ["stopping", "starting", "running"] * 2
    transport = CuttingTransport()
    with CloudPhone(URL, KEY, transport=transport, wait=lambda seconds: None) as cut:
        again = list(islice(cut.events(types, device=phone.name, last_event_id=begin.id), 5))
    assert [event.state for event in again] == whole[1:]
    assert transport.opened > 1


async def restart_later() -> None:
    async with AsyncCloudPhone(URL, KEY) as cloud:
        # Two restarts, the first of which begins when the stream is open.
        await anyio.sleep(0.3)
        await cloud.phone("snake").restart()
        await cloud.phone("snake").restart()


def test_the_async_client() -> None:
    async def run() -> None:
        async with AsyncCloudPhone(URL, KEY) as cloud:
            phone = cloud.phone("snake")
            await phone.open_app("Settings")
            await phone.expect(app="Settings")
            assert "snake" in [device.name async for device in cloud.phones()]
            states: list[str | None] = []

            async def watch() -> None:
                async with aclosing(cloud.events(["job.finished"])) as events:
                    async for event in events:
                        states.append(event.job.kind if event.job else None)
                        return

            async with anyio.create_task_group() as tasks:
                tasks.start_soon(watch)
                await anyio.sleep(0.3)
                await phone.stop()
            assert states == ["stop"]
            await phone.start()

    anyio.run(run)


def test_a_job_that_is_refused(cloud: CloudPhone, phone: Phone) -> None:
    with pytest.raises(CloudPhoneError) as refused:
        phone.install("nothing")
    assert not isinstance(refused.value, JobFailedError)
    assert refused.value.kind == "bad_request"
