import { encodeShellFrame, ShellFrame } from '../../phone/adb/shell-frames.js';
import type { Rule } from '../policy/rule.js';
import { MAX_TOKENS } from '../policy/shell-words.js';
import { isInstall, type ServiceRequest } from '../policy/service-request.js';

/**
 * How a request is refused. Each kind of service has its own form. A stock adb ends with a status other than 0 and, where that is possible,
 * shows the reason. docs/relay.md has the table with the reasons.
 */
export type Refusal =
  /** The OPEN is not accepted: `error: closed`. */
  | { form: 'close' }
  /** The stream is accepted, gets these bytes, and is closed. */
  | { form: 'text'; bytes: Buffer }
  /** The stream is accepted, and served as a sync stream in which every transfer fails. */
  | { form: 'sync' };

const CLOSE: Refusal = { form: 'close' };

export function refusalOf({ name, channel, shell, argument }: ServiceRequest, text: string): Refusal {
  const line: Refusal = { form: 'text', bytes: Buffer.from(`${text}\n`) };
  switch (channel) {
    case 'shell':
    case 'abb':
      if (shell?.v2 === true) return { form: 'text', bytes: shellReply(shell, ShellFrame.STDERR, text, 1) };
      // Without v2 there is no status: after a text adb ends with 0. Three commands retry a closed stream without end.
      return RETRIED.test(name) ? line : CLOSE;
    case 'exec':
      // Only adb install reads the text as its result. Other commands would print the text as output, and end with status 0.
      return isInstall(argument) ? line : CLOSE;
    case 'abb-exec':
      return line;
    case 'sync':
      return { form: 'sync' };
    case 'reverse':
      // A list has no form of failure: adb would print the text as the list, and end with status 0.
      return name.startsWith('reverse:list-forward')
        ? CLOSE
        : { form: 'text', bytes: Buffer.from(`FAIL${text.length.toString(16).padStart(4, '0')}${text}`) };
    case 'other':
      return CLOSE;
  }
}

/** The scripts that adb opens for logcat, uninstall and bugreport where there is no shell_v2. */
const RETRIED = /^shell[^:]*:\s*(export ANDROID_LOG_TAGS=|(cmd package|pm) 'uninstall'|bugreportz? ?)/;

/** A command's output and exit status in the shell's framing; plain text for clients without it. */
export function shellReply(
  shell: { v2: boolean; pty: boolean },
  frame: typeof ShellFrame.STDOUT | typeof ShellFrame.STDERR,
  text: string,
  status: number,
): Buffer {
  const bytes = Buffer.from(text + (shell.pty ? '\r\n' : '\n'));
  if (!shell.v2) return bytes;
  return Buffer.concat([
    ...encodeShellFrame(frame, bytes),
    ...encodeShellFrame(ShellFrame.EXIT, Buffer.from([status])),
  ]);
}

/** The line that a refused client gets. */
export function refusalText(rule: Rule, transferBytes: number): string {
  if (rule === 'login') return 'login required: adb shell service-login CODE';
  if (rule === 'transfer')
    return `the relay moves ${sizeText(transferBytes)} of files per connection, and this would be more: disconnect, connect and log in again`;
  if (rule === 'unknown') return 'the relay does not know this service and refuses it';
  if (rule === 'length')
    return `the relay reads commands of up to ${MAX_TOKENS} words and signs: push a longer one as a file, and run that with sh`;
  return `the relay refuses ${rule}`;
}

function sizeText(bytes: number): string {
  return bytes % 1024 ** 3 === 0 ? `${bytes / 1024 ** 3} GiB` : `${bytes} bytes`;
}
