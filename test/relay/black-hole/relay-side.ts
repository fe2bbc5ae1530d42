import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { until } from '../../../testing/until.js';
import { startRelayWorld } from '../relay-world.js';
import type { CustomerRequest, CustomerResponse } from './customer-side.js';
import { CUSTOMER, layCable, startCustomerSide } from './linked-networks.js';

/** What happened, for the test. */
export interface BlackHoleResult {
  /** For each connection in turn: whether it logged in and received the phone's log. */
  beforeCut: boolean[];
  /** ADB sessions of the device before the cable was cut, and those left in the end. */
  sessionsBeforeCut: number;
  sessionsAfterCut: number;
  /** The reasons of `adb.closed`. */
  reasons: string[];
  /** Whether one more connection logged in after the cable was there again. */
  afterCut: boolean;
}

const MAX_SESSIONS = 3;
const STALLED_MS = 3_000;
const LOG_LINE_MS = 20;

const reasons: string[] = [];
const log = pino({ level: 'info' }, { write: note });
process.on('disconnect', () => process.exit(0));

const world = await startRelayWorld({
  listenHost: '0.0.0.0',
  log,
  limits: { maxSessions: MAX_SESSIONS, stalledMs: STALLED_MS },
});
const customer = startCustomerSide(fileURLToPath(new URL('./customer-side.js', import.meta.url)));
const gone = once(customer, 'exit').then(() => Promise.reject(new Error("the customer's process ended")));
await response();
layCable(customer);
await ask('plug in');
const talk = () => setInterval(() => world.phone.machine.logcat.write('I', 'Talkative', 'x'.repeat(200)), LOG_LINE_MS);
let talking = talk();
process.send?.(await run());

async function run(): Promise<BlackHoleResult> {
  const { port, code } = await world.enable({ allow: [CUSTOMER] });
  const connect = async (): Promise<boolean> => {
    const answer = await ask({ connectTo: { port: port!, code: code! } });
    return typeof answer === 'object' && answer.receivesLog;
  };
  const sessions = async (): Promise<number> => (await world.get()).sessions.length;

  const beforeCut: boolean[] = [];
  for (let tried = 0; tried <= MAX_SESSIONS; tried++) beforeCut.push(await connect());
  const sessionsBeforeCut = await sessions();
  // A stream that waits for the customer's acknowledgement has nothing on its way that the customer's system has to acknowledge.
  // Keep-alive, which takes a minute, would end such a session.
  clearInterval(talking);
  await ask('catch up');
  await ask('cut the cable');
  talking = talk();
  await until(async () => (await sessions()) === 0).catch(() => undefined);
  const sessionsAfterCut = await sessions();
  const closedAfterCut = [...reasons];
  await ask('reconnect the cable');
  const afterCut = await connect();
  return { beforeCut, sessionsBeforeCut, sessionsAfterCut, reasons: closedAfterCut, afterCut };
}

async function ask(request: CustomerRequest): Promise<CustomerResponse> {
  const answer = response();
  customer.send(request);
  return answer;
}

async function response(): Promise<CustomerResponse> {
  const [message] = (await Promise.race([once(customer, 'message'), gone])) as [CustomerResponse];
  return message;
}

function note(line: string): void {
  const { audit, reason } = JSON.parse(line) as { audit?: string; reason?: string };
  if (audit === 'adb.closed') reasons.push(String(reason));
}
