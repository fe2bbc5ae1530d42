import { systemClock } from '../../../kit/async/clock.js';
import { integersBelow } from '../../../testing/seeded-random.js';
import type { World } from '../../world.js';
import type { DatabaseProxy } from '../database-proxy.js';

/** A turn of faults, and the time between two, ms. */
const TURN_MS = 150;

/** Phones with delays, that hang, lose their connections or their power, and a database that is slow or resets connections. */
export async function failPartsUntil(
  signal: AbortSignal,
  { world, proxy, devices, random }: FailingParts,
): Promise<void> {
  const below = integersBelow(random);
  const phoneIds = await Promise.all(devices.map((name) => phoneIdOf(world, name)));
  const setFaults = (faults: Parameters<World['phones']['setFaults']>[1], crash = false): Promise<void> =>
    world.phones.setFaults(phoneIds[below(phoneIds.length)] ?? '', faults, crash);
  const turns: (() => unknown)[] = [
    () => setFaults({ captureDelayMs: below(80), treeDelayMs: below(300) }),
    () => setFaults({ captureDelayMs: below(400), treeDelayMs: below(1_500) }),
    () => setFaults({ hang: true }),
    () => setFaults({ adbDown: true }),
    () => setFaults({ lie: 'not-utf8' }),
    () => setFaults({}, true),
    () => proxy.order({ delayMs: 5 + below(60) }, { times: 1 + below(40) }),
    () => proxy.order({ delayMs: 200 + below(400) }, { times: 1 + below(4) }),
    () => proxy.order('reset before', { times: 1 + below(3) }),
    () => proxy.order('reset in reply', { times: 1 }),
    () => proxy.order('not primary', { times: 1 + below(3) }),
  ];
  while (!signal.aborted) {
    // Most turns are without faults, so that most requests get somewhere.
    for (const phoneId of phoneIds) await world.phones.setFaults(phoneId, {}, false);
    if (below(2) === 0) await turns[below(turns.length)]?.();
    for (const name of devices) {
      // A device that runs already, or is busy, is left as it is.
      await world.api.post(`/v1/devices/${name}/start`, undefined, { signal }).catch(() => undefined);
    }
    await systemClock.sleep(TURN_MS, signal).catch(() => undefined);
  }
  proxy.cancelAll();
  for (const phoneId of phoneIds) await world.phones.setFaults(phoneId, {}, false);
}

export interface FailingParts {
  world: World;
  proxy: DatabaseProxy;
  devices: readonly string[];
  random: () => number;
}

async function phoneIdOf(world: World, name: string): Promise<string> {
  const device = await world.database.collection('devices').findOne({ name });
  if (device === null) throw new Error(`there is no device ${name}`);
  return String(device._id);
}
