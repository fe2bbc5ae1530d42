import { until } from '../../../testing/until.js';
import { RawAdb } from '../raw-adb.js';
import { cutCable, plugIn, reconnectCable, RELAY } from './linked-networks.js';

/** What the relay's side requests of the customer's, one at a time. */
export type CustomerRequest =
  'plug in' | 'catch up' | 'cut the cable' | 'reconnect the cable' | { connectTo: { port: number; code: string } };

export type CustomerResponse = 'ready' | 'done' | { receivesLog: boolean };

/** The log flows once this much of it has come. */
const LOG_BYTES = 1024;

const readers: RawAdb[] = [];

process.on('disconnect', () => process.exit(0));
process.on('message', (request: CustomerRequest) => {
  run(request).then(respond, (error: unknown) => {
    process.stderr.write(`${String(error)}\n`);
    process.exit(1);
  });
});
respond('ready');

function respond(response: CustomerResponse): void {
  process.send?.(response);
}

async function run(request: CustomerRequest): Promise<CustomerResponse> {
  if (typeof request === 'object') return { receivesLog: await receivesLog(request.connectTo) };
  if (request === 'plug in') plugIn();
  // The response to a command comes after the log, so what came before it is acknowledged by then.
  else if (request === 'catch up') await Promise.all(readers.map((reader) => reader.shell('true')));
  else if (request === 'cut the cable') cutCable();
  else reconnectCable();
  return 'done';
}

/** Logs in and reads the phone's log, for as long as the process lives; false: the relay hung up. */
async function receivesLog({ port, code }: { port: number; code: string }): Promise<boolean> {
  try {
    const client = await RawAdb.loggedIn({ port, code }, RELAY);
    const { id } = await client.open('shell,v2,TERM=dumb,raw:logcat');
    await until(() => client.dataOf(id).length > LOG_BYTES);
    readers.push(client);
    return true;
  } catch (error) {
    if (error instanceof Error && /^the connection ended$|ECONNRESET/.test(error.message)) return false;
    throw error;
  }
}
