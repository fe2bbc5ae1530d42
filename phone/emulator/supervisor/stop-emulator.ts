import { begunAhead } from '../../../kit/async/begun-ahead.js';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import net from 'node:net';
import type { Clock } from '../../../kit/async/clock.js';
import { runOnConsole } from '../console.js';
import { CONSOLE_PORT } from '../ports.js';

export interface StopParts {
  emulator: ChildProcess;
  tokenFile: string;
  /** How long each of the three ways to end the emulator may take, ms. */
  stepMs: number;
  clock: Clock;
  note: (line: string) => void;
}

/** Ends the emulator. Tries the command `kill` of its console, then SIGTERM, then SIGKILL. */
export async function stopEmulator({ emulator, tokenFile, stepMs, clock, note }: StopParts): Promise<void> {
  const ended =
    emulator.exitCode !== null || emulator.signalCode !== null ? Promise.resolve() : begunAhead(once(emulator, 'exit'));
  const endsSoon = async (): Promise<boolean> => {
    const waiting = new AbortController();
    const late = clock.sleep(stepMs, waiting.signal).then(
      () => false,
      () => false,
    );
    const isOver = await Promise.race([ended.then(() => true), late]);
    waiting.abort();
    return isOver;
  };
  const orders = [
    { name: 'its console', give: () => killByConsole(tokenFile, stepMs, clock) },
    { name: 'SIGTERM', give: () => emulator.kill('SIGTERM') },
    { name: 'SIGKILL', give: () => emulator.kill('SIGKILL') },
  ];
  for (const { name, give } of orders) {
    try {
      await give();
    } catch (error) {
      note(`${name} did not end the emulator: ${error instanceof Error ? error.message : String(error)}`);
      continue;
    }
    if (await endsSoon()) return;
    note(`${name} did not end the emulator within ${stepMs / 1000} s`);
  }
}

async function killByConsole(tokenFile: string, timeoutMs: number, clock: Clock): Promise<void> {
  const token = readFileSync(tokenFile, 'latin1').trim();
  const socket = net.connect({ host: '127.0.0.1', port: CONSOLE_PORT });
  await runOnConsole(socket, ['kill'], { token, timeoutMs, clock });
}
