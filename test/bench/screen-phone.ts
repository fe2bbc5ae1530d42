import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { bootPhone } from '../../screen-service/testing/real-phone.js';

/** The phone, as a bench uses it. */
export type PhoneQuestion =
  | { ask: 'faults'; captureDelayMs: number; treeDelayMs: number; sourceDelayMs?: number }
  | { ask: 'shell'; command: string }
  /** Where its monotonic clock begins, ms since the epoch. */
  | { ask: 'origin' }
  /** Forgets when things came to rest so far. */
  | { ask: 'begin' }
  /** When the screen truly came to rest since `begin`, ms since the epoch; caret, spinner and status bar do not count. */
  | { ask: 'rest' };

export interface BenchPhone {
  port: number;
  faults(delays: { captureDelayMs: number; treeDelayMs: number; sourceDelayMs?: number }): Promise<void>;
  shell(command: string): Promise<void>;
  origin(): Promise<number>;
  begin(): Promise<void>;
  rest(): Promise<number>;
  stop(): void;
}

/** Boots a simulated phone in a process of its own, so that its drawing takes no time of the service's event loop. */
export async function startBenchPhone(): Promise<BenchPhone> {
  const child: ChildProcess = fork(fileURLToPath(import.meta.url), ['phone']);
  const waiting: ((response: number) => void)[] = [];
  child.on('message', (response: number) => waiting.shift()?.(response));
  const next = (): Promise<number> => new Promise((resolve) => waiting.push(resolve));
  const ask = (question: PhoneQuestion): Promise<number> => {
    const response = next();
    child.send(question);
    return response;
  };
  const port = await next();
  return {
    port,
    faults: async (delays) => {
      await ask({ ask: 'faults', ...delays });
    },
    shell: async (command) => {
      await ask({ ask: 'shell', command });
    },
    origin: () => ask({ ask: 'origin' }),
    begin: async () => {
      await ask({ ask: 'begin' });
    },
    rest: () => ask({ ask: 'rest' }),
    stop: () => void child.kill('SIGKILL'),
  };
}

async function servePhone(): Promise<void> {
  const phone = await bootPhone();
  const { screen } = phone.phone.machine;
  let restMs = 0;
  // Each change that begins a movement says when it will end; pending content of the app counts, too.
  screen.onChange(() => note());
  const note = (): void => {
    const endMs = screen.settlesAtMs;
    if (endMs !== undefined) restMs = Math.max(restMs, performance.timeOrigin + endMs);
  };
  // A screen that an input leaves as it is, or changes at once, has been at rest since then.
  const touch = screen.touch.bind(screen);
  screen.touch = (event) => {
    restMs = Math.max(restMs, performance.timeOrigin + performance.now());
    touch(event);
  };
  const response = async (question: PhoneQuestion): Promise<number> => {
    switch (question.ask) {
      case 'faults':
        phone.phone.faults.captureDelayMs = question.captureDelayMs;
        phone.phone.faults.treeDelayMs = question.treeDelayMs;
        phone.phone.faults.sourceDelayMs = question.sourceDelayMs ?? 0;
        return 0;
      case 'shell':
        await phone.shell(question.command);
        return 0;
      case 'origin':
        return performance.timeOrigin;
      case 'begin':
        restMs = performance.timeOrigin + performance.now();
        return restMs;
      case 'rest':
        note();
        return restMs;
    }
  };
  process.on('message', (question: PhoneQuestion) => {
    void response(question).then((value) => process.send?.(value));
  });
  process.send?.(phone.port);
}

if (process.argv[2] === 'phone' && process.argv[1] === fileURLToPath(import.meta.url)) await servePhone();
