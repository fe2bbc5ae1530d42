"""The API of a cloud phone service: phones to create, watch and use, by people's programs and by agents."""

from . import models
from ._async.client import AsyncCloudPhone
from ._async.phone import AsyncPhone
from ._events import Event
from ._steps import AsyncDecide, Decide, Step, View
from ._sync.client import CloudPhone
from ._sync.phone import Phone
from ._webhooks import verify_webhook
from .errors import CloudPhoneError, EventError, ExpectationError, JobFailedError, StepFailedError

__all__ = [
    "AsyncCloudPhone",
    "AsyncDecide",
    "AsyncPhone",
    "CloudPhone",
    "CloudPhoneError",
    "Decide",
    "Event",
    "EventError",
    "ExpectationError",
    "JobFailedError",
    "Phone",
    "Step",
    "StepFailedError",
    "View",
    "models",
    "verify_webhook",
]
