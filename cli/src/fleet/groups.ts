import type { Invocation } from '../command/command.js';
import { UsageError } from '../output/usage-error.js';
import { tableOf } from '../output/columns.js';
import { print } from '../command/print.js';
import { openService } from '../service/connection.js';
import { listItems } from '../service/list-items.js';
import type { PostBody, Schemas } from '../service/types.js';
import { waitForJob } from '../service/wait-for-job.js';
import { withReplay } from '../replay/with-replay.js';
import { readBody } from './read-body.js';

type Group = Schemas['Group'];

/** Lists groups, shows one, makes one of a file, or cancels one. */
export async function run(invocation: Invocation): Promise<void> {
  const { words, options, terminal, signal } = invocation;
  const [id] = words;
  const file = options.text('create');
  if (file === undefined && options.text('replay') !== undefined)
    throw new UsageError('groups: --replay needs --create FILE, which names the phones.');
  if (options.flag('cancel') && id === undefined) throw new UsageError('groups: --cancel needs the ID of a group.');
  if (id === undefined && file === undefined) return listGroups(invocation);
  const { phone } = openService(invocation);
  if (file !== undefined) {
    const body = await withReplay(invocation, await readBody<PostBody<'/v1/groups'>>(file, terminal, signal));
    const made = await phone.post('/v1/groups', { body, signal });
    const job = await waitForJob(invocation, phone, made.job);
    const { group } = await phone.get('/v1/groups/{id}', { params: { path: { id: made.group.id } }, signal });
    print(invocation, { job, group }, groupText(group));
  } else if (id !== undefined) {
    const params = { path: { id } };
    if (options.flag('cancel')) {
      const { job } = await phone.post('/v1/groups/{id}/cancel', { params, signal });
      print(invocation, { job }, `${id} is being cancelled.`);
      return;
    }
    const body = await phone.get('/v1/groups/{id}', { params, signal });
    print(invocation, body, groupText(body.group));
  }
}

function listGroups(invocation: Invocation): Promise<void> {
  return listItems<Schemas['GroupSummary']>(invocation, {
    path: '/v1/groups',
    query: { label: invocation.options.text('label') },
    field: 'groups',
    none: 'No groups.',
    columns: [
      ['ID', ({ id }) => id],
      ['NAME', ({ name }) => name],
      ['STATE', ({ state }) => state],
      ['PHONES', ({ devices }) => devices],
      ['MADE', ({ created_at: at }) => at],
    ],
  });
}

function groupText({ id, state, devices }: Group): string {
  const table = tableOf(devices, [
    ['PHONE', ({ device }) => device],
    ['STATE', (device) => device.state],
    ['STEP', ({ step }) => step],
    ['ERROR', ({ error }) => error?.message],
  ]);
  return `${id} ${state}\n${table}`;
}
