"""Writes a note on a phone: looks, decides, acts, and looks again. Usage: python3 note_agent.py DEVICE NOTE"""

import os
import sys

from cloudphone import CloudPhone, Step, View

device, note = sys.argv[1:3]


def decide(view: View, turn: int) -> Step | None:
    """The next step, or None when the goal is reached. A model would decide here; this sample has four rules."""
    if note in view.text:
        return None
    if view.app != "com.cloudphone.notes":
        return {"open_app": {"app": "Notes"}}
    if 'textfield "Title"' in view.text:
        return {"type": {"text": note, "target": {"text": "Title", "role": "textfield"}}}
    return {"tap": {"text": "New note"}} if '"New note"' in view.text else {"key": {"name": "back"}}


with CloudPhone(os.environ["CLOUDPHONE_URL"], os.environ["CLOUDPHONE_KEY"]) as cloud:
    print(f"done in {cloud.phone(device).loop(decide)} turns")
