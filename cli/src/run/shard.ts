import type { AdbProgram } from '../adb/adb-program.js';
import { abortWith } from '../../../client/src/abort-with.js';
import { connectPhone } from '../adb/connected-phone.js';
import { installApp } from '../apps/install.js';
import type { Invocation } from '../command/command.js';
import type { Service } from '../service/connection.js';
import { saveArtifacts } from './artifacts.js';
import { beginFilm, saveFilm } from './film.js';
import type { BegunPhone, RunPhone } from './run-phone.js';
import { runUserProgram } from './user-program.js';

/** One of the equal parts of a run. */
export interface Shard {
  /** From 1 on. */
  number: number;
  count: number;
  /** Undefined: adb is not connected. */
  adb: AdbProgram | undefined;
  /** The longest time of the program, seconds. Undefined: any. */
  limitS: number | undefined;
}

const MAX_BOOT_S = 86_400;
const DEFAULT_BOOT_S = 600;

/**
 * Waits for the phone of a shard, installs the apps, connects adb, and runs the program. Returns the program's status. Throws the reason when
 * the lease of the phone was lost, which ends the program.
 */
export async function useShard(
  invocation: Invocation,
  service: Service,
  { begun }: RunPhone,
  shard: Shard,
): Promise<{ name: string; status: number }> {
  const given = await begun;
  const { name, lost } = given;
  const ended = new AbortController();
  const unlink = [invocation.signal, ...(lost === undefined ? [] : [lost])].map((signal) => abortWith(ended, signal));
  try {
    const status = await useGiven({ ...invocation, signal: ended.signal }, service, given, shard);
    if (lost?.aborted === true) throw lost.reason;
    return { name, status };
  } catch (error) {
    // Whatever the use failed with, the loss of the phone is the reason.
    throw lost?.aborted === true ? lost.reason : error;
  } finally {
    for (const end of unlink) end();
  }
}

async function useGiven(
  invocation: Invocation,
  service: Service,
  { name, job }: BegunPhone,
  { number, count, adb, limitS }: Shard,
): Promise<number> {
  const { options, foreign, settings, terminal, signal, wait } = invocation;
  const { phone } = service;
  const bootS = options.number('boot-timeout-s', { min: 1, max: MAX_BOOT_S }) ?? DEFAULT_BOOT_S;
  if (job !== undefined) await phone.waitForJob(job, { timeoutMs: bootS * 1_000, signal });
  terminal.note(`cloudphone: ${name} runs`);
  for (const app of options.texts('install')) await installApp(invocation, service, name, app);
  const connected = adb && (await connectPhone(invocation, service, name, adb));
  try {
    const environment = {
      ...settings.environment,
      ...(connected !== undefined && { ANDROID_SERIAL: connected.serial }),
      CLOUDPHONE_DEVICE: name,
      CLOUDPHONE_SHARD: String(number),
      CLOUDPHONE_SHARDS: String(count),
    };
    const program = {
      command: foreign,
      environment,
      ...(count > 1 && { prefix: `[${number}/${count}] ` }),
      ...(limitS !== undefined && { timeoutMs: limitS * 1_000 }),
      isInForeground: terminal.input.isTTY && count === 1,
    };
    const { output, errors } = terminal;
    const folder = options.text('artifacts');
    const film = options.flag('record') ? await beginFilm(invocation, service, name) : undefined;
    const status = await runUserProgram(program, { wait, signal, output, errors });
    if (film !== undefined && folder !== undefined && !signal.aborted)
      await saveFilm(invocation, service, film, folder);
    if (status !== 0 && folder !== undefined && !signal.aborted)
      await saveArtifacts(phone, name, folder, terminal, signal);
    return status;
  } finally {
    await connected?.close();
  }
}
