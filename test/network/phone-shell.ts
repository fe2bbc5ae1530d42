import { connect } from 'node:net';
import type { Db } from 'mongodb';
import { systemClock } from '../../kit/async/clock.js';
import type { PhoneEndpoint } from '../../phone/driver.js';
import { PhoneLink } from '../../phone/link/phone-link.js';

/** Runs a command in the shell of a running device's phone, over ADB, and returns its output. */
export async function shellOf(database: Db, device: string, command: string): Promise<string> {
  const found = await database
    .collection<{ name: string; endpoint: PhoneEndpoint }>('devices')
    .findOne({ name: device });
  if (found === null) throw new Error(`there is no device ${device}`);
  const link = await PhoneLink.open({
    ...found.endpoint,
    clock: systemClock,
    connectSocket: (host, port) => connect({ host, port }),
    timeoutMs: 5_000,
  });
  try {
    const { stdout, stderr } = await link.shell(command, { timeoutMs: 20_000, maxBytes: 1_000_000, doing: 'a test' });
    return stdout.toString() + stderr.toString();
  } finally {
    link.close();
  }
}
