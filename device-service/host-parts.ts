import { systemClock } from '../kit/clock.js';
import { folderIdOf, hostIdOf } from '../kit/host-id.js';
import type { DeviceConfig } from './config.js';
import { exitsFolder } from './network/forwarders.js';
import { stepsBox } from './groups/steps-box.js';
import type { DeviceServiceOptions } from './options.js';
import { openStripe } from './topups/stripe.js';

/** The options of a device service that come from its host and data folder. `lostHost` is called when another process has its lease. */
export async function hostParts(
  {
    dataDirectory,
    mongodbUrl,
    hostId,
    stripe,
    secretBox,
  }: Pick<DeviceConfig, 'dataDirectory' | 'mongodbUrl' | 'hostId' | 'stripe' | 'secretBox'>,
  lostHost: (reason: Error) => void,
): Promise<
  Pick<DeviceServiceOptions, 'hostId' | 'folderId' | 'exitsDirectory' | 'lostHost' | 'payments' | 'stepsBox'>
> {
  return {
    hostId: hostIdOf(dataDirectory, hostId),
    folderId: folderIdOf(dataDirectory),
    exitsDirectory: exitsFolder(dataDirectory),
    lostHost,
    stepsBox: stepsBox(secretBox, mongodbUrl === undefined ? dataDirectory : undefined),
    payments: stripe && (await openStripe(stripe, systemClock)),
  };
}
