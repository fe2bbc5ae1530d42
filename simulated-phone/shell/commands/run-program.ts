import { PhoneFileError } from '../../files/file-error.js';
import { absolutePath, baseName } from '../../files/phone-path.js';
import { Cancellation } from '../../../kit/async/within.js';
import { NotBooted } from '../../system/not-booted.js';
import { fairStreams } from '../fair-streams.js';
import { CommandFailure, type Command, type CommandCall } from '../command.js';
import { complain } from '../complain.js';
import { COMMANDS } from './command-table.js';
import { minicap } from './minicap.js';
import { BrokenPipe } from '../../../phone/adb/device/broken-pipe.js';
import type { Streams } from '../redirect.js';
import { runScript } from '../run-script.js';
import type { Shell } from '../shell.js';
import { SIGTERM, endsProcess } from '../signals.js';

/** Runs one program with a process of its own and returns its exit status, 127 when there is none of that name. */
export async function runProgram(
  shell: Shell,
  words: readonly string[],
  streams: Streams,
  signal: AbortSignal,
  assigned: readonly [string, string][] = [],
): Promise<number> {
  const [name = '', ...args] = words;
  const { machine, state } = shell;
  const found = await findProgram(shell, name);
  if (typeof found === 'number') {
    const reason = found === 126 ? "can't execute: Permission denied" : 'inaccessible or not found';
    return complain(streams, `/system/bin/sh: ${name}: ${reason}\n`, found);
  }
  if (machine.processes.isFull) return complain(streams, "/system/bin/sh: can't fork: Try again\n", 254);
  const killed = new AbortController();
  const life = new Cancellation([signal]);
  let killedBy = SIGTERM;
  let isCaught: (signal: number) => boolean = () => false;
  const kill = (number: number): void => {
    if (isCaught(number) || !endsProcess(number)) return;
    killedBy = number;
    killed.abort();
    life.abort();
  };
  const { pid, finished } = machine.processes.startCommand(baseName(name), state.pid, kill);
  const environment = state.environment();
  for (const [variable, value] of assigned) environment.set(variable, value);
  const memory = machine.memory.reserve();
  const call: CommandCall = {
    ...fairStreams(streams, life.signal),
    machine,
    name: baseName(name),
    args,
    signal: life.signal,
    pid,
    memory,
    cwd: state.cwd,
    startShell: (inner, as) => shell.start(inner, life.signal, as),
    catchSignals: (receive) => (isCaught = receive),
    shellPid: state.pid,
    environment,
    run: (inner, other) => runProgram(shell, inner, { ...streams, ...other }, life.signal, assigned),
  };
  try {
    const outcome = await Promise.race([found(call), ended(killed.signal)]);
    return outcome === 'killed' ? 128 + killedBy : outcome;
  } catch (error) {
    if (killed.signal.aborted) return 128 + killedBy;
    if (error instanceof BrokenPipe) return 141;
    if (life.signal.aborted) return 143;
    if (error instanceof CommandFailure)
      return await complain(streams, `${error.bare ? '' : `${call.name}: `}${error.message}\n`, error.status);
    if (error instanceof PhoneFileError)
      return await complain(streams, `${call.name}: ${error.path}: ${error.reason}\n`, 1);
    if (error instanceof RangeError) return await complain(streams, `${call.name}: out of memory\n`, 1);
    if (error instanceof NotBooted) return await complain(streams, `${call.name}: ${error.message}\n`, 20);
    machine.log.error({ err: error, command: call.name }, 'a command of the phone failed');
    return await complain(streams, `${call.name}: internal error\n`, 134);
  } finally {
    // This ends the work that the command left running, such as a pipe's writer or a `timeout`.
    life.abort();
    finished();
    memory.release();
  }
}

/** Resolves when a process is killed. The shell goes on at once then, even while the program's function still waits for something. */
function ended(signal: AbortSignal): Promise<'killed'> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve('killed'), { once: true }));
}

/** Finds a program. A name alone is searched for among the programs; a path must be there and executable. */
async function findProgram(shell: Shell, name: string): Promise<Command | 126 | 127> {
  if (!name.includes('/')) return COMMANDS.get(name) ?? 127;
  const path = absolutePath(name, shell.state.cwd);
  const inSystem = /^\/(?:system|vendor|product|apex\/[^/]+)?\/?x?bin\/([^/]+)$/.exec(path);
  if (inSystem) return COMMANDS.get(inSystem[1] ?? '') ?? 127;
  const files = shell.machine.shellFiles;
  try {
    const real = await files.realPath(path);
    const stat = await files.stat(real);
    if (stat.kind !== 'file' || (stat.permissions & 0o111) === 0 || real.startsWith('/storage')) return 126;
    if (/^minicap(-nopie)?$/.test(baseName(real))) return minicap;
    return (call) => runScript(path, call);
  } catch (error) {
    if (error instanceof PhoneFileError) return error.code === 'EACCES' ? 126 : 127;
    throw error;
  }
}
