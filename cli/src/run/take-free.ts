import type { CloudPhone } from '../../../client/src/cloud-phone.js';
import { CloudPhoneError } from '../../../client/src/errors.js';
import { countAdbSessions } from '../adb/open-relay.js';
import type { Invocation } from '../command/command.js';
import { type Taken, takeLease } from '../leases/take-lease.js';
import { Failure, STATUS } from '../output/failure.js';
import { itemsOf } from '../service/list-items.js';
import type { Device, Schemas } from '../service/types.js';
import { HeldLease } from './held-lease.js';

type Calls = Pick<Invocation, 'signal' | 'wait' | 'nowMs'>;

/**
 * Leases the first phones with a label that are in nobody's use: all of them, or none. A lease would end the ADB connections of others, so
 * phones with one are left out. A phone that another caller has leased meanwhile is passed over.
 */
export async function takeFree(
  calls: Calls,
  phone: CloudPhone,
  { label, count, terms }: { label: string; count: number; terms: Schemas['CreateLeaseBody'] },
): Promise<Taken[]> {
  const all = await itemsOf<Device>(calls, { phone }, { path: '/v1/devices', query: { label }, field: 'devices' });
  if (all.length === 0) throw new Failure(`No phone has the label ${label}.`, STATUS.notFound);
  const taken: Taken[] = [];
  try {
    for (const device of all) {
      if (taken.length === count) break;
      if (!(await isFree(calls, phone, device))) continue;
      const one = await takeNow(calls, phone, device, terms).catch(refusalOf);
      if (one !== undefined) taken.push(one);
    }
    if (taken.length === count) return taken;
    const free = `${taken.length} of the ${all.length} phones with the label ${label} are free`;
    throw new CloudPhoneError(`Only ${free}, and ${count} are needed. Give --wait, or fewer --shards.`, {
      kind: 'busy',
      status: 409,
    });
  } catch (error) {
    // What cannot be ended now ends by its time.
    await Promise.allSettled(taken.map(({ lease }) => new HeldLease({ phone, ...calls }, lease).end()));
    throw error;
  }
}

/**
 * Leases a phone as it is now. One that is off is started by the run, so the end of the lease stops it again: also after this program was
 * killed.
 */
export function takeNow(
  calls: Calls,
  phone: CloudPhone,
  { name, state }: Device,
  terms: Schemas['CreateLeaseBody'],
): Promise<Taken> {
  const end = state === 'stopped' && terms.at_end === undefined ? { at_end: 'stop' as const } : {};
  return takeLease(calls, phone, { ...terms, ...end, device: name }, 0);
}

async function isFree(calls: Calls, phone: CloudPhone, device: Device): Promise<boolean> {
  const { name, state, job, lease, pool } = device;
  if (job !== undefined || lease !== undefined || pool !== undefined) return false;
  if (state !== 'running') return state === 'stopped';
  return (await countAdbSessions(phone, name, calls.signal)) === 0;
}

/** Returns undefined for a phone that is busy. Throws any other error. */
function refusalOf(error: unknown): undefined {
  if (error instanceof CloudPhoneError && error.kind === 'busy') return undefined;
  throw error;
}
