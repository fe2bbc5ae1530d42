import { systemClock } from '../../kit/async/clock.js';
import type { RestClient } from '../rest-client.js';
import { askAgain } from './ask-again.js';
import { comesToHold } from './comes-to-hold.js';
import type { KeyedServices } from './keyed-services.js';
import { devicesOf, readyOf } from './pool-start.js';
import type { Report } from './report.js';

const CALLERS = 20;
const LEASES_EACH = 10;
const ROUNDS = 10;
const READY = 5;
const MAX_PHONES = 10;
/** A lease whose response was lost in a kill ends by itself after this, s: the least that can be chosen. */
const TTL_S = 30;
const HOLD_MS = 20;

/** What went wrong. Each must be 0. */
interface Faults {
  heldTwice: number;
  lost: number;
  leftOver: number;
  tooMany: number;
}

/**
 * P37: 20 callers take and release 200 leases of a pool of at most 10 phones, in each of 10 rounds. In half of the rounds the device service
 * is killed twice. No phone may have two holders, get lost, or be left over.
 */
export async function benchLeaseRounds(report: Report, keyed: KeyedServices): Promise<void> {
  const { panel, services } = keyed;
  await askAgain(panel, 'PUT', '/v1/pools/rounds', { model: 'phone-720p', ready: READY, most: MAX_PHONES });
  // A phone is deleted after its lease, so a name that comes again is a phone with two holders.
  const holders = new Map<string, number>();
  const faults: Faults = { heldTwice: 0, lost: 0, leftOver: 0, tooMany: 0 };
  let leases = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const { clients, revoke } = await keyed.keys(CALLERS);
    const callers = clients.map((client, caller) => useLeases(client, caller, holders, faults));
    const working = Promise.all(callers).then((counts) => counts.reduce((sum, count) => sum + count, 0));
    if (round % 2 === 1) {
      for (let kills = 0; kills < 2; kills++) {
        await systemClock.sleep(500 + Math.random() * 1_500);
        await services.kill('device');
        await services.start('device');
      }
    }
    leases += await working;
    // Leases whose responses were lost end by their time.
    const isQuiet = async (): Promise<boolean> => {
      const { leases: open } = (await askAgain(panel, 'GET', '/v1/leases')) as { leases: unknown[] };
      return open.length === 0 && (await readyOf(panel, 'rounds')) === READY;
    };
    if (!(await comesToHold(isQuiet, (TTL_S + 60) * 1_000))) faults.lost++;
    const devices = await devicesOf(panel);
    faults.leftOver += Math.max(0, devices.filter(({ job }) => job === undefined).length - READY);
    if (devices.length > MAX_PHONES) faults.tooMany++;
    await revoke();
  }
  await askAgain(panel, 'DELETE', '/v1/pools/rounds');
  if (!(await comesToHold(async () => (await devicesOf(panel)).length === 0, 150_000))) faults.leftOver++;
  const { heldTwice, lost, leftOver, tooMany } = faults;
  report({
    what: `P37 ${leases} leases of ${CALLERS} callers in ${ROUNDS} rounds, a pool of ${MAX_PHONES}, with kill -9 in half of them`,
    ours: `${heldTwice} held twice, ${lost} rounds with a phone lost, ${leftOver} left over, ${tooMany} rounds with too many`,
    theirs: '-',
    goal: '0 of each',
    holds: heldTwice + lost + leftOver + tooMany === 0,
  });
}

/** Takes and releases leases one after the other. Returns how many it had. What a kill refuses is tried again. */
async function useLeases(
  client: RestClient,
  caller: number,
  holders: Map<string, number>,
  faults: Faults,
): Promise<number> {
  let had = 0;
  while (had < LEASES_EACH) {
    const leased = await client.post('/v1/leases', { pool: 'rounds', ttl_s: TTL_S, wait_s: 60 }).catch(() => undefined);
    if (leased?.status !== 201) {
      await systemClock.sleep(500);
      continue;
    }
    const { id, device } = leased.body.lease as { id: string; device: string };
    if (holders.has(device)) faults.heldTwice++;
    holders.set(device, caller);
    await systemClock.sleep(HOLD_MS);
    had++;
    for (;;) {
      const released = await client.delete(`/v1/leases/${id}`).catch(() => undefined);
      if (released?.status === 204 || released?.status === 404) break;
      await systemClock.sleep(200);
    }
  }
  return had;
}
