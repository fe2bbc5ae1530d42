"""The tasks of the gym as environments after Gymnasium's API, which need no Gymnasium.

The tasks, the start states and the verdicts are those of `cloudphone gym --serve`, which this module starts as a process.
"""

from __future__ import annotations

import importlib
import itertools
import json
import os
import queue
import subprocess
import threading
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any

__all__ = ["Environment", "Gym", "GymError", "register"]

Action = Mapping[str, Any]
Observation = dict[str, Any]
Info = dict[str, Any]

# A reset waits for a phone, at most five minutes; a step takes at most one.
_TIMEOUT_S = 360.0
_END_S = 60.0


class GymError(Exception):
    """The gym refused a request, or its process has ended."""


class Gym:
    """The process that serves environments. Each environment has a phone of its own, so `parallel` is how many are used at once.

    `command` is the command line of the service; in a clone of the project it is `["node", "cli/cloudphone.mjs"]`.
    """

    def __init__(
        self,
        command: Sequence[str] = ("cloudphone",),
        *,
        parallel: int = 4,
        env: Mapping[str, str] | None = None,
        timeout_s: float = _TIMEOUT_S,
    ) -> None:
        words = [*command, "gym", "--serve", "--parallel", str(parallel)]
        given = None if env is None else {**os.environ, **env}
        self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=given, text=True, encoding="utf-8")
        self._timeout_s = timeout_s
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._waiting: dict[int, queue.SimpleQueue[dict[str, Any]]] = {}
        self._ended = False
        self._reader = threading.Thread(target=self._read, name="cloudphone-gym", daemon=True)
        self._reader.start()

    def tasks(self, family: str | None = None) -> list[dict[str, Any]]:
        """The tasks, each with its `id`, its `family` and `max_steps`."""
        found: list[dict[str, Any]] = self._ask({"do": "list"})
        return [task for task in found if family is None or task["family"] == family]

    def make(self, task: str) -> Environment:
        """An environment of one task."""
        return Environment(task, gym=self)

    def close(self) -> None:
        """Gives the phones back, and ends the process."""
        if self._process.stdin is not None and not self._process.stdin.closed:
            self._process.stdin.close()
        try:
            self._process.wait(_END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join(_END_S)
        if self._process.stdout is not None:
            self._process.stdout.close()

    def __enter__(self) -> Gym:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _ask(self, request: Mapping[str, Any]) -> Any:
        answer: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        with self._lock:
            if self._ended or self._process.stdin is None:
                raise GymError("The gym has ended. Its reason is on standard error.")
            number = next(self._numbers)
            self._waiting[number] = answer
            try:
                self._process.stdin.write(json.dumps({"id": number, **request}) + "\n")
                self._process.stdin.flush()
            except (OSError, ValueError) as error:
                del self._waiting[number]
                raise GymError("The gym has ended. Its reason is on standard error.") from error
        try:
            response = answer.get(timeout=self._timeout_s)
        except queue.Empty:
            raise GymError(f"The gym has not responded within {self._timeout_s:.0f} s.") from None
        finally:
            with self._lock:
                self._waiting.pop(number, None)
        if "error" in response:
            raise GymError(response["error"])
        return response["result"]

    def _read(self) -> None:
        try:
            if self._process.stdout is not None:
                for line in self._process.stdout:
                    response = json.loads(line)
                    with self._lock:
                        waiting = self._waiting.get(response.get("id", -1))
                    if waiting is not None:
                        waiting.put(response)
        finally:
            # Also after a line that is no response, nobody waits for one that cannot come.
            with self._lock:
                self._ended = True
                for waiting in self._waiting.values():
                    waiting.put({"error": "The gym has ended. Its reason is on standard error."})


_names = itertools.count(1)


class Environment:
    """One task on one phone. `reset` and `step` return what Gymnasium's environments return.

    An action is a step of the API, such as `{"tap": {"text": "Save"}}`, or `{"answer": {"text": "done"}}`, which ends the episode.
    """

    metadata: dict[str, Any] = {"render_modes": []}
    render_mode: str | None = None
    spec: Any = None

    def __init__(self, task: str, *, gym: Gym | None = None, command: Sequence[str] = ("cloudphone",)) -> None:
        self.task = task
        self._owned = Gym(command, parallel=1) if gym is None else None
        self._gym = gym if gym is not None else self._owned
        self._name = f"env{next(_names)}"
        self._seed = 0

    def reset(self, *, seed: int | None = None, options: Mapping[str, Any] | None = None) -> tuple[Observation, Info]:
        """Takes a phone in the start state of the task. Without a seed, it is one more than that of the reset before."""
        self._seed = self._seed + 1 if seed is None else seed
        task = (options or {}).get("task", self.task)
        result = self._request({"do": "reset", "task": task, "seed": self._seed})
        return result["observation"], result["info"]

    def step(self, action: Action) -> tuple[Observation, float, bool, bool, Info]:
        """Does one step. The reward is 1 at the end of an episode whose goal is reached, by the state of the phone."""
        result = self._request({"do": "step", "action": dict(action)})
        return result["observation"], float(result["reward"]), result["terminated"], result["truncated"], result["info"]

    def render(self) -> None:
        """Shows nothing: the panel of the service shows the phone."""

    def close(self) -> None:
        """Gives the phone back."""
        try:
            self._request({"do": "close"})
        finally:
            if self._owned is not None:
                self._owned.close()

    @property
    def unwrapped(self) -> Environment:
        return self

    def _request(self, request: Mapping[str, Any]) -> Any:
        if self._gym is None:
            raise GymError("The environment has no gym.")
        return self._gym._ask({"env": self._name, **request})


def register(name: str = "cloudphone/Phone-v0") -> None:
    """Makes `gymnasium.make(name, task="notes/write")` work. Needs the package gymnasium."""
    gymnasium = importlib.import_module("gymnasium")
    # Gymnasium makes only environments that inherit from its class.
    entry_point = type("GymnasiumEnvironment", (Environment, gymnasium.Env), {})
    gymnasium.register(id=name, entry_point=entry_point, disable_env_checker=True, order_enforce=False, nondeterministic=True)
