import type { Invocation } from '../command/command.js';
import { openService } from '../service/connection.js';
import { findAdb, statusOfChild } from './adb-program.js';
import { connectPhone } from './connected-phone.js';

/**
 * Runs the stock adb's shell over a tunnel. Returns the shell's exit status. Throws the reason when the connection was lost meanwhile, as
 * adb ends with 0 then, as if the command had succeeded.
 */
export async function run(invocation: Invocation): Promise<number> {
  const { words, foreign, settings, signal } = invocation;
  const [device = ''] = words;
  const adb = findAdb(settings);
  const phone = await connectPhone(invocation, openService(invocation), device, adb);
  try {
    const before = phone.loss();
    const child = adb.start(['-s', phone.serial, 'shell', ...foreign]);
    // Ctrl-C reaches adb from the terminal; other ends of this program are passed on.
    const end = (): void => void child.kill('SIGTERM');
    signal.addEventListener('abort', end, { once: true });
    const status = await statusOfChild(child);
    signal.removeEventListener('abort', end);
    const loss = phone.loss();
    if (status === 0 && loss !== undefined && loss !== before) throw loss;
    return status;
  } finally {
    await phone.close();
  }
}
