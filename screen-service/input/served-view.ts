import type { Call } from '../../kit/call/call.js';
import type { ReachedPhone } from '../link/reached-phone.js';
import { roleByClass } from '../tree/role.js';

/** The view that typed text goes to. */
export interface ServedView {
  /** Identity of the field: it differs between text fields, also between those that one view draws itself (Compose, web pages). */
  identity: string;
  /** The view's resource id, without the package. Empty: the view has no id, or it draws text fields and is none itself. */
  name: string;
}

/** The output is filtered on the phone, as the whole is some 30 KB. */
const COMMAND = "dumpsys input_method | grep -E '^ *mServed(View|Connecting|InputConnection)'";

/**
 * Reads which view is connected to the keyboard; undefined when none is, or when the phone does not show it. It takes some 50 ms, where a
 * tree takes seconds.
 */
export async function readServedView(call: Call, phone: ReachedPhone): Promise<ServedView | undefined> {
  const { stdout } = await phone.command(call, COMMAND, 'name the focused field');
  // The output begins with the client of the keyboard. If the focused window has another client, that client follows, so the last match
  // counts.
  const last = (pattern: RegExp): RegExpMatchArray | undefined => [...stdout.toString('utf8').matchAll(pattern)].at(-1);
  const [, className = '', hash = '', rest = ''] = last(/^ *mServedView=(?:([\w.$]+)\{(\w+)(.*)|.*)$/gm) ?? [];
  // The form of the line differs between versions: it has the connection itself, or a wrapper that prints the connection.
  const [, connection = 'null'] = last(/^ *mServedInputConnection(?:Wrapper)?=(.*)$/gm) ?? [];
  const isConnecting = last(/^ *mServedConnecting=(\w+)/gm)?.[1] === 'true';
  if (hash === '' || connection.startsWith('null') || isConnecting) return undefined;
  if (roleByClass(className) === 'textfield') {
    return { identity: hash, name: /:id\/([\w.]+)/.exec(rest)?.[1] ?? '' };
  }
  return { identity: `${hash} ${/(?<![\w.$])[\w.$]+@\w+/.exec(connection)?.[0] ?? ''}`, name: '' };
}
