import { open, readFile } from 'node:fs/promises';
import net from 'node:net';
import { dirname, join } from 'node:path';
import type { Clock } from '../../kit/async/clock.js';
import { ApiError } from '../../kit/errors/api-error.js';
import { CONDITION_WORDS, type PhoneConditions } from '../conditions.js';
import { PhoneFailure } from '../driver.js';
import type { EngineConditions } from '../image-based/engine.js';
import { conditionCommands } from './condition-commands.js';
import { ConsoleFault, ConsoleRefusal, runOnConsole } from './console.js';
import { CONSOLE_SOCKET, TOKEN_FILE } from './phone-files.js';

/**
 * Sets conditions on the console of a phone's emulator, to which the phone's supervisor passes commands on. The conditions belong to the
 * emulator. They last through a reboot of Android alone, and are lost when the emulator starts again.
 */
export function consoleConditions({ clock, timeoutMs }: { clock: Clock; timeoutMs: number }): EngineConditions {
  return {
    offered: CONDITION_WORDS,
    // The emulator's console has no command for these conditions.
    lack: ['location.accuracy', 'network.loss'],
    set: async ({ data }, wanted: PhoneConditions, before: PhoneConditions, signal?: AbortSignal) => {
      signal?.throwIfAborted();
      const folder = dirname(data);
      try {
        const token = (await readFile(join(folder, TOKEN_FILE), 'latin1')).trim();
        const socket = await connectIn(folder);
        const abort = (): void => void socket.destroy();
        signal?.addEventListener('abort', abort, { once: true });
        await runOnConsole(socket, conditionCommands(wanted, before), { token, timeoutMs, clock }).finally(() =>
          signal?.removeEventListener('abort', abort),
        );
      } catch (error) {
        signal?.throwIfAborted();
        if (!(error instanceof ConsoleFault)) throw error;
        if (error instanceof ConsoleRefusal) {
          throw new PhoneFailure("The phone's emulator refused the conditions.", { cause: error });
        }
        const message = "The phone's emulator did not take the conditions. Try again, or restart the phone.";
        throw new ApiError('unavailable', message, { cause: error });
      }
    },
  };
}

/** Connects to the console's socket in a folder. The folder's path may be longer than the path of a socket can be. */
async function connectIn(folder: string): Promise<net.Socket> {
  const handle = await open(folder);
  try {
    const socket = net.connect({ path: `/proc/self/fd/${handle.fd}/${CONSOLE_SOCKET}` });
    // Without a listener an error would end the process; runOnConsole reports it.
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', (cause) => reject(new ConsoleFault('the console cannot be reached', { cause })));
    });
    return socket;
  } finally {
    await handle.close();
  }
}
