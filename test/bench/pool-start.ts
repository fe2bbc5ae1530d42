import { systemClock } from '../../kit/async/clock.js';
import { until } from '../../testing/until.js';
import type { PanelClient } from '../access/people.js';
import type { RestClient } from '../rest-client.js';
import type { KeyedServices } from './keyed-services.js';
import { quantile, type Report } from './report.js';

const CALLERS = 20;
const ROUNDS = 10;
const GOAL_MS = { p50: 300, p99: 1_000 };

/** P36: 20 callers at once each lease a ready phone of a pool and take its first picture. */
export async function benchPoolStart(report: Report, { panel, keys }: KeyedServices): Promise<void> {
  const pool = { model: 'phone-720p', ready: CALLERS, most: 3 * CALLERS };
  await panel.ask('PUT', '/v1/pools/start', pool);
  const { clients, revoke } = await keys(CALLERS);
  const tookMs: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    await until(async () => (await readyOf(panel, 'start')) === CALLERS);
    const times = await Promise.all(clients.map(firstPicture));
    // The first round is a warm-up.
    if (round > 0) tookMs.push(...times);
  }
  await revoke();
  await panel.ask('DELETE', '/v1/pools/start');
  await until(async () => (await panel.ask('GET', '/v1/devices')).body.devices.length === 0);
  const [p50, p99] = [quantile(tookMs, 0.5), quantile(tookMs, 0.99)];
  report({
    what: `P36 lease of a ready phone to its first picture, ${CALLERS} at once, ${tookMs.length} leases`,
    ours: `p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms`,
    theirs: '-',
    goal: `p50 <= ${GOAL_MS.p50} ms, p99 <= ${GOAL_MS.p99} ms`,
    holds: p50 <= GOAL_MS.p50 && p99 <= GOAL_MS.p99,
  });
}

async function firstPicture(client: RestClient): Promise<number> {
  const beganMs = systemClock.monotonicMs();
  const leased = await client.post('/v1/leases', { pool: 'start' });
  if (leased.status !== 201) throw new Error(`not leased: ${leased.bytes.toString()}`);
  const picture = await client.get(`/v1/devices/${leased.body.device.name}/screenshot`);
  if (picture.status !== 200) throw new Error(`no picture: ${picture.bytes.toString()}`);
  const tookMs = systemClock.monotonicMs() - beganMs;
  await client.delete(`/v1/leases/${leased.body.lease.id}`);
  return tookMs;
}

/** Returns how many phones of the pool are ready. */
export async function readyOf(panel: PanelClient, pool: string): Promise<number> {
  await systemClock.sleep(200);
  return ((await panel.ask('GET', `/v1/pools/${pool}`)).body?.pool?.phones.ready as number | undefined) ?? -1;
}
