import type { Invocation } from '../command/command.js';
import { findAdb } from '../adb/adb-program.js';
import { UsageError } from '../output/usage-error.js';
import { IDLE_STOP_S } from '../phones/create.js';
import { begunAhead } from '../service/begun-ahead.js';
import { openService } from '../service/connection.js';
import { gatherPhones } from './phones.js';
import { useShard } from './shard.js';
import { sourceOf } from './source.js';
import { sweep } from './sweep.js';

/** Phones that a run was killed on are stopped after so long without use, seconds. */
const DEFAULT_IDLE_STOP_S = 600;

const MAX_SHARDS = 50;
const MAX_LIMIT_S = 604_800;

/**
 * Makes or leases phones, runs a program with each, and deletes or releases them. Returns the first status that is not 0, in the order of the
 * shards.
 *
 * However the program ends, the phones are left: the end of this function is reached after Ctrl-C, SIGTERM, a program that hangs and a fault
 * of ours. After a kill -9 or a lost machine the service stops phones that were made for want of use, and a sweep deletes them by their label.
 * Leases end by their time then.
 */
export async function run(invocation: Invocation): Promise<number> {
  const { options, foreign, settings, signal, terminal } = invocation;
  const service = openService(invocation);
  if (options.flag('sweep')) {
    await sweep(invocation, service.phone);
    return 0;
  }
  if (foreign.length === 0)
    throw new UsageError('run: the command is missing. Write it after --, such as: -- npx wdio');
  if (options.flag('record') && options.text('artifacts') === undefined)
    throw new UsageError('run: --record needs --artifacts FOLDER, where the videos are saved.');
  const shards = options.number('shards', { min: 1, max: MAX_SHARDS }) ?? 1;
  const idleStopS = options.number('idle-stop-s', IDLE_STOP_S) ?? DEFAULT_IDLE_STOP_S;
  const limitS = options.number('time-limit-s', { min: 1, max: MAX_LIMIT_S });
  const source = sourceOf(invocation);
  // Before anything is made: a machine without adb shall cost nothing.
  const adb = options.flag('no-adb') ? undefined : findAdb(settings);
  const phones = await gatherPhones(invocation, service.phone, { source, shards, idleStopS });
  const statuses: { name: string; status: number }[] = [];
  let leaving: Promise<unknown> | undefined;
  const leaveAll = (): Promise<unknown> =>
    (leaving ??= begunAhead(Promise.all(phones.map((one, at) => one.leave(statuses[at]?.status === 0)))));
  // Phones are deleted while the programs end: a CI system that cancels a job gives a few seconds for both.
  const leaveEarly = (): void => void leaveAll();
  signal.addEventListener('abort', leaveEarly, { once: true });
  if (signal.aborted) leaveEarly();
  try {
    const results = await Promise.allSettled(
      phones.map(async (one, at) => {
        const shard = { number: at + 1, count: phones.length, adb, limitS };
        statuses[at] = await useShard(invocation, service, one, shard);
      }),
    );
    const fault = results.find((result) => result.status === 'rejected');
    if (fault !== undefined) throw fault.reason;
  } finally {
    await leaveAll();
  }
  if (signal.aborted) throw signal.reason;
  if (shards > 1)
    for (const { name, status } of statuses) terminal.note(`cloudphone: ${name} ended with status ${status}`);
  return statuses.find(({ status }) => status !== 0)?.status ?? 0;
}
