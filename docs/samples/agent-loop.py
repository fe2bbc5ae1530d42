#!/usr/bin/env python3
"""Writes a note on a phone: looks, decides, acts, and looks again. Usage: agent-loop.py DEVICE NOTE"""

import json
import os
import re
import sys
import urllib.request

URL, KEY = os.environ["CLOUDPHONE_URL"], os.environ["CLOUDPHONE_KEY"]


def request(path, body=None):
    data = None if body is None else json.dumps(body).encode()
    headers = {"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"}
    with urllib.request.urlopen(urllib.request.Request(URL + path, data, headers)) as response:
        return json.load(response)


def decide(observation, note):
    """One step of `act`, or None when the goal is reached. This is where a model decides; here are four rules."""
    elements = observation.get("elements", [])
    if any(note in element.get("text", "") for element in elements):
        return None
    if observation.get("app") != "com.cloudphone.notes":
        return {"open_app": {"app": "Notes"}}
    for element in elements:
        if element["role"] == "textfield":
            return {"type": {"element": element["id"], "text": note}}
    for element in elements:
        if re.search("new|add", element.get("text", "") + element.get("label", ""), re.IGNORECASE):
            return {"tap": {"element": element["id"]}}
    return {"key": {"name": "back"}}


device, note = sys.argv[1:3]
observation = request(f"/devices/{device}/observe?screenshot=none")["observation"]
for turn in range(1, 21):
    step = decide(observation, note)
    if step is None:
        print(f"done in {turn} turns")
        break
    observation = request(f"/devices/{device}/act", {**step, "observe": "elements"})["observation"]
else:
    sys.exit("The goal was not reached in 20 turns.")
