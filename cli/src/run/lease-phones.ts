import type { CloudPhone } from '../../../client/src/cloud-phone.js';
import type { Invocation } from '../command/command.js';
import { endTermsOf, WAIT_S } from '../leases/lease-terms.js';
import { type Taken, takeLease } from '../leases/take-lease.js';
import { UsageError } from '../output/usage-error.js';
import { begunAhead } from '../service/begun-ahead.js';
import { HeldLease, RUN_LEASE_S } from './held-lease.js';
import { type HeldPhone, leaveLeased } from './leave-leased.js';
import type { RunPhone } from './run-phone.js';
import type { LeasedSource } from './source.js';
import { takeFree, takeNow } from './take-free.js';

/** How long a run waits for a phone of a pool, unless it is given, seconds. */
const POOL_WAIT_S = 600;

/**
 * Leases the phones of a run, each by a lease of its own. A part of the run begins when it has its phone, so that runs that wait for each
 * other's phones cannot wait for ever.
 */
export async function leasePhones(
  invocation: Invocation,
  phone: CloudPhone,
  source: LeasedSource,
  shards: number,
): Promise<RunPhone[]> {
  if (source.kind === 'device' && shards > 1)
    throw new UsageError('run: --device is one phone, so --shards must be 1. Name several by --label.');
  const { options } = invocation;
  const waitS = options.seconds('wait', WAIT_S) ?? (source.kind === 'pool' ? POOL_WAIT_S : 0);
  const terms = { ttl_s: RUN_LEASE_S, note: 'cloudphone run', ...endTermsOf(options) };
  const begin = async ({ lease, device }: Taken): Promise<HeldPhone> => {
    const { wait, nowMs } = invocation;
    const held = new HeldLease({ phone, wait, nowMs }, lease);
    const given = { name: device.name, held, lost: held.lost, wasOff: device.state !== 'running' };
    if (!given.wasOff) return { ...given, job: undefined };
    try {
      const params = { path: { name: device.name } };
      const { job } = await phone.post('/v1/devices/{name}/start', { params });
      return { ...given, job };
    } catch (error) {
      await held.end();
      throw error;
    }
  };
  const phoneOf = (taken: Promise<Taken>): RunPhone => {
    const begun = begunAhead(taken.then(begin));
    return { begun, leave: (hasSucceeded) => leaveLeased(invocation, phone, begun, hasSucceeded) };
  };
  if (source.kind === 'label' && waitS === 0) {
    const taken = await takeFree(invocation, phone, { label: source.label, count: shards, terms });
    return taken.map((one) => phoneOf(Promise.resolve(one)));
  }
  if (source.kind === 'device' && waitS === 0) {
    const params = { path: { name: source.device } };
    const { device } = await phone.get('/v1/devices/{name}', { params, signal: invocation.signal });
    return [phoneOf(begunAhead(takeNow(invocation, phone, device, terms)))];
  }
  const wanted = { ...wantedOf(source), ...terms };
  return Array.from({ length: shards }, () => phoneOf(begunAhead(takeLease(invocation, phone, wanted, waitS))));
}

function wantedOf(source: LeasedSource): { device: string } | { label: string } | { pool: string } {
  if (source.kind === 'device') return { device: source.device };
  return source.kind === 'label' ? { label: source.label } : { pool: source.pool };
}
