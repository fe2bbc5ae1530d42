import { BrokenPipe } from '../../../phone/adb/device/broken-pipe.js';
import { quotedForShell } from '../quoted-for-shell.js';
import { runProgram } from '../commands/run-program.js';
import type { Job } from '../shell-state.js';
import { SIGNALS, signalNumber } from '../signals.js';
import { refuse, refuseAndExit, type Builtin, type BuiltinCall } from './builtin.js';

/** `trap`, `wait`, `kill` and `jobs`. */
export const SIGNALLING: Readonly<Record<string, Builtin>> = {
  trap,
  wait,
  kill: async (call) => {
    const { shell, args, streams, signal } = call;
    const words: string[] = [];
    for (const word of args) {
      const job = word.startsWith('%') ? jobOf(call, word) : undefined;
      if (word.startsWith('%') && !job) return refuse(call, `${word}: no such job`);
      words.push(job ? String(job.pid) : word);
    }
    return runProgram(shell, ['kill', ...words], streams, signal);
  },
  jobs: async ({ shell, streams }) => {
    for (const job of shell.state.jobs.values())
      if (job.status === undefined) await streams.stdout.write(`[${job.number}] + Running              ${job.text}\n`);
    return 0;
  },
  fg: (call) => refuse(call, 'job control not enabled'),
  bg: (call) => refuse(call, 'job control not enabled'),
};

async function trap(call: BuiltinCall): Promise<number> {
  const { shell, args, streams } = call;
  const { traps } = shell.state;
  if (args.length === 0) {
    for (const [name, text] of traps.list()) await streams.stdout.write(`trap -- ${quotedForShell(text)} ${name}\n`);
    return 0;
  }
  const words = args[0] === '--' ? args.slice(1) : args;
  const [first = '', ...rest] = words;
  if (/^-./.test(first)) return refuseAndExit(call, `${first}: unknown option`);
  const resets = first === '-' || trapName(first) !== undefined;
  let status = 0;
  for (const word of resets && first !== '-' ? words : rest) {
    const name = trapName(word);
    if (name === undefined) status = await refuse(call, `bad signal: ${word}`);
    else if (resets) traps.delete(name);
    else traps.set(name, first);
  }
  return status;
}

/** Returns `EXIT`, `ERR`, or the name of a signal. */
function trapName(word: string): string | undefined {
  if (word === '0' || word.toUpperCase() === 'EXIT') return 'EXIT';
  if (word.toUpperCase() === 'ERR') return 'ERR';
  return SIGNALS.get(signalNumber(word) ?? -1);
}

function jobOf({ shell }: BuiltinCall, word: string): Job | undefined {
  const jobs = [...shell.state.jobs.values()];
  if (['%', '%%', '%+'].includes(word)) return jobs.at(-1);
  return jobs.find(({ number }) => `%${number}` === word);
}

async function wait(call: BuiltinCall): Promise<number> {
  const { shell, args, signal } = call;
  const { jobs, traps } = shell.state;
  const isAll = args.length === 0;
  const waited = isAll ? [...jobs.values()] : args.map((word) => (word.startsWith('%') ? jobOf(call, word) : jobs.get(Number(word)))); // prettier-ignore
  let interrupted = (): void => undefined;
  let stopped = (): void => undefined;
  const early = new Promise<'stopped' | 'trapped'>((resolve) => {
    stopped = () => resolve('stopped');
    interrupted = () => resolve('trapped');
  });
  const forget = traps.onSignal(interrupted);
  signal.addEventListener('abort', stopped);
  try {
    if (signal.aborted) stopped();
    const outcome = await Promise.race([Promise.all(waited.map((job) => job?.ended ?? Promise.resolve(127))), early]);
    if (outcome === 'stopped') throw new BrokenPipe('ended');
    // A signal with a trap ends the waiting, and the trap runs before the next command.
    if (outcome === 'trapped') return 128;
    for (const job of waited) if (job) jobs.delete(job.pid);
    return isAll ? 0 : (outcome.at(-1) ?? 0);
  } finally {
    forget();
    signal.removeEventListener('abort', stopped);
  }
}
