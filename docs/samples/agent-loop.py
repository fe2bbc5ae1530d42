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
        return json.load(response)["observation"]


def apply(known, observation):
    """Applies a response to the lines known so far, by id: the whole list, or what differs from it."""
    if "changed_since" not in observation:
        known.clear()
    for line in observation["elements_text"].splitlines():
        id, _, rest = line.partition(" ")
        if id == "gone":
            for gone in rest.split():
                known.pop(gone, None)
        elif rest.startswith("@"):  # Only moved: the place changes, the rest stays.
            known[id] = re.sub(r"@\d+,\d+", rest, known.get(id, ""), count=1)
        else:
            known[id] = rest


def decide(app, lines, note):
    """One step of `act`, or None when the goal is reached. A model would decide here; this sample has four rules."""
    if any(note in line for line in lines):
        return None
    if app != "com.cloudphone.notes":
        return {"open_app": {"app": "Notes"}}
    if any(line.startswith('textfield "Title"') for line in lines):
        return {"type": {"text": note, "target": {"text": "Title", "role": "textfield"}}}
    if any('"New note"' in line for line in lines):
        return {"tap": {"text": "New note"}}
    return {"key": {"name": "back"}}


device, note = sys.argv[1:3]
lines = {}
seen = request(f"/devices/{device}/observe?screenshot=none&elements=compact")
for turn in range(1, 21):
    apply(lines, seen)
    step = decide(seen.get("app"), lines.values(), note)
    if step is None:
        print(f"done in {turn} turns")
        break
    seen = request(f"/devices/{device}/act", {**step, "observe": "elements", "elements": "changed"})
else:
    sys.exit("The goal was not reached in 20 turns.")
