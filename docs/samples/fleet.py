"""Installs an app on all phones with a label, opens it, and prints what became of each. Usage: python3 fleet.py team:qa trails"""

import asyncio
import os
import sys

from cloudphone import AsyncCloudPhone


async def main(label: str, app: str) -> int:
    async with AsyncCloudPhone(os.environ["CLOUDPHONE_URL"], os.environ["CLOUDPHONE_KEY"]) as cloud:
        names = [device.name async for device in cloud.phones(label=label)]
        group = await cloud.run_group(
            names,
            [{"start": {}}, {"install": {"app": app}}, {"open_app": {"app": app}}],
            concurrency=5,
            on_error="continue",
        )
        for device in group.devices:
            print(device.device, device.state, device.error.message if device.error else "")
        return sum(device.state != "done" for device in group.devices)


sys.exit(1 if asyncio.run(main(*sys.argv[1:3])) else 0)
