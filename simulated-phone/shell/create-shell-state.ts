import type { Machine } from '../machine.js';
import type { Reservation } from '../memory/memory-budget.js';
import { ADBD_PID } from '../process/process-table.js';
import { ShellState } from './shell-state.js';

/** A fresh shell of adbd's, with the environment Android gives it. `memory` pays for its variables. */
export function createShellState(
  machine: Machine,
  memory: Reservation,
  environment: Record<string, string> = {},
): ShellState {
  const { pid, finished } = machine.processes.startCommand('sh', ADBD_PID, () => undefined);
  finished();
  return new ShellState({
    pid,
    memory,
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
      ...environment,
    }),
  });
}
