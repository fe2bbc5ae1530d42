import type { Invocation } from '../command/command.js';
import { readInput } from '../output/read-input.js';
import { UsageError } from '../output/usage-error.js';
import { factsOf } from '../output/columns.js';
import { print } from '../command/print.js';
import { openService } from '../service/connection.js';
import type { Device } from '../service/types.js';
import { waitForJob } from '../service/wait-for-job.js';
import { exitOf } from './wanted-device.js';

export async function run(invocation: Invocation): Promise<void> {
  const { words, options, signal } = invocation;
  const path = { name: words[0] ?? '' };
  const { phone } = openService(invocation);
  const change = await changeOf(invocation);
  const begun =
    change !== undefined
      ? await phone.post('/v1/devices/{name}/network', { params: { path }, body: change, signal })
      : options.flag('rotate')
        ? await phone.post('/v1/devices/{name}/network/rotate', { params: { path }, signal })
        : undefined;
  const job = begun && (await waitForJob(invocation, phone, begun.job));
  const { device } = await phone.get('/v1/devices/{name}', { params: { path }, signal });
  print(invocation, job === undefined ? { device } : { job, device }, exitFacts(device));
}

async function changeOf({ options, terminal, signal }: Invocation) {
  const exit = exitOf(options.text('exit'));
  const given = options.text('proxy');
  const timezone = options.text('timezone');
  if ([exit !== undefined, given !== undefined, options.flag('rotate')].filter(Boolean).length > 1)
    throw new UsageError('Give one of --exit, --proxy and --rotate.');
  if (exit !== undefined) return { ...exit, ...(timezone !== undefined && { timezone }) };
  if (given === undefined) return undefined;
  // A proxy has a password, and other users of a machine see the words of a command.
  const proxy = given === '-' ? (await readInput(terminal.input, signal)).trim() : given;
  return { proxy, ...(timezone !== undefined && { timezone }) };
}

function exitFacts({ exit }: Device): string {
  return factsOf([
    ['type', exit.type],
    ['country', exit.country],
    ['time zone', exit.timezone],
    ['address', exit.address],
  ]);
}
