import { connect } from 'node:net';
import { systemClock } from '../../kit/async/clock.js';
import { readIdentity } from '../../phone/link/identity.js';
import { PhoneLink } from '../../phone/link/phone-link.js';

/** Reads the identity of the phone that listens at `port`. */
export async function identityAt(port: number): Promise<string> {
  const connectSocket = (host: string, to: number) => connect({ host, port: to });
  const link = await PhoneLink.open({ host: '127.0.0.1', port, clock: systemClock, connectSocket, timeoutMs: 5_000 });
  try {
    return await readIdentity(link, { timeoutMs: 5_000 });
  } finally {
    link.close();
  }
}
