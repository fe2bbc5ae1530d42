import type { Rule } from './rule.js';
import { nestedScript, withoutWrappers } from './run-by-command.js';
import { MAX_TOKENS, shellCommands, type TokenBudget } from './shell-words.js';

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
  budget: TokenBudget = { left: MAX_TOKENS },
): Rule | undefined {
  for (const words of shellCommands(script, budget)) {
    const rule = brokenCommandRule(words, phonePort, depth, budget);
    if (rule !== undefined) return rule;
  }
  return budget.left > 0 ? undefined : 'length';
}

/** Returns the rule that one command breaks. Its words are known, as those of a command that `abb:` sends. */
export function brokenCommandRule(
  allWords: readonly string[],
  phonePort: number,
  depth = 0,
  budget?: TokenBudget,
): Rule | undefined {
  const [command = '', ...rest] = withoutWrappers(allWords);
  const nested = depth < MAX_DEPTH ? nestedScript(command, rest) : undefined;
  if (nested !== undefined) return brokenShellRule(nested, phonePort, depth + 1, budget);
  const args = rest.slice(0, MAX_WORDS).filter((word) => !word.startsWith('-'));
  const text = [command, ...args].join(' ').slice(0, MAX_TEXT_CHARS);
  if (NETWORK_CLIENT.test(command) && args.some((arg) => isPortOf(arg, [5555, phonePort]))) return 'forward';
  return RULES.find(([, pattern]) => pattern.test(text))?.[0];
}

/** Scripts inside of scripts (`sh -c "sh -c …"`) are followed this deep, so that judging takes linear time. */
const MAX_DEPTH = 3;
/** How many arguments of a command are judged. */
const MAX_WORDS = 16;
const MAX_TEXT_CHARS = 400;

/** Rules by patterns. A pattern is matched against the command's name without its path, and its arguments without options. */
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

/** Programs that could connect to the phone's adbd directly, and so bypass the relay. */
const NETWORK_CLIENT = /^(nc|netcat|socat|telnet)$/;

/** Returns whether an argument is one of these ports. A larger number counts by its lower 16 bits, which are all that programs keep. */
function isPortOf(argument: string, ports: readonly number[]): boolean {
  return /^\d+$/.test(argument) && ports.includes(Number(argument) % 65_536);
}
