"""A smoke test of an app. Usage: pytest smoke_test.py"""

import os
from collections.abc import Iterator

import pytest
from cloudphone import CloudPhone, Phone


@pytest.fixture(scope="session")
def phone() -> Iterator[Phone]:
    """A phone for this run of the tests."""
    with CloudPhone(os.environ["CLOUDPHONE_URL"], os.environ["CLOUDPHONE_KEY"]) as cloud:
        phone = cloud.create_phone(model="phone-720p", network={"type": "direct", "country": "us"})
        try:
            yield phone
        finally:
            phone.delete()


def test_keeps_a_note(phone: Phone) -> None:
    phone.open_app("Notes")
    phone.tap(text="New note")
    phone.type("Oat milk", into="Title")
    phone.tap(text="Save", expect={"text": "New note"})
    phone.expect(text="Oat milk")
    assert phone.screenshot().startswith(b"\x89PNG")
