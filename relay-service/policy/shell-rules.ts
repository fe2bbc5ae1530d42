import type { Rule } from './rule.js';
import { shellCommands } from './shell-words.js';

/**
 * Returns the rule that a shell script breaks, judged by the first words of each of its commands.
 *
 * This informs people and scripts; it is not a security boundary. A shell can spell a command in more ways than anyone can parse
 * (variables, base64, a pushed script, keys typed into an interactive shell). docs/relay.md says what the phone's image must prevent.
 */
export function brokenShellRule(script: string, phonePort: number, depth = 0): Rule | undefined {
  for (const words of shellCommands(script)) {
    const rule = brokenCommandRule(words, phonePort, depth);
    if (rule !== undefined) return rule;
  }
  return undefined;
}

/** The same for one command whose words are known, as `abb:` sends them. */
export function brokenCommandRule(allWords: readonly string[], phonePort: number, depth = 0): Rule | undefined {
  const from = commandIndex(allWords);
  const command = baseName(allWords[from] ?? '');
  if (depth < MAX_DEPTH) {
    const nested = nestedScript(command, allWords, from + 1);
    if (nested !== undefined) return brokenShellRule(nested, phonePort, depth + 1);
    if (command === 'find') {
      const exec = allWords.findIndex((word, at) => at > from && /^-(exec|execdir|ok)$/.test(word));
      return exec < 0 ? undefined : brokenCommandRule(allWords.slice(exec + 1), phonePort, depth + 1);
    }
  }
  const args = allWords.slice(from + 1, from + 1 + MOST_WORDS).filter((word) => !word.startsWith('-'));
  const text = [command, ...args].join(' ').slice(0, LONGEST_TEXT);
  if (NETWORK_CLIENT.test(command) && args.some((arg) => arg === '5555' || arg === String(phonePort))) return 'forward';
  return RULES.find(([, pattern]) => pattern.test(text))?.[0];
}

/** Scripts inside of scripts (`sh -c "sh -c …"`) are followed this deep, so that judging takes linear time. */
const MAX_DEPTH = 3;
/** Arguments that are judged. */
const MOST_WORDS = 16;
const LONGEST_TEXT = 400;

/** Against the command and its arguments, without paths and options. */
const RULES: [Rule, RegExp][] = [
  ['root', /^(su|sudo|adbd)( |$)/],
  ['root', /^((start|stop) (.* )?adbd|setprop (service\.adb\.root |ctl\.\S+ adbd))/],
  ['remount', /^(remount( |$)|mount (.*\bremount\b|(.* )?\/(system|vendor|product|odm|system_ext)?( |$)))/],
  ['reboot', /^(reboot|shutdown|halt|poweroff|reboot-bootloader)( |$)/],
  ['reboot', /^((svc|cmd) power (reboot|shutdown)|setprop sys\.powerctl )/],
  ['reboot', /^(am|cmd activity) .*android\.intent\.action\.(REBOOT|ACTION_(REQUEST_)?SHUTDOWN)( |$)/],
  ['disable-verity', /^(disable-verity|avbctl)( |$)/],
  ['enable-verity', /^enable-verity( |$)/],
  ['tcpip', /^setprop (service|persist)\.adb\.(tcp\.port|listen_addrs|tls_server\.enable) /],
  ['tcpip', /^(cmd )?settings put \S+ adb_wifi_enabled( |$)/],
  ['usb', /^((svc|cmd) usb (set|reset)|setprop (persist\.)?sys\.usb\.)/],
  ['jdwp', /^(am|cmd activity) set-debug-app( |$)/],
  ['restore', /^(bu|bmgr|cmd backup) restore( |$)/],
];

/** Behind the phone's adbd port is an adbd without a relay. */
const NETWORK_CLIENT = /^(nc|netcat|socat|telnet)$/;

/** The script that a command was given to run, if it is one that does. */
function nestedScript(command: string, words: readonly string[], from: number): string | undefined {
  if (command === 'eval' || command === 'trap') return words.slice(from).join(' ');
  if (!/^(sh|bash|mksh|ash)$/.test(command)) return undefined;
  const option = words.findIndex((word, at) => at >= from && /^-[a-z]*c[a-z]*$/.test(word));
  return option < 0 ? undefined : words.find((word, at) => at > option && !word.startsWith('-'));
}

/** Commands that run the command behind them, with the number of their own arguments that are neither options nor numbers. */
const WRAPPERS = new Map([
  ...['builtin', 'busybox', 'chrt', 'command', 'env', 'exec', 'ionice', 'logwrapper', 'nice', 'nohup', 'setsid'].map(
    (name) => [name, 0] as const,
  ),
  ...['time', 'timeout', 'toolbox', 'toybox', 'watch', 'xargs'].map((name) => [name, 0] as const),
  ...['run-as', 'taskset'].map((name) => [name, 1] as const),
]);

/** A wrapper's options and numbers, and `env`'s assignments. */
const WRAPPER_ARGUMENT = /^(-.*|[\d.]+[smhd]?|\w+=.*|\{\})$/s;

/** Index of the command that is run in the end. */
function commandIndex(words: readonly string[]): number {
  let at = 0;
  for (;;) {
    const name = baseName(words[at] ?? '');
    const own = WRAPPERS.get(name);
    if (own === undefined) return at;
    // `command -v su` only looks for it.
    if (name === 'command' && /^-[vV]/.test(words[at + 1] ?? '')) return at;
    at++;
    while (WRAPPER_ARGUMENT.test(words[at] ?? '')) at++;
    at += own;
  }
}

/** `/system/bin/reboot` is `reboot`. */
function baseName(word: string): string {
  return word.slice(word.lastIndexOf('/') + 1);
}
