import { systemClock } from '../kit/clock.js';
import { folderIdOf, hostIdOf } from '../kit/host-id.js';
import type { DeviceConfig } from './config.js';
import { exitsFolder } from './network/forwarders.js';
import type { DeviceServiceOptions } from './options.js';
import { openStripe } from './topups/stripe.js';

/** The options of a device service that come from its host and data folder. `lostHost` is called when another process has its lease. */
export async function hostParts(
  { dataDirectory, hostId, stripe }: Pick<DeviceConfig, 'dataDirectory' | 'hostId' | 'stripe'>,
  lostHost: (reason: Error) => void,
): Promise<Pick<DeviceServiceOptions, 'hostId' | 'folderId' | 'exitsDirectory' | 'lostHost' | 'payments'>> {
  return {
    hostId: hostIdOf(dataDirectory, hostId),
    folderId: folderIdOf(dataDirectory),
    exitsDirectory: exitsFolder(dataDirectory),
    lostHost,
    payments: stripe && (await openStripe(stripe, systemClock)),
  };
}
