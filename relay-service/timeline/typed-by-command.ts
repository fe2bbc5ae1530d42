import { nestedScript, withoutWrappers } from '../policy/run-by-command.js';
import { MAX_TOKENS, shellCommands, type TokenBudget } from '../policy/shell-words.js';

/** The part of a command line that may be kept where the whole line may not. It has only fixed words, none freely chosen by the client. */
export type Heading = string;

/** The heading of a command that cannot be understood. */
const UNKNOWN: Heading = '';

/** Scripts inside of scripts are followed this deep. */
const MAX_DEPTH = 3;

/**
 * Returns the heading of a script that types text or puts text into the clipboard. Undefined: the script does neither. A script also counts
 * as typing when its commands cannot be known. Then a variable, a substitution or a pattern makes a command, or a shell reads commands from
 * its input.
 *
 * Linear in the length of the script, which comes from a customer.
 */
export function typingScript(
  script: string,
  depth = 0,
  budget: TokenBudget = { left: MAX_TOKENS },
): Heading | undefined {
  if (depth > MAX_DEPTH || makesCommands(script)) return UNKNOWN;
  const expands = /[$`]/.test(script);
  for (const words of shellCommands(script, budget)) {
    if (expands && withoutWrappers(words)[0] === 'eval') return UNKNOWN;
    const heading = typingCommand(words, depth, budget);
    if (heading !== undefined) return heading;
  }
  return budget.left > 0 ? typingAsSpelled(script) : UNKNOWN;
}

/** Returns the heading of one command whose words are known, such as a command that `abb:` sends. */
export function typingCommand(
  allWords: readonly string[],
  depth = 0,
  budget: TokenBudget = { left: MAX_TOKENS },
): Heading | undefined {
  const [name = '', ...args] = withoutWrappers(allWords);
  const nested = nestedScript(name, args);
  if (nested !== undefined) return typingScript(nested, depth + 1, budget);
  if (!PLAIN_NAME.test(name)) return UNKNOWN;
  return TYPING.get(name)?.(args);
}

/** Names that no expansion of the shell changes. */
const PLAIN_NAME = /^([\w.+/:@%-]+|\[\[?)$/;

/** Commands that can type text. Each function returns the heading of a command that does, or may. */
const TYPING: ReadonlyMap<string, (args: readonly string[]) => Heading | undefined> = new Map([
  ['input', typingInput],
  ['am', typingIntent],
  ['content', typingContent],
  ['service', typingCall],
  ['cmd', typingService],
  ['sh', readsItsInput],
  ['bash', readsItsInput],
  ['mksh', readsItsInput],
  ['ash', readsItsInput],
  ['source', readsItsInput],
  ['.', readsItsInput],
]);

/**
 * Returns the heading of a call of `cmd` that types text; undefined when it types none. `cmd input` and `cmd activity` do what `input` and
 * `am` do.
 */
function typingService(args: readonly string[]): Heading | undefined {
  const [name = '', ...rest] = args.slice(args.findIndex((word) => !word.startsWith('-')));
  if (name === 'input') return typingInput(rest);
  if (name === 'activity') return typingIntent(rest);
  if (name.includes('$')) return 'cmd';
  return name === 'clipboard' ? 'cmd clipboard' : undefined;
}

/** Checks `service call`, which calls a system service with arguments; `s16` is a text. The services of clipboard and keyboard take one. */
function typingCall([does = '', ...args]: readonly string[]): Heading | undefined {
  return does !== 'list' && args.some((word) => word === 's16' || word.includes('$')) ? 'service call' : undefined;
}

/** Commands of `input` that type no text. They follow its options for source and display. */
const NO_TEXT = /^(tap|swipe|draganddrop|press|roll|motionevent|scroll|keyevent|keycombination)$/;
const SOURCE =
  /^(-d|\d+|keyboard|dpad|gamepad|touchscreen|mouse|stylus|touchpad|trackball|joystick|touchnavigation|default)$/;

/** Keys that write a digit, a letter or a sign. Several such keys can spell a text. */
const WRITES =
  /^(KEYCODE_)?([A-Z0-9]|NUMPAD_\w+|STAR|POUND|COMMA|PERIOD|SPACE|AT|MINUS|PLUS|EQUALS|\w*SLASH|SEMICOLON|APOSTROPHE|GRAVE|\w+_BRACKET)$/i;
const WRITING_CODES: readonly (readonly [number, number])[] = [
  [7, 18],
  [29, 56],
  [62, 62],
  [68, 77],
  [81, 81],
  [144, 163],
];

function typingInput(args: readonly string[]): Heading | undefined {
  const at = args.findIndex((word) => !SOURCE.test(word));
  const does = args[at] ?? '';
  if (does === 'text') return 'input text';
  if (!NO_TEXT.test(does)) return 'input';
  return /^key/.test(does) && args.slice(at + 1).some(isWriting) ? `input ${does}` : undefined;
}

function isWriting(key: string): boolean {
  if (!/^(0x[\da-f]+|\d+)$/i.test(key)) return WRITES.test(key) || key.includes('$');
  const code = Number(key);
  return WRITING_CODES.some(([first, last]) => first <= code && code <= last);
}

/** Options of intents that are followed by two words, and by one word. */
const TWO_WORDS = /^(-e|--e([sziflu]|cn|[ilfs]al?))$/;
const ONE_WORD = /^(-[adtcnfp]|-i|--esn|--user|--receiver-permission|--selector|--windowingMode|--display)$/;

/**
 * Finds intents that may carry text. A broadcast with any content counts, as there are keyboards that this list does not know. Another
 * intent counts only when it is for a keyboard or the clipboard.
 */
function typingIntent([does = '', ...args]: readonly string[]): Heading | undefined {
  if (/\$/.test(does)) return 'am';
  let carries = false;
  let action = '';
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? '';
    // An intent can also be given as one URI that holds its extras.
    if (/^(-e|--e\w+|-d)$|[$:#]/.test(word)) carries = true;
    if (word === '-a') action = args[at + 1] ?? '';
    at += TWO_WORDS.test(word) ? 2 : ONE_WORD.test(word) ? 1 : 0;
  }
  if (!carries) return undefined;
  if (does !== 'broadcast' && !args.some((word) => FOR_A_KEYBOARD.test(word) || word.includes('$'))) return undefined;
  const head = `am ${PLAIN_NAME.test(does) ? does : ''}`.trimEnd();
  return ACTION.test(action) ? `${head} -a ${action}` : head;
}

/** Actions as apps name them. A text that stands where the action should be does not match, so it is not kept. */
const ACTION = /^([A-Z]+(_[A-Z0-9]+)+|[A-Za-z]\w*(\.\w+)+)$/;

const FOR_A_KEYBOARD = /clip(board|per)|keyboard|inputmethod|[./_]ime\b|\bextra\.TEXT\b|\bADB_/i;

/** Checks `content`. The content providers of automation keyboards take text as a row, as an argument, or in their URI. */
function typingContent([does = '', ...args]: readonly string[]): Heading | undefined {
  const isReading = /^(query|read|delete|gettype)$/.test(does);
  if (isReading && !args.some((word) => /[?$]/.test(word))) return undefined;
  return PLAIN_NAME.test(does) ? `content ${does}` : 'content';
}

/** A shell without a script reads one from its input, which may come from anything. */
function readsItsInput(args: readonly string[]): Heading | undefined {
  const file = args.find((word) => !/^[-+]/.test(word));
  return file === undefined || /^\/(dev|proc)\/|\$/.test(file) ? 'sh' : undefined;
}

/**
 * Finds commands that type by searching the script's text, without its quotes. So it also finds them in data that may become a script:
 * words of `echo`, here-documents, aliases and functions.
 */
function typingAsSpelled(script: string): Heading | undefined {
  const bare = script.replaceAll('\\\n', '').replaceAll(/\$?['"]|\\/g, '');
  if (KEYBOARDS.test(bare)) return 'am broadcast';
  for (const part of bare.split(/[;&|\n]/)) {
    const at = part.search(/\binput\b/);
    if (at >= 0 && /\btext\b/.test(part.slice(at))) return 'input text';
  }
  return undefined;
}

/** Actions of keyboards for automation, and of apps that set the clipboard. */
const KEYBOARDS = /\bADB_(INPUT|KEYBOARD|SET|EDITOR)_\w+|\bclip(per|board)\.set\b/i;

/** Whether an expansion, and not the script as it stands, decides which command is run. */
function makesCommands(script: string): boolean {
  // Escapes that the shell decodes can spell any command.
  if (/\$'[^']*\\/.test(script)) return true;
  let isOpen = false;
  for (const { 0: sign, index } of script.matchAll(/\$\(|`/g)) {
    isOpen = sign !== '`' || !isOpen;
    if (!isOpen) continue;
    const before = script.slice(Math.max(0, index - LOOKED_AT), index);
    const command = /[^;&|\n(){}`]*$/.exec(before)?.[0] ?? '';
    if (!IS_ARGUMENT.test(command) && !IS_ASSIGNMENT.test(command)) return true;
  }
  return false;
}

/** How many characters before a substitution are searched for the command that it belongs to. */
const LOOKED_AT = 200;

/** Matches where a command's name stands before the substitution, which is then one of its arguments. */
const IS_ARGUMENT = /^\s*((do|then|else|elif|if|while|until|!)\s+)*[\w./+-]+\s/;
const IS_ASSIGNMENT = /^\s*((export|local|readonly)\s+)?\w+=\S*$/;
