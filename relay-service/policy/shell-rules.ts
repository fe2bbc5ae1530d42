import type { Rule } from './rule.js';
import { simpleCommands } from './simple-commands.js';

/**
 * The rule that a shell script breaks, if any: by its command words, not by searching its text. It is a courtesy to people and
 * scripts, not a wall: a shell can spell a command in more ways than anyone can read (variables, base64, a script it was sent,
 * keys typed into an interactive shell). What must not happen must be impossible for the phone's shell user; docs/relay.md says
 * so.
 */
export function brokenShellRule(script: string, depth = 0): Rule | undefined {
  // Deeper than anyone writes by hand; beyond it nothing is said of the script.
  if (depth > MAX_DEPTH) return undefined;
  for (const words of simpleCommands(script)) {
    const rule = brokenByWords(words, depth);
    if (rule !== undefined) return rule;
  }
  return undefined;
}

const MAX_DEPTH = 8;

/** The same for one command whose words are known, as `abb:` sends them. */
export function brokenByWords(allWords: readonly string[], depth = 0): Rule | undefined {
  const words = withoutWrappers(allWords);
  const command = baseName(words[0] ?? '');
  const args = words.slice(1);
  if (SHELLS.has(command)) {
    const at = args.findIndex((arg) => /^-[a-z]*c[a-z]*$/.test(arg));
    return at < 0 ? undefined : brokenShellRule(args[at + 1] ?? '', depth + 1);
  }
  if (command === 'eval' || command === 'trap') return brokenShellRule(args.join(' '), depth + 1);
  if (command === 'find') {
    const at = args.findIndex((arg) => /^-(exec|execdir|ok)$/.test(arg));
    return at < 0 ? undefined : brokenByWords(args.slice(at + 1), depth + 1);
  }
  return Object.hasOwn(RULES, command) ? RULES[command]?.(args) : undefined;
}

const SHELLS = new Set(['sh', 'bash', 'mksh', 'ash']);

type Judge = (args: readonly string[]) => Rule | undefined;

const always =
  (rule: Rule): Judge =>
  () =>
    rule;

/** When the arguments begin with the words of one of the lines. */
const whenArgs =
  (...lines: [words: string, rule: Rule][]): Judge =>
  (args) => {
    const text = args.filter((arg) => !/^-/.test(arg)).join(' ');
    return lines.find(([words]) => text === words || text.startsWith(`${words} `))?.[1];
  };

const adbdOnly: Judge = (args) => (args.some((arg) => arg.startsWith('adbd')) ? 'root' : undefined);

/** By command. */
const RULES: Record<string, Judge> = {
  su: always('root'),
  sudo: always('root'),
  adbd: always('root'),
  start: adbdOnly,
  stop: adbdOnly,
  remount: always('remount'),
  mount: (args) => (mountsSystem(args) ? 'remount' : undefined),
  reboot: always('reboot'),
  shutdown: always('reboot'),
  halt: always('reboot'),
  poweroff: always('reboot'),
  'reboot-bootloader': always('reboot'),
  svc: whenArgs(['power reboot', 'reboot'], ['power shutdown', 'reboot'], ['usb', 'usb']),
  setprop: setsProperty,
  settings: (args) => (args[0] === 'put' && /^adb_wifi_enabled$/.test(args[2] ?? '') ? 'tcpip' : undefined),
  cmd: (args) => (args[0] === 'settings' ? RULES['settings']?.(args.slice(1)) : commandRule(args)),
  am: activityRule,
  'disable-verity': always('disable-verity'),
  'enable-verity': always('enable-verity'),
  avbctl: always('disable-verity'),
  bu: whenArgs(['restore', 'restore']),
  bmgr: whenArgs(['restore', 'restore']),
};

function commandRule(args: readonly string[]): Rule | undefined {
  if (args[0] === 'activity') return activityRule(args.slice(1));
  return whenArgs(
    ['power reboot', 'reboot'],
    ['power shutdown', 'reboot'],
    ['usb', 'usb'],
    ['backup restore', 'restore'],
  )(args);
}

function activityRule(args: readonly string[]): Rule | undefined {
  if (args[0] === 'set-debug-app') return 'jdwp';
  const reboots = args.some((arg) => /android\.intent\.action\.(REBOOT|ACTION_(REQUEST_)?SHUTDOWN)$/.test(arg));
  return reboots ? 'reboot' : undefined;
}

function setsProperty([name = '', value = '']: readonly string[]): Rule | undefined {
  if (name === 'sys.powerctl') return 'reboot';
  if (name === 'service.adb.root') return 'root';
  if (/^ctl\./.test(name) && value.startsWith('adbd')) return 'root';
  if (/^(service|persist)\.adb\.(tcp\.port|listen_addrs|tls_server\.enable)$/.test(name)) return 'tcpip';
  if (/^(persist\.)?sys\.usb\./.test(name)) return 'usb';
  return undefined;
}

function mountsSystem(args: readonly string[]): boolean {
  const options = args.flatMap((arg, index) =>
    args[index - 1] === '-o' ? arg.split(',') : /^-o./.test(arg) ? arg.slice(2).split(',') : [],
  );
  return options.includes('remount') || args.some((arg) => /^\/(system|vendor|product|odm|system_ext)?$/.test(arg));
}

/** Commands that run the command after them, with the number of words of their own that come first, options aside. */
const WRAPPERS: Record<string, number> = {
  exec: 0,
  command: 0,
  builtin: 0,
  env: 0,
  nohup: 0,
  setsid: 0,
  nice: 0,
  ionice: 0,
  xargs: 0,
  time: 0,
  toybox: 0,
  toolbox: 0,
  busybox: 0,
  timeout: 1,
  'run-as': 1,
  taskset: 1,
  watch: 0,
};

/** Options of wrappers that take the next word with them. */
const OPTION_WITH_WORD = /^-(n|u|s|k|c|p|I|L|P|a)$/;

function withoutWrappers(words: readonly string[]): readonly string[] {
  let left = words;
  for (;;) {
    const command = baseName(left[0] ?? '');
    const own = Object.hasOwn(WRAPPERS, command) ? WRAPPERS[command] : undefined;
    if (own === undefined) return left;
    let at = 1;
    while (/^-./.test(left[at] ?? '') || (command === 'env' && /^\w+=/.test(left[at] ?? '')))
      at += OPTION_WITH_WORD.test(left[at] ?? '') ? 2 : 1;
    left = left.slice(at + own);
  }
}

/** `/system/bin/reboot` is `reboot`. */
function baseName(word: string): string {
  return word.slice(word.lastIndexOf('/') + 1);
}
