import { Cancellation } from '../../../kit/async/within.js';
import type { Machine } from '../../machine/machine.js';
import type { Reservation } from '../../memory/memory-budget.js';
import { ADBD_PID } from '../../process/process-table.js';
import { Interpreter } from './interpreter.js';
import { endsProcess } from '../signals.js';
import { ShellState } from '../shell-state.js';

/** A shell of adbd, while its process is in the table of processes. */
export interface OpenShell {
  shell: Interpreter;
  /** Resolves with the exit status when a signal ends the shell, also while it waits for something. */
  killed: Promise<number>;
  /** Must be called when the shell is over. */
  finished: () => void;
}

/** Opens a shell with the environment that Android gives it. `memory` pays for its variables. */
export function openShell(
  machine: Machine,
  options: { memory: Reservation; signal: AbortSignal; environment?: Record<string, string> },
): OpenShell {
  const life = new Cancellation([options.signal]);
  let end: (status: number) => void = () => undefined;
  const killed = new Promise<number>((resolve) => (end = resolve));
  const { pid, finished } = machine.processes.startCommand('sh', ADBD_PID, (signal) => {
    if (state.traps.receive(signal) || !endsProcess(signal)) return;
    state.killedBy = signal;
    life.abort();
    end(128 + signal);
  });
  const state = new ShellState({
    pid,
    parentPid: ADBD_PID,
    memory: options.memory,
    facts: machine,
    variables: Object.entries({
      ANDROID_DATA: '/data',
      ANDROID_ROOT: '/system',
      ANDROID_STORAGE: '/storage',
      EXTERNAL_STORAGE: '/sdcard',
      HOME: '/',
      HOSTNAME: machine.identity.name,
      LOGNAME: 'shell',
      PATH: '/product/bin:/apex/com.android.runtime/bin:/system/bin:/system/xbin:/vendor/bin',
      SHELL: '/bin/sh',
      TMPDIR: '/data/local/tmp',
      USER: 'shell',
      ...options.environment,
    }),
  });
  const finish = (): void => {
    life.end();
    finished();
  };
  return { shell: new Interpreter({ machine, state, signal: life.signal }), killed, finished: finish };
}
