"""What requests and responses have in common for both clients."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar
from urllib.parse import quote, urlsplit

import httpx
from pydantic import BaseModel, ValidationError
from pydantic_core import to_json

from .errors import CloudPhoneError

Result = TypeVar("Result", bound=BaseModel)

QueryValue = str | int | bool | None
Query = Mapping[str, QueryValue]

RETRY_AFTER_MAX_S = 60
"""Longest Retry-After that is waited for: a window of the rate limits."""

BACKOFF_S = 0.5
"""First wait before a repetition whose response has no Retry-After; it doubles."""

SHOWN_MAX = 200
"""Most of an unexpected body that an error's text shows, characters."""


def origin_of(url: str) -> str:
    """The base URL without /v1, with which the paths of the reference begin."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or parts.netloc == "":
        raise ValueError(f"{url!r} is not an http or https URL.")
    return url.rstrip("/").removesuffix("/v1")


def segment(name: str) -> str:
    """A name as one segment of a path."""
    return quote(name, safe="")


def json_of(body: object) -> bytes:
    """A body as JSON. Fields of models that are None are left out."""
    return to_json(body, by_alias=True, exclude_none=True)


def query_of(query: Query | None) -> dict[str, str | int | bool]:
    return {name: value for name, value in (query or {}).items() if value is not None}


def result_of(response: httpx.Response, result: type[Result]) -> Result:
    try:
        return result.model_validate_json(response.content)
    except ValidationError as cause:
        message = f"The response to {response.request.url.path} is not a {result.__name__} as this package knows it: {cause}"
        raise CloudPhoneError(message, kind="unexpected", status=response.status_code) from cause


def error_of(response: httpx.Response) -> CloudPhoneError:
    """The error of a response that is not a success. Its body has been read."""
    after = response.headers.get("retry-after", "")
    request_id = response.headers.get("x-request-id")
    retry_after_s = int(after) if after.isascii() and after.isdigit() and len(after) <= 6 else None
    try:
        body = response.json()
    except ValueError:
        body = None
    if isinstance(body, dict) and "error" in body and "message" in body:
        kind, message = str(body["error"]), str(body["message"])
    else:
        shown = response.text[:SHOWN_MAX].strip()
        kind = "unexpected"
        message = f"The response has status {response.status_code} and is not the service's{': ' + shown if shown else ''}"
    return CloudPhoneError(
        message, kind=kind, status=response.status_code, request_id=request_id, retry_after_s=retry_after_s
    )


def connection_error(cause: httpx.TransportError, origin: str) -> CloudPhoneError:
    """The error of a request without a response."""
    if isinstance(cause, httpx.TimeoutException):
        error = CloudPhoneError(f"{origin} did not respond in time.", kind="timeout")
    else:
        reason = str(cause) or type(cause).__name__
        text = f"{origin} cannot be reached: {reason}. Check the base URL and that the service runs."
        error = CloudPhoneError(text, kind="unreachable")
    error.__cause__ = cause
    return error


def is_passing(error: CloudPhoneError) -> bool:
    """Whether the service may be back soon."""
    return error.status in (502, 503, 504) or error.kind in ("unreachable", "timeout")


def seconds_before_next(error: CloudPhoneError, *, is_safe: bool, attempt: int, random: float) -> float | None:
    """How long to wait until a request is repeated after its failed attempt number `attempt`. None: not at all.

    `is_safe`: a GET, or a request with an Idempotency-Key. It is repeated after a lost connection, 502, 503 and 504. Any other may have
    had an effect by then, and is repeated only after a 429 with Retry-After, as nothing was done. `random`: 0 to below 1.
    """
    if error.status == 429:
        if error.retry_after_s is None:
            return None
    elif not (is_safe and is_passing(error)):
        return None
    if error.retry_after_s is None:
        return BACKOFF_S * 2.0 ** (attempt - 1) + random * BACKOFF_S
    if error.retry_after_s > RETRY_AFTER_MAX_S:
        return None
    return error.retry_after_s + random * BACKOFF_S
