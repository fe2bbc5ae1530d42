import type { Lifecycle } from '../kit/process/lifecycle.js';
import { ContainerWorld } from '../phone/container/testing/container-world.js';
import type { PhoneDriver } from '../phone/driver.js';
import { EmulatorWorld, MODEL } from '../phone/emulator/testing/emulator-world.js';

/** Kinds of phones that worlds may have, with the memory of their model. */
const KINDS = {
  simulated: { driver: 'simulated', memoryMb: 2_048 },
  container: { driver: 'container', memoryMb: 1_024 },
  emulator: { driver: 'emulator', memoryMb: 2_048 },
} as const;

/** The phones in the worlds of this process: TEST_PHONES is set for further runs of the same tests, see rest/image-based-phones.engine.test.ts. */
export const TEST_PHONES = KINDS[(process.env['TEST_PHONES'] ?? 'simulated') as keyof typeof KINDS];

/**
 * Opens the driver of TEST_PHONES, whose phones are the stand-ins: on a container engine of its own, or with a made-up SDK. Its model has the
 * name that tests use. Throws where no engine can run.
 */
export async function openImageBasedPhones(lifecycle: Lifecycle): Promise<PhoneDriver> {
  const { driver, memoryMb } = TEST_PHONES;
  const model = {
    ...{ model: 'phone-720p', name: 'Phone 720p', android: ['14', '13', '12', '11'], memoryMb },
    screen: { width: 720, height: 1280, density: 320 },
  };
  if (driver === 'emulator') {
    const emulators = lifecycle.add('emulators', new EmulatorWorld({ ...MODEL, ...model }));
    await emulators.driver.open();
    return emulators.driver;
  }
  const containers = await ContainerWorld.start(model);
  if (typeof containers === 'string') throw new Error(containers);
  return lifecycle.add('containers', containers).driver;
}
