import type { CloudPhone } from '../../../client/src/cloud-phone.js';
import type { Invocation } from '../command/command.js';
import { leasePhones } from './lease-phones.js';
import { makePhones } from './make-phones.js';
import type { RunPhone } from './run-phone.js';
import type { Source } from './source.js';

/**
 * Makes or leases the phones of a run, all at the same time. They are returned before the service has given them, so that the caller can
 * leave also those whose requests are under way.
 */
export async function gatherPhones(
  invocation: Invocation,
  phone: CloudPhone,
  { source, shards, idleStopS }: { source: Source; shards: number; idleStopS: number },
): Promise<RunPhone[]> {
  return source.kind === 'new' || source.kind === 'clone'
    ? makePhones(invocation, phone, { source, shards, idleStopS })
    : leasePhones(invocation, phone, source, shards);
}
