import type { Call } from '../../kit/call/call.js';
import { KeyedLock } from '../../kit/async/keyed-lock.js';
import { unlessAborted } from '../../kit/async/within.js';
import { shellQuote } from '../../phone/link/shell-quote.js';
import type { ReachedPhone } from '../link/reached-phone.js';
import { sendCommand } from './command/send-command.js';

/** An input method, installed on the phone, that takes text by broadcast. */
interface TextIme {
  id: string;
  /** The input method in use, to be restored. */
  current: string;
}

const KNOWN = /^com\.android\.adbkeyboard\/\S+$/m;

/** Returns the input method for texts; undefined when the phone has none. */
export async function readTextIme(call: Call, phoneSession: ReachedPhone): Promise<TextIme | undefined> {
  const { stdout } = await phoneSession.command(
    call,
    'ime list -s -a; echo; settings get secure default_input_method',
    'list its input methods',
  );
  const [list = '', current = ''] = stdout.toString('utf8').split(/\r?\n\r?\n/);
  const id = KNOWN.exec(list)?.[0];
  return id === undefined ? undefined : { id, current: current.trim() };
}

/** Lets one caller at a time change a phone's input method. A second caller would take the changed method for the phone's own. */
const lock = new KeyedLock();

/**
 * Does `work` while the text input method is the current one, and restores the phone's own method afterwards. Returns false, without calling
 * `work`, when the phone has no text input method. Rejects as soon as the call ends; the phone's own method is restored also then.
 */
export function withTextIme(call: Call, phoneSession: ReachedPhone, work: () => Promise<void>): Promise<boolean> {
  const done = lock.run(phoneSession.phone.phoneId, async () => {
    call.signal.throwIfAborted();
    const ime = await readTextIme(call, phoneSession);
    if (ime === undefined) return false;
    const { id, current } = ime;
    if (current === id) {
      await work();
      return true;
    }
    const change = `ime enable ${shellQuote(id)} && ime set ${shellQuote(id)}`;
    await sendCommand(call, phoneSession, change, 'change its input method');
    try {
      await work();
    } finally {
      // The phone gets its own keyboard back also when the call has ended.
      if (/^[\w.]+\/[\w.$]+$/.test(current)) {
        const uncancelled = { signal: new AbortController().signal, sender: call.sender };
        await sendCommand(uncancelled, phoneSession, `ime set ${shellQuote(current)}`, 'restore its input method');
      }
    }
    return true;
  });
  return unlessAborted(call.signal, done);
}
