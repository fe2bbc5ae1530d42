"""Runs one task of the gym with rules in the place of a model. Usage: python3 gym_agent.py COMMAND..."""

import sys

from cloudphone.gym import Gym

with Gym(sys.argv[1:] or ["cloudphone"], parallel=1) as gym:
    environment = gym.make("settings/airplane-on")
    seen, info = environment.reset(seed=1)
    print(seen["goal"])
    steps = [{"open_app": {"app": "Settings"}}, {"tap": {"text": "Network & internet"}}, {"tap": {"text": "Airplane mode"}}]
    for action in [*steps, {"answer": {"text": "done"}}]:
        seen, reward, terminated, truncated, info = environment.step(action)
    print(f"reward {reward:.0f} after {info['steps']} steps, {info['wrong_presses']} wrong presses")
    environment.close()
