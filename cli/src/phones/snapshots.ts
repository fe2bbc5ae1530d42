import type { Invocation } from '../command/command.js';
import { factsOf } from '../output/columns.js';
import { print } from '../command/print.js';
import { sizeText } from '../output/sizes.js';
import { openService } from '../service/connection.js';
import { devicePath, listItems } from '../service/list-items.js';
import type { Schemas } from '../service/types.js';
import { waitForJob } from '../service/wait-for-job.js';
import { deviceFacts } from './device-facts.js';
import { exitOf, planOf } from './wanted-device.js';

type Snapshot = Schemas['Snapshot'];

export const list = {
  run: (invocation: Invocation): Promise<void> =>
    listItems<Snapshot>(invocation, {
      path: devicePath(invocation.words[0] ?? '', '/snapshots'),
      field: 'snapshots',
      none: 'No snapshots. Take one: cloudphone snapshot NAME',
      columns: [
        ['ID', ({ id }) => id],
        ['LABEL', ({ label }) => label],
        ['STATE', ({ state }) => state],
        ['SIZE', ({ size }) => sizeText(size)],
        ['TAKEN', ({ created_at: at }) => at],
      ],
    }),
};

export const take = {
  run: async (invocation: Invocation): Promise<void> => {
    const { words, options, signal } = invocation;
    const [name = ''] = words;
    const { phone } = openService(invocation);
    const path = { name };
    const id = options.text('delete');
    if (id !== undefined) {
      await phone.delete('/v1/devices/{name}/snapshots/{id}', { params: { path: { name, id } }, signal });
      print(invocation, {}, `Snapshot ${id} is deleted.`);
      return;
    }
    const label = options.text('label');
    const body = label === undefined ? {} : { label };
    const made = await phone.post('/v1/devices/{name}/snapshots', { params: { path }, body, signal });
    const job = await waitForJob(invocation, phone, made.job);
    const { snapshots } = await phone.get('/v1/devices/{name}/snapshots', { params: { path }, signal });
    const snapshot = snapshots.find((one) => one.id === made.snapshot.id) ?? made.snapshot;
    print(invocation, { job, snapshot }, snapshotFacts(snapshot));
  },
};

export const restore = {
  run: async (invocation: Invocation): Promise<void> => {
    const { words, signal } = invocation;
    const [name = '', id = ''] = words;
    const { phone } = openService(invocation);
    const params = { path: { name, id } };
    const begun = await phone.post('/v1/devices/{name}/snapshots/{id}/restore', { params, signal });
    const job = await waitForJob(invocation, phone, begun.job);
    print(invocation, { job }, `${name}: restore ${job.state}`);
  },
};

export const clone = {
  run: async (invocation: Invocation): Promise<void> => {
    const { words, options, signal, newId } = invocation;
    const [device = '', id = '', name] = words;
    const { phone } = openService(invocation);
    const network = exitOf(options.text('exit'));
    const plan = options.text('plan');
    const body = {
      ...(name !== undefined && { name }),
      ...(network !== undefined && { network }),
      ...(plan !== undefined && { plan: planOf(plan) }),
      start: !options.flag('no-start'),
    };
    const params = { path: { device, id }, header: { 'Idempotency-Key': newId() } };
    const made = await phone.post('/v1/devices/{device}/snapshots/{id}/clone', { params, body, signal });
    const job = await waitForJob(invocation, phone, made.job);
    const path = { name: made.device.name };
    const { device: clone } = await phone.get('/v1/devices/{name}', { params: { path }, signal });
    print(invocation, { job, device: clone }, deviceFacts(clone));
  },
};

function snapshotFacts({ id, device, label, state, size }: Snapshot): string {
  return factsOf([
    ['id', id],
    ['phone', device],
    ['label', label],
    ['state', state],
    ['size', sizeText(size)],
  ]);
}
