import { parseShellService } from '../../phone/adb/service-name.js';
import type { Rule } from './rule.js';
import { brokenByWords, brokenShellRule } from './shell-rules.js';

/** What an OPEN asks for, as far as the relay must know it. */
export interface AskedService {
  /** The channel, which decides how a refusal can be told. */
  kind: 'shell' | 'exec' | 'abb' | 'abb-exec' | 'sync' | 'reverse' | 'other';
  /** For shells. */
  shell?: { v2: boolean; pty: boolean };
  /** The code of a `service-login`, as it was typed; such a service never reaches the phone. */
  loginCode?: string;
  /** The rule it breaks; absent when the phone may be asked for it. */
  rule?: Rule;
  /** Whether its data is a file on its way; see docs/relay.md, "What counts as transfer". */
  transfer?: { kind: 'sync' } | { kind: 'install' | 'file'; announcedBytes?: number };
  /** Whether something runs behind it, which keeps a silent connection from being idle. */
  runs: boolean;
}

/**
 * Reads a service name as adbd does: by prefix, case-sensitive, first match. What nobody has heard of is refused: a new kind of
 * service must be looked at before it is let in. `phonePort` is where the phone's own adbd listens.
 */
export function askedService(name: string, phonePort: number): AskedService {
  const shell = parseShellService(name);
  if (shell) return { kind: 'shell', shell, runs: true, ...judgeScript(shell.command, false) };
  const found = PREFIXES.find(([prefix]) => name.startsWith(prefix));
  if (found === undefined) return refused('unknown');
  return found[1](name.slice(found[0].length), phonePort);
}

type Read = (argument: string, phonePort: number) => AskedService;

const refuse =
  (rule: Rule): Read =>
  () =>
    refused(rule);

const PREFIXES: [prefix: string, read: Read][] = [
  ['exec:', (script) => ({ kind: 'exec', runs: true, ...judgeScript(script, true) })],
  ['abb_exec:', (words) => ({ kind: 'abb-exec', runs: true, ...judgeWords(words.split('\0')) })],
  ['abb:', (words) => ({ kind: 'abb', shell: { v2: true, pty: false }, runs: true, ...judgeWords(words.split('\0')) })],
  ['sync:', () => ({ kind: 'sync', transfer: { kind: 'sync' }, runs: false })],
  ['framebuffer:', () => allowed()],
  ['backup:', () => allowed()],
  ['sink:', () => allowed()],
  ['source:', () => allowed()],
  ['tcp:', (address, phonePort) => (isOtherLocalPort(address, phonePort) ? allowed() : refused('forward'))],
  ['local:', localSocket],
  ['localabstract:', localSocket],
  ['localreserved:', localSocket],
  ['localfilesystem:', localSocket],
  ['root:', refuse('root')],
  ['unroot:', refuse('unroot')],
  ['remount:', refuse('remount')],
  ['reboot:', refuse('reboot')],
  ['disable-verity:', refuse('disable-verity')],
  ['enable-verity:', refuse('enable-verity')],
  ['reverse:', () => ({ ...refused('reverse'), kind: 'reverse' })],
  ['tcpip:', refuse('tcpip')],
  ['usb:', refuse('usb')],
  ['jdwp', refuse('jdwp')],
  ['track-jdwp', refuse('jdwp')],
  ['track-', refuse('track')],
  ['sideload', refuse('sideload')],
  ['rescue-', refuse('sideload')],
  ['restore:', refuse('restore')],
  ['dev:', refuse('dev')],
  ['dev-raw:', refuse('dev')],
  ['vsock:', refuse('vsock')],
  ['acceptfd:', refuse('acceptfd')],
];

function allowed(): AskedService {
  return { kind: 'other', runs: false };
}

function refused(rule: Rule): AskedService {
  return { kind: 'other', runs: false, rule };
}

function judgeScript(script: string, isExec: boolean): Pick<AskedService, 'loginCode' | 'rule' | 'transfer'> {
  const loginCode = /^\s*service-login(?:\s+([\s\S]*))?$/.exec(script);
  if (loginCode) return { loginCode: (loginCode[1] ?? '').trim().replace(/^(['"])([\s\S]*)\1$/, '$2') };
  const rule = brokenShellRule(script);
  if (rule !== undefined) return { rule };
  const install = INSTALL_SCRIPT.exec(script);
  if (install) return { transfer: { kind: 'install', ...announced(/\s-S\s*'?(\d+)/.exec(script)?.[1]) } };
  return isExec && !NO_FILE.test(script) ? { transfer: { kind: 'file' } } : {};
}

/** The commands that read an APK from their input. */
const INSTALL_SCRIPT = /^\s*(?:exec\s+)?(?:cmd\s+package|pm)\s+'?install(?:-write|-incremental)?\b'?/;
/** Pictures and logs are no files, however many bytes they are. */
const NO_FILE = /^\s*(?:\S*\/)?(?:screencap|screenrecord|logcat)\b/;

function judgeWords(words: readonly string[]): Pick<AskedService, 'rule' | 'transfer'> {
  const rule = brokenByWords(['cmd', ...words]);
  if (rule !== undefined) return { rule };
  const [service, command] = words;
  if (service !== 'package' || !/^install(-write|-incremental)?$/.test(command ?? '')) return {};
  return { transfer: { kind: 'install', ...announced(words[words.indexOf('-S') + 1]) } };
}

function announced(size: string | undefined): { announcedBytes?: number } {
  return size !== undefined && /^\d{1,15}$/.test(size) ? { announcedBytes: Number(size) } : {};
}

/** adbd's own port is a way around everything here; other machines are none of the customer's business. */
function isOtherLocalPort(address: string, phonePort: number): boolean {
  const port = /^(?:(?:127\.0\.0\.1|localhost):)?([1-9]\d{0,4})$/.exec(address)?.[1];
  return port !== undefined && Number(port) !== USUAL_ADBD_PORT && Number(port) !== phonePort;
}

const USUAL_ADBD_PORT = 5555;

function localSocket(name: string): AskedService {
  if (/jdwp/.test(name)) return refused('jdwp');
  return /adbd/.test(name) ? refused('forward') : allowed();
}
