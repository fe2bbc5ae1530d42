"""Waits of both clients: programs and tests may pass their own."""

import time
from collections.abc import Awaitable, Callable

import anyio

AsyncWait = Callable[[float], Awaitable[None]]
"""Waits for that many seconds."""

Wait = Callable[[float], None]
"""Waits for that many seconds."""


async def async_wait(seconds: float) -> None:
    await anyio.sleep(seconds)


def wait(seconds: float) -> None:
    time.sleep(seconds)
