import { systemClock } from '../kit/async/clock.js';
import { linesTo } from '../kit/log/log.js';
import { folderIdOf, hostIdOf } from '../kit/files/host-id.js';
import { verifiedBackupMs } from '../kit/files/verified-backup.js';
import type { DeviceConfig } from './config.js';
import { dataFolders } from './devices/hosts/data-room.js';
import { exitsFolder } from './devices/network/forwarders.js';
import { stepsBox } from './fleet/groups/steps-box.js';
import type { DeviceServiceOptions } from './options.js';
import { openS3 } from './devices/snapshots/open-s3.js';
import { openSmtp } from './accounts/mail/open-smtp.js';
import { openStripe } from './accounts/topups/stripe.js';

const STANDARD_OUTPUT = 1;

/**
 * Returns the options of a device service that come from its host and data folder. `lostHost` is called when another process has the
 * host's lease.
 */
export async function hostParts(
  {
    dataDirectory,
    mongodbUrl,
    hostId,
    mail,
    stripe,
    secretBox,
    snapshotBucket,
    auditToStdout,
  }: Pick<
    DeviceConfig,
    'auditToStdout' | 'dataDirectory' | 'mongodbUrl' | 'hostId' | 'mail' | 'stripe' | 'secretBox' | 'snapshotBucket'
  >,
  lostHost: (reason: Error) => void,
): Promise<
  Pick<
    DeviceServiceOptions,
    | 'auditLine'
    | 'hostId'
    | 'folderId'
    | 'dataFolders'
    | 'verifiedBackup'
    | 'exitsDirectory'
    | 'lostHost'
    | 'payments'
    | 'mailServer'
    | 'stepsBox'
    | 'snapshotStore'
  >
> {
  const audited = auditToStdout ? linesTo(STANDARD_OUTPUT) : undefined;
  return {
    auditLine: audited && ((line) => audited.write(line)),
    hostId: hostIdOf(dataDirectory, hostId),
    folderId: folderIdOf(dataDirectory),
    dataFolders: dataFolders(dataDirectory, mongodbUrl === undefined),
    verifiedBackup: () => verifiedBackupMs(dataDirectory),
    exitsDirectory: exitsFolder(dataDirectory),
    lostHost,
    stepsBox: stepsBox(secretBox, mongodbUrl === undefined ? dataDirectory : undefined),
    snapshotStore: snapshotBucket && (await openS3(snapshotBucket)),
    mailServer: mail && (await openSmtp(mail, systemClock)),
    payments: stripe && (await openStripe(stripe, systemClock)),
  };
}
