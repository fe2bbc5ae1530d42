import { randomBytes } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { DatagramListener } from '../datagram-listener.js';
import { demand } from '../demand.js';
import type { PhoneWithShell } from '../phone-requests.js';
import { NotOffered, type Row } from '../row.js';
import { withProxyExit } from './exit.js';

/**
 * Checks that no DNS and no UDP get past the exit, which carries HTTP and tunnels of TCP. A datagram that arrives has bypassed the exit,
 * and so has a name that the phone's own resolver finds. A phone whose `nc` sends no datagrams even to itself proves nothing, so the row is
 * not offered there.
 */
export const keepsDatagrams: Row = {
  name: 'no DNS and no UDP past the exit',
  run: (phones) =>
    withProxyExit(phones, async (phone, _proxy, change) => {
      await change();
      const names = await lookUp(phone);
      const canSend = await sendsToItself(phone);
      await sendsNothing(phone, phones.options.address);
      if (!canSend) throw new NotOffered(`the phone has no nc -u that sends a datagram to itself; ${names}`);
      return names;
    }),
};

/** A public name that is reserved for documentation, so it always exists. */
const NAME = 'example.com';

/** Throws where the phone's resolver finds a name. Returns a text that says what was found out. */
async function lookUp(phone: PhoneWithShell): Promise<string> {
  const printed = await phone.shell(`ping -c 1 -W 2 ${NAME} 2>&1`);
  demand(!/^PING [^\n]*\([\da-f.:]+\)/m.test(printed), `the phone looked up ${NAME} past the exit`);
  const isFoundHere = await lookup(NAME).then(
    () => true,
    () => false,
  );
  return isFoundHere ? `${NAME} was not found by the phone` : 'names were not checked: this machine finds none either';
}

/** A port of the phone at which nothing else is expected to listen. */
const OWN_PORT = 40_953;

/** Returns whether `nc` on the phone sends a datagram to the phone itself. `timeout` ends each command, as UDP has no end of stream. */
async function sendsToItself(phone: PhoneWithShell): Promise<boolean> {
  const word = randomBytes(8).toString('hex');
  const send = `echo ${word} | timeout 2 nc -u 127.0.0.1 ${OWN_PORT} >/dev/null 2>&1`;
  const printed = await phone.shell(`(sleep 1; ${send}) & timeout 4 nc -u -l -p ${OWN_PORT} 2>/dev/null`);
  return printed.includes(word);
}

async function sendsNothing(phone: PhoneWithShell, address: string): Promise<void> {
  const listener = await DatagramListener.start(address);
  try {
    const word = randomBytes(8).toString('hex');
    const send = `echo ${word} | timeout 2 nc -u ${address} ${listener.port} >/dev/null 2>&1`;
    await phone.shell(`${send}; ${send}; ${send}`);
    demand(!listener.arrived.some((text) => text.includes(word)), 'a datagram of the phone arrived past the exit');
  } finally {
    await listener.close();
  }
}
