import { CloudPhoneError } from '../../client/src/index.js';
import type { CheckedPhones } from '../checked-phones.js';
import { demand } from '../demand.js';
import { NotOffered, type Row } from '../row.js';
import { MAIN } from './life.js';

/** A file whose content shows whether a phone holds the snapshot. */
export const MARK = '/sdcard/check-phones';

/** The id of the snapshot that was taken. The row of snapshots sets it, and the row of clones uses it. */
const taken = new WeakMap<CheckedPhones, string>();

export const snapshots: Row = {
  name: 'snapshot, change, restore',
  run: async (phones) => {
    needsSnapshots(phones);
    const phone = phones.get(MAIN);
    const params = { path: { name: phone.name } };
    await phone.shell(`echo before > ${MARK}; sync`);
    const save = () => phones.api.post('/v1/devices/{name}/snapshots', { params, body: { label: 'check' } });
    const { job, snapshot } = await save().catch(async (error: unknown) => {
      if (!(error instanceof CloudPhoneError) || error.kind !== 'busy') throw error;
      // Phones of some drivers can be saved only while they are off.
      await phone.stop();
      return save();
    });
    await phone.wait(job);
    taken.set(phones, snapshot.id);
    if ((await phone.device()).state !== 'running') await phone.start();
    await phone.shell(`echo after > ${MARK}; sync`);
    const restored = await phones.api.post('/v1/devices/{name}/snapshots/{id}/restore', {
      params: { path: { name: phone.name, id: snapshot.id } },
    });
    await phone.wait(restored.job);
    const found = (await phone.shell(`cat ${MARK}`)).trim();
    demand(found === 'before', `the file holds "${found}", not "before"`);
    const { snapshots: all } = await phones.api.get('/v1/devices/{name}/snapshots', { params });
    return `${Math.round((all.find(({ id }) => id === snapshot.id)?.size ?? 0) / 1024 / 1024)} MiB`;
  },
};

export const clones: Row = {
  name: 'clone, with an identity of its own',
  run: async (phones) => {
    needsSnapshots(phones);
    const id = takenSnapshot(phones);
    const [source, name] = [phones.get(MAIN), phones.nameOf('clone')];
    const { job } = await phones.api.post('/v1/devices/{device}/snapshots/{id}/clone', {
      params: { path: { device: source.name, id } },
      body: { name },
    });
    const clone = await phones.made('clone', name, job);
    demand((await clone.shell(`cat ${MARK}`)).trim() === 'before', 'the file of the snapshot is not there');
    const androidIds = [await idOf(source.shell.bind(source)), await idOf(clone.shell.bind(clone))];
    const serials = [(await source.startFacts()).serial, (await clone.startFacts()).serial];
    await phones.delete('clone');
    demand(serials[0] !== serials[1], `both have ro.serialno ${serials[0] ?? ''}`);
    demand(androidIds[0] !== androidIds[1], `both have the Android id ${androidIds[0] ?? ''}`);
    return serials[1] ?? '';
  },
};

async function idOf(shell: (command: string) => Promise<string>): Promise<string> {
  return (await shell('settings get secure android_id')).trim();
}

/** Returns the id of the snapshot that an earlier row took. Throws where that row failed. */
export function takenSnapshot(phones: CheckedPhones): string {
  const id = taken.get(phones);
  demand(id !== undefined, 'there is no snapshot, see above');
  return id;
}

/** Throws NotOffered for a model whose phones cannot be saved. */
export function needsSnapshots({ model }: CheckedPhones): void {
  if (!model.snapshots) throw new NotOffered('"snapshots" of the model in GET /v1/models is false');
}
