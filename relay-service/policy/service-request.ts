import { parseShellService } from '../../phone/adb/service-name.js';
import type { Rule } from './rule.js';
import { brokenCommandRule, brokenShellRule } from './shell-rules.js';
import { MAX_TOKENS, type TokenBudget } from './shell-words.js';

/** The service that an OPEN names, as far as it can be read without judging it. */
export interface ServiceRequest {
  name: string;
  /** Decides in which form a refusal can be sent. */
  channel: 'shell' | 'exec' | 'abb' | 'abb-exec' | 'sync' | 'reverse' | 'other';
  /** The text after the service's word: a script for shells. */
  argument: string;
  /** Shell protocol of a shell or `abb:`. */
  shell?: { v2: boolean; pty: boolean };
  /** The code of a `service-login` as it was typed; such a request never reaches the phone. */
  loginCode?: string;
}

/** The decision about a request of a client that has logged in. */
export interface Verdict {
  /** The rule that the request breaks. Absent: the request may go to the phone. */
  rule?: Rule;
  /** Set when the data of the stream is a file; see docs/relay.md, "Transfer limit". */
  transfer?: { kind: 'sync' } | { kind: 'install' | 'file'; announcedBytes?: number };
  /** Whether the request runs a program. A connection with a running program is not idle, even without traffic. */
  runs: boolean;
}

/** Reads a service name as adbd does: by prefix, case-sensitive. Cheap, so that it can be done before the login. */
export function readService(name: string): ServiceRequest {
  const shell = parseShellService(name);
  if (shell) {
    const { v2, pty, command } = shell;
    return { name, channel: 'shell', shell: { v2, pty }, argument: command, ...login(command) };
  }
  const colon = name.indexOf(':');
  const argument = colon < 0 ? '' : name.slice(colon + 1);
  if (name.startsWith('exec:')) return { name, channel: 'exec', argument, ...login(argument) };
  if (name.startsWith('abb:')) return { name, channel: 'abb', shell: { v2: true, pty: false }, argument };
  if (name.startsWith('abb_exec:')) return { name, channel: 'abb-exec', argument };
  if (name.startsWith('sync:')) return { name, channel: 'sync', argument };
  if (name.startsWith('reverse:')) return { name, channel: 'reverse', argument };
  return { name, channel: 'other', argument };
}

