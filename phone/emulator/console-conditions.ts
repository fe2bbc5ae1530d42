import { open, readFile } from 'node:fs/promises';
import net from 'node:net';
import { dirname, join } from 'node:path';
import type { Clock } from '../../kit/clock.js';
import { ApiError } from '../../kit/errors.js';
import { CONDITION_WORDS, type PhoneConditions } from '../conditions.js';
import { PhoneFailure } from '../driver.js';
import type { EngineConditions } from '../made/engine.js';
import { conditionCommands } from './condition-commands.js';
import { ConsoleFault, ConsoleRefusal, runOnConsole } from './console.js';
import { CONSOLE_SOCKET, TOKEN_FILE } from './phone-files.js';

/**
 * Conditions by the console of a phone's emulator, which its keeper passes on. They are the emulator's: a reboot of Android alone keeps
 * them, the next start of the emulator has its own again.
 */
export function consoleConditions({ clock, timeoutMs }: { clock: Clock; timeoutMs: number }): EngineConditions {
  return {
    offered: CONDITION_WORDS,
    // Its console has no command for them.
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

/** Connects to the socket of a folder whose path may be longer than that of a socket. */
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
