import { encodeShellFrame, ShellFrame } from '../../phone/adb/shell-frames.js';
import type { AskedService } from '../policy/asked-service.js';
import type { Rule } from '../policy/rule.js';

/**
 * How a refusal is told. Each kind of service has its own way in which a stock adb ends with a status other than 0 and, where that
 * is possible, shows the reason; docs/relay.md has the table with the reasons.
 */
export type Refusal =
  /** The OPEN is not accepted: `error: closed`. */
  | { how: 'close' }
  /** Accepted, answered with these bytes, closed. */
  | { how: 'answer'; bytes: Buffer }
  /** Accepted, and served as a sync stream in which every transfer fails with this text. */
  | { how: 'sync'; text: string };

export const LOGIN_TEXT = 'login required: adb shell service-login CODE';

export function refusalOf(asked: AskedService, name: string, rule: Rule, text: string): Refusal {
  switch (asked.kind) {
    case 'shell':
    case 'abb':
      if (asked.shell?.v2 === true)
        return { how: 'answer', bytes: shellAnswer(asked.shell, ShellFrame.STDERR, text, 1) };
      // No status in this protocol. Before the login people need the line; otherwise scripts need the status. Some commands of adb
      // itself open a stream again and again when it is closed, so those are always told.
      return rule === 'login' || RETRIED.test(name) ? { how: 'answer', bytes: line(text) } : { how: 'close' };
    case 'exec':
      // What is not read as an install's answer would be taken for data, with status 0.
      return rule === 'login' || asked.transfer?.kind === 'install'
        ? { how: 'answer', bytes: line(text) }
        : { how: 'close' };
    case 'abb-exec':
      return { how: 'answer', bytes: line(text) };
    case 'sync':
      return { how: 'sync', text };
    case 'reverse':
      // A list has no way to fail: its text would be printed with status 0.
      return name.startsWith('reverse:list-forward')
        ? { how: 'close' }
        : { how: 'answer', bytes: Buffer.from(`FAIL${text.length.toString(16).padStart(4, '0')}${text}`) };
    case 'other':
      return { how: 'close' };
  }
}

/** What adb opens for logcat, uninstall and bugreport where there is no shell_v2. */
const RETRIED = /^shell[^:]*:\s*(export ANDROID_LOG_TAGS=|(cmd package|pm) 'uninstall'|bugreportz? ?)/;

/** A command's output and exit status in the shell's framing; plain bytes where the client speaks none. */
export function shellAnswer(
  shell: { v2: boolean; pty: boolean },
  frame: typeof ShellFrame.STDOUT | typeof ShellFrame.STDERR,
  text: string,
  status: number,
): Buffer {
  const bytes = line(text, shell.pty);
  if (!shell.v2) return bytes;
  return Buffer.concat([
    ...encodeShellFrame(frame, bytes),
    ...encodeShellFrame(ShellFrame.EXIT, Buffer.from([status])),
  ]);
}

function line(text: string, raw = false): Buffer {
  return Buffer.from(text + (raw ? '\r\n' : '\n'));
}

/** The line that a refused client is shown. */
export function refusalText(rule: Rule, transferBytes: number): string {
  if (rule === 'login') return LOGIN_TEXT;
  if (rule === 'transfer')
    return `the relay moves ${sizeText(transferBytes)} of files per connection, and this would be more: disconnect, connect and log in again`;
  if (rule === 'unknown') return 'the relay does not know this service and refuses it';
  return `the relay refuses ${rule}`;
}

function sizeText(bytes: number): string {
  return bytes % 1024 ** 3 === 0 ? `${bytes / 1024 ** 3} GiB` : `${bytes} bytes`;
}
