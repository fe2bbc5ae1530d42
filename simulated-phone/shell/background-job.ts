import { BrokenPipe } from '../../phone/adb/device/broken-pipe.js';
import { linkAborts } from '../linked-abort.js';
import { OutOfMemory, type Reservation } from '../memory/memory-budget.js';
import { FunctionReturn, ShellExit } from './builtins.js';
import { ShellSyntaxError, type Node } from './grammar/syntax-tree.js';
import { emptySource } from './pipe.js';
import type { Streams } from './redirect.js';
import type { Shell } from './shell.js';

interface ForkingShell extends Shell {
  fork(memory: Reservation, signal: AbortSignal): Shell;
}

/** Starts `node &`. The job outlives its shell, until the phone goes down or its output has no reader. Throws for too many jobs. */
export function startBackgroundJob(shell: ForkingShell, node: Node, streams: Streams): void {
  const { machine, state } = shell;
  if (machine.processes.isFull) throw new ShellSyntaxError("can't fork: Try again");
  const memory = machine.memory.reserve();
  const life = linkAborts([machine.power]);
  const { pid, finished } = machine.processes.startCommand('sh', state.pid, () => life.abort());
  const run = async (): Promise<number> => {
    try {
      return await shell.fork(memory, life.signal).evaluate(node, { ...streams, stdin: emptySource }, life.signal);
    } catch (error) {
      if (error instanceof ShellExit || error instanceof FunctionReturn) return error.status;
      const isExpected = [OutOfMemory, BrokenPipe, ShellSyntaxError].some((kind) => error instanceof kind);
      if (!isExpected && !life.signal.aborted) machine.log.warn({ err: error }, 'background job failed');
      return life.signal.aborted ? 143 : 1;
    } finally {
      life.unlink();
      finished();
      memory.release();
    }
  };
  const job = run();
  state.lastJob = pid;
  state.jobs.set(pid, job);
  // Some that have ended are kept, for a `wait` that comes late.
  void job.then(() => state.jobs.size > MAX_ENDED_JOBS && state.jobs.delete(pid));
}

const MAX_ENDED_JOBS = 100;
