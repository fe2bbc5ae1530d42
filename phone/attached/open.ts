import { join } from 'node:path';
import type { AdbPrivateKey } from '../adb/private-key.js';
import type { PhoneDriver } from '../driver.js';
import type { ConnectSocket } from '../link/phone-link.js';
import { AttachedDriver, type AttachedDriverOptions } from './driver.js';
import { KEY_NAME, ownKey, readKeyFile } from './operator-key.js';
import type { ListedPhone } from './phones-file.js';
import { AdbServerWay } from './way/adb-server-way.js';
import type { PhoneWay } from './way/phone-way.js';
import { TcpWay } from './way/tcp-way.js';

export interface OpenAttachedOptions extends Omit<AttachedDriverOptions, 'wayTo'> {
  /** Opens TCP connections to phones and adb servers. */
  connectSocket: ConnectSocket;
}

/**
 * Opens the driver for the phones that PHONES_FILE lists. Throws FileFault when that file cannot be used. Throws an error of one line when
 * the folder of records or the service's own key cannot be read.
 */
export async function openAttachedDriver(options: OpenAttachedOptions): Promise<PhoneDriver> {
  const { directory, clock, log, connectSocket } = options;
  const { key, made } = ownKey(join(directory, 'adbkey'));
  const { publicKey, fingerprint } = key;
  // Neither is a secret: phones show the fingerprint to their owner for comparison.
  log.info({ publicKey: `${publicKey} ${KEY_NAME}`, fingerprint, made }, 'the ADB key for attached phones');
  const keyOf = ({ keyFile }: ListedPhone): AdbPrivateKey => (keyFile === undefined ? key : readKeyFile(keyFile));
  const wayTo = (listed: ListedPhone): PhoneWay => {
    const { via, slot } = listed;
    const parts = { clock, connectSocket, host: via.host, port: via.port };
    return via.kind === 'tcp'
      ? new TcpWay({ ...parts, key: () => keyOf(listed), keyName: KEY_NAME })
      : new AdbServerWay({ ...parts, serial: via.serial, log: log.child({ slot }) });
  };
  const driver = new AttachedDriver({ ...options, directory: join(directory, 'phones'), wayTo });
  await driver.open();
  return driver;
}
