import type { CloudPhone } from '../../../client/src/cloud-phone.js';
import type { Invocation } from '../command/command.js';
import { findSnapshot } from '../phones/find-snapshot.js';
import { wantedDevice } from '../phones/wanted-device.js';
import { begunAhead } from '../service/begun-ahead.js';
import type { Job } from '../service/types.js';
import { leaveMade } from './leave-made.js';
import { RUN_LABEL } from './run-label.js';
import type { RunPhone } from './run-phone.js';
import type { Source } from './source.js';

type MadeSource = Extract<Source, { kind: 'new' | 'clone' }>;

/** Makes the phones of a run. Their names are known before the service has accepted them, so that each can be deleted whatever happens. */
export async function makePhones(
  invocation: Invocation,
  phone: CloudPhone,
  { source, shards, idleStopS }: { source: MadeSource; shards: number; idleStopS: number },
): Promise<RunPhone[]> {
  const make = await makerOf(invocation, phone, source, idleStopS);
  const id = invocation.newId().slice(0, 8);
  return Array.from({ length: shards }, (_, shard) => {
    const name = `run-${id}${shards === 1 ? '' : `-${shard + 1}`}`;
    const begun = begunAhead(make(name).then((job) => ({ name, job })));
    return { begun, leave: (hasSucceeded) => leaveMade(invocation, phone, { name, begun }, hasSucceeded) };
  });
}

type Make = (name: string) => Promise<Job>;

/** These requests are not aborted by the signal: an aborted one may have made a phone. */
async function makerOf(
  { options, signal, newId }: Invocation,
  phone: CloudPhone,
  source: MadeSource,
  idleStopS: number,
): Promise<Make> {
  const labels = { [RUN_LABEL.key]: RUN_LABEL.value };
  if (source.kind === 'new') {
    const wanted = await wantedDevice(phone, options, signal);
    return async (name) => {
      const body = { ...wanted, name, labels, idle_stop_s: idleStopS };
      const params = { header: { 'Idempotency-Key': newId() } };
      return (await phone.post('/v1/devices', { params, body })).job;
    };
  }
  const { device, id } = await findSnapshot({ signal }, phone, source.snapshot);
  return async (name) => {
    const params = { path: { device, id }, header: { 'Idempotency-Key': newId() } };
    const { job } = await phone.post('/v1/devices/{device}/snapshots/{id}/clone', { params, body: { name } });
    const changes = { labels, idle_stop_s: idleStopS };
    await phone.patch('/v1/devices/{name}', { params: { path: { name } }, body: changes });
    return job;
  };
}
