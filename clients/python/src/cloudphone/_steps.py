"""Steps on a phone's screen, and what is seen there."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .errors import ExpectationError, StepFailedError
from .models import ActResult, Observation, StepInput

Step = Mapping[str, Any] | StepInput
"""One thing to do on a phone, as in the reference of `act`: `{"tap": {"text": "Save"}}`, or a `StepInput`."""

_PLACE = re.compile(r" @-?\d+,-?\d+(?=(?: [a-z_]+)*$)")
_MOVED = re.compile(r"^(\S+) (@-?\d+,-?\d+)$")


@dataclass(frozen=True)
class View:
    """The screen as an agent needs it for a decision."""

    app: str
    """Package of the app in front; empty when it is not known."""
    text: str
    """All elements, one line each; the grammar is that of `elements_text` in the reference."""
    changed: str
    """The lines that differ from the view before; the same as `text` on a new screen."""
    result: ActResult | None = None
    """How the last step ended. None in the first view, and after an error."""
    error: str | None = None
    """Why the last step could not be done: its element is not there, or there are several. Decide again."""


AsyncDecide = Callable[[View, int], Awaitable[Step | Sequence[Step] | None]]
"""Returns the next step or steps for a view, or None when the goal is reached. The number is that of the turn."""

Decide = Callable[[View, int], Step | Sequence[Step] | None]
"""Returns the next step or steps for a view, or None when the goal is reached. The number is that of the turn."""


def given(**fields: object) -> dict[str, object]:
    """The fields that are not None. A final underscore is no part of a name."""
    return {name.removesuffix("_"): value for name, value in fields.items() if value is not None}


def listed(steps: Step | Sequence[Step]) -> list[Step]:
    return [steps] if isinstance(steps, (Mapping, StepInput)) else list(steps)


def raise_for_failure(result: ActResult) -> ActResult:
    """Returns results of which every step was done and every expectation came true."""
    failed = result.failed
    if not result.expect_met and (failed is None or failed.error == "timeout"):
        message = "What was expected did not come true." if failed is None else failed.message
        raise ExpectationError(message, kind="timeout", result=result)
    if failed is not None:
        raise StepFailedError(failed.message, kind=failed.error, result=result)
    return result


def view_of(observation: Observation, before: str, result: ActResult | None = None, error: str | None = None) -> View:
    """The view of an observation, after one that had the lines `before`."""
    lines = observation.elements_text or ""
    text = lines if observation.changed_since is None else apply_changes(before, lines)
    return View(app=observation.app or "", text=text, changed=lines, result=result, error=error)


def apply_changes(before: str, changes: str) -> str:
    """Applies the lines of a difference (`elements: changed`) to those of the observation before. New elements come last."""
    lines = {line.split(" ", 1)[0]: line for line in before.split("\n") if line}
    for line in changes.split("\n"):
        element, _, rest = line.partition(" ")
        moved = _MOVED.match(line)
        if line == "":
            continue
        if element == "gone":
            for gone in rest.split():
                lines.pop(gone, None)
        elif moved is None:
            lines[element] = line
        elif element in lines:
            lines[element] = _PLACE.sub(f" {moved[2]}", lines[element])
    return "\n".join(lines.values())
