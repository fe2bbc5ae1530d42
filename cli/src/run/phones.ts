import type { CloudPhone } from '../../../client/src/cloud-phone.js';
import { CloudPhoneError } from '../../../client/src/errors.js';
import { countAdbSessions } from '../adb/open-relay.js';
import type { Invocation } from '../command/command.js';
import { UsageError } from '../output/usage-error.js';
import { Failure, STATUS } from '../output/failure.js';
import { wantedDevice } from '../phones/wanted-device.js';
import { begunAhead } from '../service/begun-ahead.js';
import { devicePath, itemsOf } from '../service/list-items.js';
import type { Device, Job, Schemas } from '../service/types.js';
import { RUN_LABEL } from './run-label.js';

/** A phone of a run. */
export interface RunPhone {
  name: string;
  /** The state that it is left in: phones that were made are deleted, phones that were started are stopped. */
  after: 'delete' | 'stop' | 'keep';
  /** The job that makes or starts it, once the service has accepted it. Undefined: it runs already. */
  begun: Promise<Job | undefined>;
}

/** The source of the phones of a run. */
export type Source =
  | { kind: 'new' }
  | { kind: 'device'; name: string }
  | { kind: 'label'; label: string }
  | { kind: 'clone'; snapshot: string };

/** Returns the source that the options name. Absent options: new phones of the first model. */
export function sourceOf({ options }: Pick<Invocation, 'options'>): Source {
  const given = (['model', 'device', 'label', 'clone-of'] as const).filter((name) => options.text(name) !== undefined);
  if (given.length > 1) throw new UsageError(`run: give one of --model, --device, --label and --clone-of.`);
  const [device, label, snapshot] = ['device', 'label', 'clone-of'].map((name) => options.text(name));
  if (device !== undefined) return { kind: 'device', name: device };
  if (label !== undefined) return { kind: 'label', label };
  return snapshot === undefined ? { kind: 'new' } : { kind: 'clone', snapshot };
}

type Calls = Pick<Invocation, 'options' | 'signal' | 'newId'>;

/**
 * Makes or chooses the phones of a run. All are made at the same time, and are returned before the service has accepted them. So the caller
 * knows the name of a phone whose request has arrived and whose response has not.
 */
export async function gatherPhones(
  calls: Calls,
  phone: CloudPhone,
  { source, shards, idleStopS }: { source: Source; shards: number; idleStopS: number },
): Promise<RunPhone[]> {
  if (source.kind === 'device' || source.kind === 'label') {
    if (source.kind === 'device' && shards > 1)
      throw new UsageError('run: --device is one phone, so --shards must be 1. Name several by --label.');
    const devices =
      source.kind === 'label'
        ? await freeDevices(calls, phone, source.label, shards)
        : [await deviceNamed(phone, source.name, calls.signal)];
    return devices.map((device) => startedDevice(phone, device));
  }
  const make = await makerOf(calls, phone, source, idleStopS);
  const id = calls.newId().slice(0, 8);
  return Array.from({ length: shards }, (_, shard) => {
    const name = `run-${id}${shards === 1 ? '' : `-${shard + 1}`}`;
    return { name, after: 'delete', begun: begunAhead(make(name)) };
  });
}

async function deviceNamed(phone: CloudPhone, name: string, signal: AbortSignal): Promise<Device> {
  return (await phone.get('/v1/devices/{name}', { params: { path: { name } }, signal })).device;
}

type Make = (name: string) => Promise<Job>;

/** These requests are not aborted by the signal: an aborted one may have made a phone. */
async function makerOf(calls: Calls, phone: CloudPhone, source: Source, idleStopS: number): Promise<Make> {
  const { options, signal, newId } = calls;
  const labels = { [RUN_LABEL.key]: RUN_LABEL.value };
  if (source.kind !== 'clone') {
    const wanted = await wantedDevice(phone, options, signal);
    return async (name) => {
      const body = { ...wanted, name, labels, idle_stop_s: idleStopS };
      const params = { header: { 'Idempotency-Key': newId() } };
      return (await phone.post('/v1/devices', { params, body })).job;
    };
  }
  const { device, id } = await findSnapshot(calls, phone, source.snapshot);
  return async (name) => {
    const params = { path: { device, id }, header: { 'Idempotency-Key': newId() } };
    const { job } = await phone.post('/v1/devices/{device}/snapshots/{id}/clone', { params, body: { name } });
    const changes = { labels, idle_stop_s: idleStopS };
    await phone.patch('/v1/devices/{name}', { params: { path: { name } }, body: changes });
    return job;
  };
}

/** Returns the first phones with a label that run or are off, and are in nobody's use as far as the service shows. */
async function freeDevices(calls: Calls, phone: CloudPhone, label: string, count: number): Promise<Device[]> {
  const all = await itemsOf<Device>(calls, { phone }, { path: '/v1/devices', query: { label }, field: 'devices' });
  if (all.length === 0) throw new Failure(`No phone has the label ${label}.`, STATUS.notFound);
  const free: Device[] = [];
  for (const device of all) {
    if (free.length === count) break;
    const isStill = device.job === undefined && (device.state === 'running' || device.state === 'stopped');
    if (!isStill) continue;
    if (device.state === 'running' && (await countAdbSessions(phone, device.name, calls.signal)) > 0) continue;
    free.push(device);
  }
  if (free.length === count) return free;
  const kind = `${free.length} of the ${all.length} phones with the label ${label} are free`;
  throw new CloudPhoneError(`Only ${kind}, and ${count} are needed. Wait, or give fewer --shards.`, {
    kind: 'busy',
    status: 409,
  });
}

function startedDevice(phone: CloudPhone, { name, state }: Device): RunPhone {
  if (state === 'running') return { name, after: 'keep', begun: Promise.resolve(undefined) };
  const begun = begunAhead(phone.post('/v1/devices/{name}/start', { params: { path: { name } } }));
  return { name, after: 'stop', begun: begunAhead(begun.then(({ job }) => job)) };
}

/** Finds a snapshot by DEVICE/ID, DEVICE/LABEL or its id alone. For an id alone the snapshots of all phones are looked through. */
async function findSnapshot(calls: Calls, phone: CloudPhone, wanted: string): Promise<{ device: string; id: string }> {
  const slash = wanted.indexOf('/');
  const devices =
    slash === -1
      ? await itemsOf<Device>(calls, { phone }, { path: '/v1/devices', field: 'devices' })
      : [{ name: wanted.slice(0, slash) }];
  const key = wanted.slice(slash + 1);
  for (const { name } of devices) {
    const list = { path: devicePath(name, '/snapshots'), field: 'snapshots' };
    const snapshots = await itemsOf<Schemas['Snapshot']>(calls, { phone }, list);
    const found = snapshots.find(({ id, label, state }) => state === 'ready' && (id === key || label === key));
    if (found !== undefined) return { device: name, id: found.id };
  }
  throw new Failure(`No snapshot ${wanted} is ready. Name it as PHONE/ID or PHONE/LABEL.`, STATUS.notFound);
}
