import type { Client } from '@connectrpc/connect';
import type { Clock } from '../../kit/async/clock.js';
import { type Loop, repeat } from '../../kit/errors/repeat.js';
import type { Log } from '../../kit/log/log.js';
import type { CrashService } from '../../proto/gen/cloudphone/device/v1/crash_service_pb.js';
import type { CrashWatches } from '../crashes/crash-watches.js';
import { screenOf } from './screen-of-device.js';

/** Time between two looks at which phones run, ms. Their logs keep what comes in between. */
const LOOK_MS = 2_000;
const FIRST_LOOK_MS = 100;
const LIST_MS = 5_000;

/** Keeps the logs of all phones watched that run on this host, whoever uses them. */
export function watchHost({
  devices,
  watches,
  clock,
  log,
}: {
  devices: Client<typeof CrashService>;
  watches: CrashWatches;
  clock: Clock;
  log: Log;
}): Loop {
  const times = { everyMs: LOOK_MS, firstMs: FIRST_LOOK_MS };
  return repeat({ clock, log, ...times, step: 'look which phones are to be watched' }, async (signal) => {
    const { phones } = await devices.listWatchedPhones({}, { timeoutMs: LIST_MS, signal });
    watches.watchHost(
      phones.map(({ name, phoneId, generation, identity, host, port, screen, uptimeS }) => ({
        phone: { name, phoneId, generation, identity, host, port, screen: screenOf(screen) },
        uptimeS,
      })),
    );
  });
}
