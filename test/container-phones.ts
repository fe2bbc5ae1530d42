import { connect } from 'node:net';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { systemClock } from '../kit/clock.js';
import type { Lifecycle } from '../kit/lifecycle.js';
import { silentLog } from '../kit/log.js';
import { openContainerDriver } from '../phone/container/open.js';
import type { PhoneDriver } from '../phone/driver.js';
import type { ContainerModel } from '../phone/made/made-model.js';
import { startEngine } from '../testing/container-engine.js';
import { phoneImage } from '../testing/container-engine/phone-image.js';

/**
 * The kind of the phones in the worlds of this process, and the memory of their model: TEST_PHONES is set for a second run of the same tests, see
 * rest/in-containers.long.test.ts.
 */
export const TEST_PHONES =
  process.env['TEST_PHONES'] === 'container'
    ? ({ driver: 'container', memoryMb: 1_024 } as const)
    : ({ driver: 'simulated', memoryMb: 2_048 } as const);

/** Opens the driver on an engine of its own, with the simulated phone as the image of the model that tests use. Throws where no engine can run. */
export async function openContainerPhones(lifecycle: Lifecycle, directory: string): Promise<PhoneDriver> {
  const engine = await startEngine(join(directory, 'engine'));
  if (typeof engine === 'string') throw new Error(engine);
  lifecycle.add('engine', engine);
  const model: ContainerModel = {
    ...{ model: 'phone-720p', name: 'Phone 720p', android: ['14', '13', '12', '11'], driver: 'container' },
    ...{ image: await engine.load(await phoneImage()), screen: { width: 720, height: 1280, density: 320 } },
    ...{ memoryMb: TEST_PHONES.memoryMb, cpus: 2, diskMb: 1024, bootLimitS: 60, pids: 500, adbPort: 5555, args: [] },
    ...{ privileged: true, capabilities: [], binder: false },
  };
  const driver = await openContainerDriver({
    ...{ socketPath: engine.socketPath, pool: '10.215.0.0/20', owner: 'world', boots: pLimit(2) },
    models: { value: [model], close: () => undefined },
    directory: join(directory, 'made'),
    connectSocket: (host, port) => connect({ host, port }),
    ...{ clock: systemClock, log: silentLog },
  });
  return lifecycle.add('phones in containers', driver);
}
