import type { Rule } from './rule.js';
import { MOST_TOKENS, shellCommands, type TokenBudget } from './shell-words.js';

/**
 * Returns the rule that a shell script breaks, judged by the first words of each of its commands.
 *
 * This informs people and scripts; it is not a security boundary. A shell can spell a command in more ways than anyone can parse
 * (variables, base64, a pushed script, keys typed into an interactive shell). docs/relay.md lists the things that the phone's image must prevent.
 */
export function brokenShellRule(
  script: string,
  phonePort: number,
  depth = 0,
  budget: TokenBudget = { left: MOST_TOKENS },
): Rule | undefined {
  for (const words of shellCommands(script, budget)) {
    const rule = brokenCommandRule(words, phonePort, depth, budget);
    if (rule !== undefined) return rule;
  }
  return budget.left > 0 ? undefined : 'length';
}

/** The same for one command whose words are known, as `abb:` sends them. */
export function brokenCommandRule(
  allWords: readonly string[],
  phonePort: number,
  depth = 0,
  budget?: TokenBudget,
): Rule | undefined {
  const [command = '', ...rest] = withoutWrappers(allWords);
  const nested = depth < MAX_DEPTH ? nestedScript(command, rest) : undefined;
  if (nested !== undefined) return brokenShellRule(nested, phonePort, depth + 1, budget);
  const args = rest.slice(0, MOST_WORDS).filter((word) => !word.startsWith('-'));
  const text = [command, ...args].join(' ').slice(0, LONGEST_TEXT);
  if (NETWORK_CLIENT.test(command) && args.some((arg) => isPortOf(arg, [5555, phonePort]))) return 'forward';
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

/** Whether an argument is one of these ports, also as a number over 65,535, of which programs keep the lower 16 bits. */
function isPortOf(argument: string, ports: readonly number[]): boolean {
  return /^\d+$/.test(argument) && ports.includes(Number(argument) % 65_536);
}

/** The script that a command was given to run, if it is one that does. */
function nestedScript(command: string, args: readonly string[]): string | undefined {
  if (command === 'eval' || command === 'trap') return args.join(' ');
  if (command === 'find') {
    const exec = args.findIndex((word) => /^-(exec|execdir|ok)$/.test(word));
    return exec < 0 ? undefined : args.slice(exec + 1).join(' ');
  }
  const option = /^(sh|bash|mksh|ash)$/.test(command) ? args.findIndex((word) => /^-[a-z]*c[a-z]*$/.test(word)) : -1;
  return option < 0 ? undefined : args.find((word, at) => at > option && !word.startsWith('-'));
}

/** Commands that run the command behind them; `command -v su` only searches for it. */
const WRAPPER =
  /^(builtin|busybox|chrt|command|env|exec|ionice|logwrapper|nice|nohup|run-as|setsid|taskset|time|timeout|toolbox|toybox|watch|xargs)$/;

/** A wrapper's options and numbers, `env`'s assignments, and the package of `run-as`. */
const WRAPPER_ARGUMENT = /^(-.*|[\d.]+[smhd]?|\w+=.*|\{\}|\w+(\.\w+)+)$/s;

/** The command that is run in the end, without its path, and its arguments. */
function withoutWrappers(words: readonly string[]): string[] {
  let at = 0;
  while (WRAPPER.test(baseName(words[at])) && !/^-[vV]/.test(words[at + 1] ?? '')) {
    at++;
    while (WRAPPER_ARGUMENT.test(words[at] ?? '')) at++;
  }
  return [baseName(words[at]), ...words.slice(at + 1)];
}

/** `/system/bin/reboot` is `reboot`. */
function baseName(word = ''): string {
  return word.slice(word.lastIndexOf('/') + 1);
}
