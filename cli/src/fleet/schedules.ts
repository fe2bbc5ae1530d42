import type { Invocation } from '../command/command.js';
import { UsageError } from '../output/usage-error.js';
import { factsOf } from '../output/columns.js';
import { print } from '../command/print.js';
import { openService } from '../service/connection.js';
import { listItems } from '../service/list-items.js';
import type { PostBody, Schemas } from '../service/types.js';
import { withReplay } from '../replay/with-replay.js';
import { readBody } from './read-body.js';

type Schedule = Schemas['Schedule'];

/** Lists schedules, shows one, makes one of a file, switches one on or off, or deletes one. */
export async function run(invocation: Invocation): Promise<void> {
  const { words, options, terminal, signal } = invocation;
  const [id] = words;
  const file = options.text('create');
  if (file === undefined && options.text('replay') !== undefined)
    throw new UsageError('schedules: --replay needs --create FILE, which names the phones and the time.');
  const changes = ['enable', 'disable', 'delete'].filter((name) => options.flag(name));
  if (changes.length > 1) throw new UsageError('schedules: give one of --enable, --disable and --delete.');
  if (id === undefined && changes.length > 0) throw new UsageError(`schedules: --${changes[0] ?? ''} needs an ID.`);
  if (id === undefined && file === undefined) return listSchedules(invocation);
  const { phone } = openService(invocation);
  if (file !== undefined) {
    const body = await withReplay(invocation, await readBody<PostBody<'/v1/schedules'>>(file, terminal, signal));
    const made = await phone.post('/v1/schedules', { body, signal });
    print(invocation, made, scheduleText(made.schedule));
  } else if (id !== undefined) {
    const params = { path: { id } };
    if (options.flag('delete')) {
      await phone.delete('/v1/schedules/{id}', { params, signal });
      print(invocation, {}, `${id} is deleted.`);
      return;
    }
    const enabled = options.flag('enable');
    const body =
      changes.length === 0
        ? await phone.get('/v1/schedules/{id}', { params, signal })
        : await phone.patch('/v1/schedules/{id}', { params, body: { enabled }, signal });
    print(invocation, body, scheduleText(body.schedule));
  }
}

function listSchedules(invocation: Invocation): Promise<void> {
  return listItems<Schedule>(invocation, {
    path: '/v1/schedules',
    field: 'schedules',
    none: 'No schedules.',
    columns: [
      ['ID', ({ id }) => id],
      ['WHEN', whenText],
      ['PHONES', ({ devices }) => devices.join(' ')],
      ['ENABLED', ({ enabled }) => (enabled ? 'yes' : 'no')],
      ['NEXT', ({ next_run_at: next }) => next],
    ],
  });
}

function scheduleText(schedule: Schedule): string {
  const { id, devices, enabled, next_run_at: next, last_run: last } = schedule;
  return factsOf([
    ['id', id],
    ['when', whenText(schedule)],
    ['phones', devices.join(' ')],
    ['enabled', enabled ? 'yes' : 'no'],
    ['next run', next],
    ['last run', last && `${last.at} ${last.state}`],
  ]);
}

function whenText({ days, time, timezone }: Schedule): string {
  return `${days.join(',')} ${time} ${timezone}`;
}
