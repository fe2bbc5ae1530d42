import type { Call } from '../../kit/call.js';
import { KeyedLock } from '../../kit/keyed-lock.js';
import { unlessAborted } from '../../kit/within.js';
import { shellQuote } from '../../phone/link/shell-quote.js';
import type { KeptPhone } from '../phones/kept-phone.js';
import { sendCommand } from './send-command.js';

/** The input method that takes text by broadcast, as far as this phone has it. */
interface TextIme {
  id: string;
  /** The input method in use, to be restored. */
  current: string;
}

const KNOWN = /^com\.android\.adbkeyboard\/\S+$/m;

/** Undefined: the phone has none. */
export async function readTextIme(call: Call, kept: KeptPhone): Promise<TextIme | undefined> {
  const { stdout } = await kept.command(
    call,
    'ime list -s -a; echo; settings get secure default_input_method',
    'list its input methods',
  );
  const [list = '', current = ''] = stdout.toString('utf8').split(/\r?\n\r?\n/);
  const id = KNOWN.exec(list)?.[0];
  return id === undefined ? undefined : { id, current: current.trim() };
}

/** One caller at a time changes a phone's input method: a second one would read the first one's as the phone's own. */
const lock = new KeyedLock();

/**
 * Does `work` while the text input method is the current one, and restores the other afterwards. Returns false, without
 * calling it, when the phone has none. Rejects as soon as the call ends; the input method is restored also then.
 */
export function withTextIme(call: Call, kept: KeptPhone, work: () => Promise<void>): Promise<boolean> {
  const done = lock.run(kept.phone.phoneId, async () => {
    call.signal.throwIfAborted();
    const ime = await readTextIme(call, kept);
    if (ime === undefined) return false;
    const { id, current } = ime;
    if (current === id) {
      await work();
      return true;
    }
    const change = `ime enable ${shellQuote(id)} && ime set ${shellQuote(id)}`;
    await sendCommand(call, kept, change, 'change its input method');
    try {
      await work();
    } finally {
      // Also when the call has ended: the phone is not left with another keyboard than its own.
      if (/^[\w.]+\/[\w.$]+$/.test(current)) {
        const uncancelled = new AbortController();
        await sendCommand(uncancelled, kept, `ime set ${shellQuote(current)}`, 'restore its input method');
      }
    }
    return true;
  });
  return unlessAborted(call.signal, done);
}
