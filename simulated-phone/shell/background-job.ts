import { BrokenPipe } from '../../phone/adb/device/broken-pipe.js';
import { Cancellation } from '../../kit/async/within.js';
import { OutOfMemory } from '../memory/memory-budget.js';
import { plainText, type Node } from './grammar/syntax-tree.js';
import { emptySource } from '../streams/pipe.js';
import type { Streams } from './redirect.js';
import type { Shell } from './shell.js';
import { ShellLimit } from './shell-exits.js';
import type { Job } from './shell-state.js';
import { SIGTERM, endsProcess } from './signals.js';

interface ForkingShell extends Shell {
  subshell(node: Node, streams: Streams, signal: AbortSignal): Promise<number>;
}

/** Starts `node &`. The job outlives its shell, until the phone goes down or its output has no reader. Throws for too many jobs. */
export function startBackgroundJob(shell: ForkingShell, node: Node, streams: Streams): void {
  const { machine, state } = shell;
  // There must be room for the job and for its program. Else each job would fail at once and make room for the next one, without end.
  if (!machine.processes.hasRoomFor(2)) throw new ShellLimit("can't fork: Try again");
  const life = new Cancellation([machine.power]);
  let killedBy = SIGTERM;
  const { pid, finished } = machine.processes.startCommand('sh', state.pid, (signal) => {
    if (!endsProcess(signal)) return;
    killedBy = signal;
    life.abort();
  });
  const run = async (): Promise<number> => {
    try {
      const status = await shell.subshell(node, { ...streams, stdin: emptySource }, life.signal);
      return life.signal.aborted ? 128 + killedBy : status;
    } catch (error) {
      const isExpected = [OutOfMemory, BrokenPipe, ShellLimit].some((kind) => error instanceof kind);
      if (!isExpected && !life.signal.aborted) machine.log.warn({ err: error }, 'background job failed');
      return life.signal.aborted ? 128 + killedBy : 1;
    } finally {
      life.end();
      finished();
    }
  };
  const number = Math.max(0, ...[...state.jobs.values()].map((one) => one.number)) + 1;
  const job: Job = { pid, number, text: beginning(node), ended: run() };
  state.lastJob = pid;
  state.jobs.set(pid, job);
  // Some jobs that have ended are kept, for a `wait` that comes late.
  void job.ended.then((status) => {
    job.status = status;
    if (state.jobs.size > MAX_ENDED_JOBS) state.jobs.delete(pid);
  });
}

const MAX_ENDED_JOBS = 100;

function beginning(node: Node): string {
  if (node.type !== 'command') return `(${node.type})`;
  return node.words.map((word) => plainText(word) ?? '...').join(' ');
}
