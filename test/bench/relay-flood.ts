import { once } from 'node:events';
import { Command, encodePacket } from '../../phone/adb/packet.js';
import { syncHeader } from '../../phone/adb/sync-messages.js';
import { RawAdb } from '../relay/raw-adb.js';

const OPENS = 100_000;
const STREAMS = 8;
const STATS_BYTES = 64 * 1024;

/** Sends small OPENs without a login, as fast as the relay reads them, and connects again whenever it is closed. Never returns. */
export async function floodOpens(port: number, onFlooding: () => void): Promise<never> {
  const services = ['shell,v2:a', 'x:', 'shell:a', 'sync:'];
  const opens = Array.from({ length: OPENS }, (_, at) =>
    packet(Command.OPEN, at + 1, 0, Buffer.from(`${services[at % services.length]}\0`)),
  );
  const bytes = Buffer.concat(opens);
  for (;;) {
    // A client is refused while all places of the device are taken, and closed after too many refusals. It connects again at once.
    const client = await RawAdb.greeted(port, { allowHalfOpen: true }).catch(() => undefined);
    while (client !== undefined && !client.isClosed) {
      onFlooding();
      if (!client.socket.write(bytes))
        await Promise.race([once(client.socket, 'drain').catch(() => []), client.closed]);
      client.received.length = 0;
    }
  }
}

/** Logs in, and sends STATs on several streams, as fast as they are acknowledged. Never returns. */
export async function floodStats(
  relay: { port: number; code: string | undefined },
  onFlooding: () => void,
): Promise<never> {
  const stat = Buffer.concat([syncHeader.write({ id: 'STAT', length: 2 }), Buffer.from('/a')]);
  const stats = Buffer.alloc(Math.floor(STATS_BYTES / stat.length) * stat.length, stat);
  const client = await RawAdb.loggedIn(relay);
  const flood = async (): Promise<void> => {
    const { id, phoneId, accepted } = await client.open('sync:');
    if (!accepted) throw new Error('the relay refused sync:');
    for (;;) {
      const acknowledged = client.next(({ command, arg1 }) => command === Command.OKAY && arg1 === id);
      client.socket.write(packet(Command.WRTE, id, phoneId, stats));
      onFlooding();
      await acknowledged;
      client.received.splice(0, client.received.length, ...client.received.filter(({ arg1 }) => arg1 !== id));
    }
  };
  await Promise.all(Array.from({ length: STREAMS }, flood));
  throw new Error('the flood ended');
}

function packet(command: number, arg0: number, arg1: number, payload: Buffer): Buffer {
  return encodePacket({ command, arg0, arg1, payload }, { checksum: true });
}
