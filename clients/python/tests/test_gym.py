"""The environments against a stand-in for `cloudphone gym --serve`."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from cloudphone.gym import Environment, Gym, GymError, register

STAND_IN = """
import json, sys
assert sys.argv[1:4] == ["gym", "--serve", "--parallel"], sys.argv
steps = {}
for line in sys.stdin:
    asked = json.loads(line)
    kind, env = asked["do"], asked.get("env")
    if kind == "list":
        result = [{"id": "notes/write", "family": "notes", "max_steps": 25}, {"id": "clock/laps", "family": "clock", "max_steps": 25}]
    elif kind == "reset" and asked["task"] != "notes/write":
        print(json.dumps({"id": asked["id"], "error": "There is no such task."}), flush=True)
        continue
    elif kind == "reset":
        steps[env] = 0
        result = {"observation": {"goal": f"seed {asked['seed']}"}, "info": {"device": env}}
    elif kind == "step":
        if "crash" in asked["action"]:
            sys.exit(3)
        steps[env] += 1
        done = "answer" in asked["action"]
        info = {"steps": steps[env]}
        result = {"observation": {"text": "é"}, "reward": int(done), "terminated": done, "truncated": False, "info": info}
    else:
        result = None
    print(json.dumps({"id": asked["id"], "result": result}), flush=True)
"""


@pytest.fixture
def command(tmp_path: Path) -> list[str]:
    program = tmp_path / "stand_in.py"
    program.write_text(STAND_IN)
    return [sys.executable, str(program)]


def test_lists_tasks_by_family(command: list[str]) -> None:
    with Gym(command) as gym:
        assert [task["id"] for task in gym.tasks()] == ["notes/write", "clock/laps"]
        assert [task["id"] for task in gym.tasks("clock")] == ["clock/laps"]


def test_returns_what_gymnasium_returns(command: list[str]) -> None:
    with Gym(command) as gym:
        first, second = gym.make("notes/write"), gym.make("notes/write")
        seen, info = first.reset(seed=4)
        assert seen == {"goal": "seed 4"}
        assert second.reset()[1]["device"] != info["device"]
        assert first.reset()[0] == {"goal": "seed 5"}
        assert first.step({"tap": {"text": "x"}}) == ({"text": "é"}, 0.0, False, False, {"steps": 1})
        assert first.step({"answer": {"text": "done"}}) == ({"text": "é"}, 1.0, True, False, {"steps": 2})
        first.close()


def test_raises_what_the_gym_refuses(command: list[str]) -> None:
    with Gym(command) as gym, pytest.raises(GymError, match="no such task"):
        gym.make("notes/none").reset()


def test_raises_when_the_process_has_ended(command: list[str]) -> None:
    environment = Environment("notes/write", command=command)
    environment.reset()
    with pytest.raises(GymError, match="ended"):
        environment.step({"crash": {}})
    with pytest.raises(GymError, match="ended"):
        environment.reset()
    with pytest.raises(GymError, match="ended"):
        environment.close()
    assert environment._owned is not None
    assert environment._owned._process.returncode == 3


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_ends_after_a_line_that_is_no_response(tmp_path: Path) -> None:
    program = tmp_path / "noisy.py"
    program.write_text("import sys\nsys.stdin.readline()\nprint('no json', flush=True)\nsys.stdin.read()\n")
    with Gym([sys.executable, str(program)], timeout_s=30) as gym, pytest.raises(GymError, match="ended"):
        gym.tasks()


def test_registers_an_environment_that_gymnasium_takes(command: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    class Env:
        """Stands for the class from which Gymnasium wants its environments to inherit."""

    registered: dict[str, Any] = {}
    gymnasium = ModuleType("gymnasium")
    gymnasium.__dict__.update(Env=Env, register=registered.update)
    monkeypatch.setitem(sys.modules, "gymnasium", gymnasium)
    register()
    assert registered["id"] == "cloudphone/Phone-v0"
    kind = registered["entry_point"]
    assert Env in kind.__mro__
    environment = kind(task="notes/write", command=command)
    assert environment.reset(seed=2)[0] == {"goal": "seed 2"}
    environment.close()
