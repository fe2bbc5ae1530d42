from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import models
from .._requests import Query, segment
from .._steps import AsyncDecide, Step, given, listed, raise_for_failure, view_of
from ..errors import CloudPhoneError

if TYPE_CHECKING:
    from .client import AsyncCloudPhone

Expected = Mapping[str, Any]
"""What must be true after a step, as in the reference: `{"text": "Saved"}`, `{"gone": "Loading"}`, `{"app": "Notes"}`."""


class AsyncPhone:
    """One phone. Steps wait until the screen is still; a step that cannot be done raises an error that names the next thing to do.

    A target of a step is one element by its words (`text`, and `role` where several have them), by its id (`element`), or a point
    (`x`, `y`). `expect` is what must be true afterwards, within `timeout_s`; it raises ExpectationError when it is not.
    """

    def __init__(self, cloud: AsyncCloudPhone, name: str) -> None:
        self._cloud = cloud
        self.name = name
        self._path = f"/v1/devices/{segment(name)}"

    # The phone itself. Each waits for its job.

    async def info(self) -> models.Device:
        return (await self._cloud.get(self._path, models.GetDeviceResult)).device

    async def start(self, *, timeout_s: float = 600.0) -> models.Job:
        """Starts it, and waits until it has booted. An error of kind `busy` when it runs."""
        made = await self._cloud.post(f"{self._path}/start", models.StartDeviceResult)
        return await self._cloud.wait_for_job(made.job, timeout_s=timeout_s)

    async def stop(self, *, timeout_s: float = 600.0) -> models.Job:
        made = await self._cloud.post(f"{self._path}/stop", models.StopDeviceResult)
        return await self._cloud.wait_for_job(made.job, timeout_s=timeout_s)

    async def restart(self, *, timeout_s: float = 600.0) -> models.Job:
        made = await self._cloud.post(f"{self._path}/restart", models.RestartDeviceResult)
        return await self._cloud.wait_for_job(made.job, timeout_s=timeout_s)

    async def delete(self, *, timeout_s: float = 600.0) -> models.Job:
        """Deletes it with all its data."""
        made = await self._cloud.delete(self._path, models.DeleteDeviceResult)
        return await self._cloud.wait_for_job(made.job, timeout_s=timeout_s)

    async def install(self, app: str, *, timeout_s: float = 600.0) -> models.Job:
        """Installs an app of the catalogue (`GET /v1/apps`)."""
        made = await self._cloud.post(f"{self._path}/apps", models.InstallAppResult, {"app": app})
        return await self._cloud.wait_for_job(made.job, timeout_s=timeout_s)

    async def upload(self, apk: str | Path, *, timeout_s: float = 600.0) -> models.Job:
        """Installs an app from a file: an APK, or a bundle of several."""
        with Path(apk).open("rb") as file:
            files = {"file": (Path(apk).name, file, "application/octet-stream")}
            response = await self._cloud.request("POST", f"{self._path}/apk", files=files)
        made = models.UploadApkResult.model_validate_json(response.content)
        return await self._cloud.wait_for_job(made.job, timeout_s=timeout_s)

    async def uninstall(self, package: str, *, timeout_s: float = 600.0) -> models.Job:
        made = await self._cloud.delete(f"{self._path}/apps/{segment(package)}", models.UninstallAppResult)
        return await self._cloud.wait_for_job(made.job, timeout_s=timeout_s)

    # What it shows.

    async def observe(
        self, *, elements: str = "full", screenshot: str = "none", max_size: int | None = None, marks: bool | None = None
    ) -> models.Observation:
        """The app in front and the elements on the screen; a picture only where `screenshot` is jpeg or png."""
        query: Query = {"elements": elements, "screenshot": screenshot, "max_size": max_size, "marks": marks}
        return (await self._cloud.get(f"{self._path}/observe", models.ObserveResult, query=query)).observation

    async def screenshot(self, *, format: str = "png", max_size: int | None = None) -> bytes:
        """The screen as an image: png, jpeg or webp."""
        query: Query = {"format": format, "max_size": max_size}
        return (await self._cloud.request("GET", f"{self._path}/screenshot", query=query)).content

    # What is done on it.

    async def act(
        self,
        steps: Step | Sequence[Step],
        *,
        observe: str = "elements",
        elements: str = "full",
        timeout_s: float = 10.0,
        settle_ms: int | None = None,
    ) -> models.ActResult:
        """Does one step or up to 20, and returns the results, those of steps that failed too. Sent once."""
        options = given(observe=observe, elements=elements, timeout_ms=round(timeout_s * 1000), settle_ms=settle_ms)
        return await self._cloud.post(f"{self._path}/act", models.ActResult, {"steps": listed(steps), **options})

    async def tap(
        self,
        *,
        text: str | None = None,
        role: str | None = None,
        element: str | None = None,
        x: int | None = None,
        y: int | None = None,
        expect: Expected | None = None,
        timeout_s: float = 10.0,
    ) -> models.ActResult:
        return await self._do("tap", given(text=text, role=role, element=element, x=x, y=y), expect, timeout_s)

    async def double_tap(
        self,
        *,
        text: str | None = None,
        role: str | None = None,
        element: str | None = None,
        x: int | None = None,
        y: int | None = None,
        expect: Expected | None = None,
        timeout_s: float = 10.0,
    ) -> models.ActResult:
        return await self._do("double_tap", given(text=text, role=role, element=element, x=x, y=y), expect, timeout_s)

    async def long_press(
        self,
        *,
        text: str | None = None,
        role: str | None = None,
        element: str | None = None,
        x: int | None = None,
        y: int | None = None,
        expect: Expected | None = None,
        timeout_s: float = 10.0,
    ) -> models.ActResult:
        return await self._do("long_press", given(text=text, role=role, element=element, x=x, y=y), expect, timeout_s)

    async def type(
        self,
        text: str,
        *,
        into: str | None = None,
        role: str | None = None,
        clear: bool | None = None,
        submit: bool | None = None,
        secret: bool | None = None,
        expect: Expected | None = None,
        timeout_s: float = 10.0,
    ) -> models.ActResult:
        """Types a text: into the field with the words `into`, or into the one that has the focus. `secret` keeps it out of logs."""
        target = None if into is None else given(text=into, role=role)
        fields = given(text=text, target=target, clear=clear, submit=submit, secret=secret)
        return await self._do("type", fields, expect, timeout_s)

    async def press(
        self, key: str, *, hold_ms: int | None = None, expect: Expected | None = None, timeout_s: float = 10.0
    ) -> models.ActResult:
        """Presses a key: back, home, enter, ..."""
        return await self._do("key", given(name=key, hold_ms=hold_ms), expect, timeout_s)

    async def scroll(
        self, direction: str, *, until: str | None = None, expect: Expected | None = None, timeout_s: float = 10.0
    ) -> models.ActResult:
        """Scrolls up, down, left or right: one page, or until a text shows."""
        fields = given(direction=direction, until=None if until is None else {"text": until})
        return await self._do("scroll", fields, expect, timeout_s)

    async def open_app(
        self, app: str, *, expect: Expected | None = None, timeout_s: float = 10.0
    ) -> models.ActResult:
        """Brings an app to the front, by its label or package."""
        return await self._do("open_app", {"app": app}, expect, timeout_s)

    async def open_url(
        self, url: str, *, expect: Expected | None = None, timeout_s: float = 10.0
    ) -> models.ActResult:
        return await self._do("open_url", {"url": url}, expect, timeout_s)

    async def expect(
        self,
        *,
        text: str | None = None,
        gone: str | None = None,
        app: str | None = None,
        role: str | None = None,
        state: str | None = None,
        timeout_s: float = 10.0,
    ) -> models.ActResult:
        """Waits until one of `text`, `gone` and `app` is true, up to 60 s. Raises ExpectationError, an AssertionError, when it is not."""
        expected = given(text=text, gone=gone, app=app, role=role, state=state)
        return await self._do("wait", {}, expected, timeout_s)

    async def loop(self, decide: AsyncDecide, *, turns: int = 20, timeout_s: float = 10.0) -> int:
        """Observes, decides and acts until the goal is reached; returns in how many turns. Raises when `turns` are not enough.

        One loop at a time for each key and phone: the ids of elements are those of the key's latest observation.
        """
        observation = await self.observe(elements="compact")
        view = view_of(observation, "")
        for turn in range(1, turns + 1):
            steps = await decide(view, turn)
            if steps is None:
                return turn
            result: models.ActResult | None = None
            error: str | None = None
            try:
                result = await self.act(steps, elements="changed", timeout_s=timeout_s)
                error = None if result.failed is None else result.failed.message
            except CloudPhoneError as refused:
                if refused.kind not in ("not_found", "bad_request"):
                    raise
                error = str(refused)
            seen = None if result is None else result.observation
            # A difference from an observation that is not the one seen here (another program used the key) is of no use.
            if seen is None or seen.changed_since not in (None, observation.id):
                seen = await self.observe(elements="compact")
            observation = seen
            view = view_of(observation, view.text, result, error)
        raise CloudPhoneError(f"The goal was not reached in {turns} turns.", kind="timeout")

    async def _do(
        self, step: str, fields: Mapping[str, object], expect: Expected | None, timeout_s: float
    ) -> models.ActResult:
        whole = {step: fields, **({} if expect is None else {"expect": expect})}
        return raise_for_failure(await self.act(whole, timeout_s=timeout_s))