function login(script: string): { loginCode?: string } {
  const match = /^\s*service-login(?:\s+([\s\S]*))?$/.exec(script);
  // adbd cuts a name at its first NUL, and a code has none.
  if (!match || script.includes('\0')) return {};
  return { loginCode: (match[1] ?? '').trim().replace(/^(['"])([\s\S]*)\1$/, '$2') };
}

/**
 * Judges a request of a client that has logged in. An unknown service is refused: a new kind must be reviewed before it is allowed.
 * `phonePort` is where the phone's own adbd listens. The tokens of the scripts that are read are taken from `budget`.
 */
export function judge(request: ServiceRequest, phonePort: number, budget: TokenBudget = { left: MAX_TOKENS }): Verdict {
  const { name, channel, argument } = request;
  const words = channel === 'abb' || channel === 'abb-exec' ? argument.split('\0') : undefined;
  // adbd cuts other names at the first NUL, so the phone would run something else than the text that was judged.
  if (!words && name.includes('\0')) return refused('unknown');
  switch (channel) {
    case 'shell':
    case 'exec':
      return { runs: true, ...judgeScript(argument, channel === 'exec', { phonePort, budget }) };
    case 'abb':
    case 'abb-exec':
      return { runs: true, ...judgeWords(words ?? [], { phonePort, budget }) };
    case 'sync':
      return { runs: false, transfer: { kind: 'sync' } };
    case 'reverse':
      return refused('reverse');
    case 'other': {
      const found = SERVICES.find(([prefix]) => name.startsWith(prefix));
      const outcome = (REFUSED.exec(name)?.[1] as Rule | undefined) ?? found?.[1] ?? 'unknown';
      const rule = typeof outcome === 'function' ? outcome(argument, { phonePort, budget }) : outcome;
      return rule === 'allowed' ? { runs: false } : refused(rule);
    }
  }
}

function refused(rule: Rule): Verdict {
  return { rule, runs: false };
}

/** What a service is judged by, beside its argument. */
interface Basis {
  phonePort: number;
  budget: TokenBudget;
}

/** Services that are refused by the rule of the same name. */
const REFUSED = /^(root|unroot|remount|reboot|disable-verity|enable-verity|tcpip|usb|restore|dev|vsock|acceptfd):/;

/** The other services by prefix, each with its decision, or with a function that decides by the argument. The first match counts. */
const SERVICES: [prefix: string, outcome: Rule | 'allowed' | ((argument: string, basis: Basis) => Rule | 'allowed')][] =
  [
    ['framebuffer:', 'allowed'],
    ['sink:', 'allowed'],
    ['source:', 'allowed'],
    ['backup:', backupRule],
    ['tcp:', (address, { phonePort }) => (isOtherLocalPort(address, phonePort) ? 'allowed' : 'forward')],
    ['localabstract:', (name) => (OPEN_SOCKET.test(name) ? 'allowed' : /jdwp/.test(name) ? 'jdwp' : 'forward')],
    // adbd connects to these sockets as itself, and system sockets such as property_service trust adbd.
    ['local:', 'forward'],
    ['localreserved:', 'forward'],
    ['localfilesystem:', 'forward'],
    ['jdwp', 'jdwp'],
    ['track-jdwp', 'jdwp'],
    ['track-', 'track'],
    ['sideload', 'sideload'],
    ['rescue-', 'sideload'],
    ['dev-raw:', 'dev'],
  ];

/** Sockets of apps and of well-known tools that are made to be forwarded to. */
const OPEN_SOCKET =
  /^(\S*_devtools_remote(_\d+)?|scrcpy(_[0-9a-f]+)?|minicap\w*|minitouch\w*|stfservice|stfagent|mobileagent|droidrun\w*)$/;

/** Returns the rule for a backup, as adbd runs `bu backup` with the argument in a shell. */
function backupRule(argument: string, { phonePort, budget }: Basis): Rule | 'allowed' {
  return (
    brokenShellRule(`bu backup ${argument}`, phonePort, 0, budget) ??
    (/^[\w .'-]*$/.test(argument) ? 'allowed' : 'unknown')
  );
}

function judgeScript(script: string, isExec: boolean, { phonePort, budget }: Basis): Omit<Verdict, 'runs'> {
  const rule = brokenShellRule(script, phonePort, 0, budget);
  if (rule !== undefined) return { rule };
  if (isInstall(script)) return { transfer: { kind: 'install', ...announced(/\s-S\s*'?(\d+)/.exec(script)?.[1]) } };
  return isExec && !NO_FILE.test(script) ? { transfer: { kind: 'file' } } : {};
}

/** Whether a script reads an APK from its input. */
export function isInstall(script: string): boolean {
  return /^\s*(?:exec\s+)?(?:cmd\s+package|pm)\s+'?install(?:-write|-incremental)?\b'?/.test(script);
}

/** Pictures and logs are no files, however many bytes they are. */
const NO_FILE = /^\s*(?:\S*\/)?(?:screencap|screenrecord|logcat)\b/;

function judgeWords(words: readonly string[], { phonePort, budget }: Basis): Omit<Verdict, 'runs'> {
  const rule = brokenCommandRule(['cmd', ...words], phonePort, 0, budget);
  if (rule !== undefined) return { rule };
  const [service, command] = words;
  if (service !== 'package' || !/^install(-write|-incremental)?$/.test(command ?? '')) return {};
  const size = words.indexOf('-S');
  return { transfer: { kind: 'install', ...announced(size < 0 ? undefined : words[size + 1]) } };
}

function announced(size: string | undefined): { announcedBytes?: number } {
  return size !== undefined && /^\d{1,15}$/.test(size) ? { announcedBytes: Number(size) } : {};
}

/** Whether an address is a port of the phone itself, but not adbd's. On adbd's port the client would reach adbd without the relay. */
function isOtherLocalPort(address: string, phonePort: number): boolean {
  const port = Number(/^(?:(?:127\.0\.0\.1|localhost):)?([1-9]\d{0,4})$/.exec(address)?.[1]);
  // adbd would keep the lower 16 bits of a larger number: 71091 is 5555.
  return port <= MAX_PORT && port !== USUAL_ADBD_PORT && port !== phonePort;
}

const USUAL_ADBD_PORT = 5555;
const MAX_PORT = 65_535;
