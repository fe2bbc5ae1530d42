import { systemClock } from '../../kit/async/clock.js';
import type { PanelClient } from '../access/people.js';
import type { RestClient } from '../rest-client.js';
import { askAgain } from './ask-again.js';
import { comesToHold } from './comes-to-hold.js';
import type { KeyedServices } from './keyed-services.js';
import { quantile, type Report } from './report.js';

const CALLERS = 20;
const ROUNDS = 10;
const MAX_WAIT_MS = 150_000;
const GOAL_MS = { p50: 300, p99: 1_000 };

/** P36: 20 callers at once each lease a ready phone of a pool and take its first picture. */
export async function benchPoolStart(report: Report, { panel, keys }: KeyedServices): Promise<void> {
  const pool = { model: 'phone-720p', ready: CALLERS, most: 3 * CALLERS };
  await askAgain(panel, 'PUT', '/v1/pools/start', pool);
  const { clients, revoke } = await keys(CALLERS);
  const tookMs: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    if (!(await comesToHold(async () => (await readyOf(panel, 'start')) === CALLERS, MAX_WAIT_MS)))
      throw new Error(`the pool did not have ${CALLERS} ready phones within ${MAX_WAIT_MS} ms`);
    const firsts = await Promise.all(clients.map(firstPicture));
    // The end of a lease deletes its phone, which is no part of the start of another one.
    await Promise.all(clients.map((client, at) => client.delete(`/v1/leases/${firsts[at]?.leaseId ?? ''}`)));
    const times = firsts.map(({ tookMs: ms }) => ms);
    // The first round is a warm-up.
    if (round > 0) tookMs.push(...times);
  }
  await revoke();
  await askAgain(panel, 'DELETE', '/v1/pools/start');
  if (!(await comesToHold(async () => (await devicesOf(panel)).length === 0, MAX_WAIT_MS)))
    throw new Error(`the phones of a deleted pool were not gone within ${MAX_WAIT_MS} ms`);
  const [p50, p99] = [quantile(tookMs, 0.5), quantile(tookMs, 0.99)];
  report({
    what: `P36 lease of a ready phone to its first picture, ${CALLERS} at once, ${tookMs.length} leases`,
    ours: `p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms`,
    theirs: '-',
    goal: `p50 <= ${GOAL_MS.p50} ms, p99 <= ${GOAL_MS.p99} ms`,
    holds: p50 <= GOAL_MS.p50 && p99 <= GOAL_MS.p99,
  });
}

async function firstPicture(client: RestClient): Promise<{ tookMs: number; leaseId: string }> {
  const beganMs = systemClock.monotonicMs();
  const leased = await client.post('/v1/leases', { pool: 'start' });
  if (leased.status !== 201) throw new Error(`not leased: ${leased.bytes.toString()}`);
  const picture = await client.get(`/v1/devices/${leased.body.device.name}/screenshot`);
  if (picture.status !== 200) throw new Error(`no picture: ${picture.bytes.toString()}`);
  return { tookMs: systemClock.monotonicMs() - beganMs, leaseId: leased.body.lease.id as string };
}

/** Returns how many phones of the pool are ready. */
export async function readyOf(panel: PanelClient, pool: string): Promise<number> {
  const { pool: found } = (await askAgain(panel, 'GET', `/v1/pools/${pool}`)) as {
    pool: { phones: { ready: number } };
  };
  return found.phones.ready;
}

/** Returns the devices of the account. */
export async function devicesOf(panel: PanelClient): Promise<{ name: string; job?: string }[]> {
  const { devices } = (await askAgain(panel, 'GET', '/v1/devices')) as { devices: { name: string; job?: string }[] };
  return devices;
}
