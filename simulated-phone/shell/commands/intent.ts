import { shortComponent } from '../../system/component-name.js';
import { CommandFailure } from '../command.js';

/** An intent, as `am` reads it from its arguments. */
export interface Intent {
  action?: string | undefined;
  data?: string | undefined;
  type?: string | undefined;
  component?: string | undefined;
  package?: string | undefined;
  categories: string[];
  /** The extras by key, as text; arrays are joined by commas. */
  extras: Map<string, string>;
}

/** Options of an intent that take a key and a value. */
const EXTRA = /^(--e[siflzdnu]|--es|--ei|--ez|--el|--ef|--ed|--eu|--ecn|--eia|--ela|--efa|--esa|--esal|--eial|-e)$/;
/** Options of `am` and of intents that are followed by one word. */
const WITH_WORD = new Set(['-f', '--user', '--display', '-P', '--sampling', '--windowingMode', '--activityType', '-R', '--task', '--receiver-permission', '-i', '--start-profiler', '--attach-agent', '--attach-agent-bind', '--query-flags']); // prettier-ignore

/** Options of `am` and of intents that are followed by no word. */
const FLAG = /^(?:-[DNWSR]|--(?:activity-[a-z-]+|receiver-(?:foreground|no-abort|registered-only|replace-pending|include-background|visible-to-instant-apps)|grant-[a-z-]+|(?:include|exclude)-stopped-packages|debug-log-resolution|selector|streaming|track-allocation|task-overlay|lock-task|async|allow-background-activity-starts|splashscreen-show-icon|suspend|brief|components))$/; // prettier-ignore

/** Reads the words of `verb`. Throws CommandFailure for an option that Android does not have, with its text. */
export function parseIntent(args: readonly string[], verb: string): Intent {
  const intent: Intent = { categories: [], extras: new Map() };
  const words = [...args];
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    if (word === '-a') intent.action = words.shift() ?? '';
    else if (word === '-d') intent.data = words.shift() ?? '';
    else if (word === '-t') intent.type = words.shift() ?? '';
    else if (word === '-n') intent.component = words.shift() ?? '';
    else if (word === '-p') intent.package = words.shift() ?? '';
    else if (word === '-c') intent.categories.push(words.shift() ?? '');
    else if (word === '--esn') intent.extras.set(words.shift() ?? '', '');
    else if (EXTRA.test(word)) intent.extras.set(words.shift() ?? '', words.shift() ?? '');
    else if (WITH_WORD.has(word)) words.shift();
    else if (!word.startsWith('-')) takeLoose(intent, word);
    else if (!FLAG.test(word)) throw unknownOption(verb, `Unknown option: ${word}`);
  }
  return intent;
}

/** Returns the failure for an unknown option: Android's commands print this and end with 255. */
export function unknownOption(verb: string, text: string): CommandFailure {
  const message = `\nException occurred while executing '${verb}':\njava.lang.IllegalArgumentException: ${text}`;
  return new CommandFailure(message, { bare: true, status: 255 });
}

/** Takes a word without an option, which is a URI, a component or a package. */
function takeLoose(intent: Intent, word: string): void {
  if (word.includes(':')) intent.data = word;
  else if (word.includes('/')) intent.component = word;
  else intent.package = word;
}

/** Returns `Intent { act=X dat=Y cmp=Z (has extras) }`. */
export function shownIntent(intent: Intent, options: { flags?: string } = {}): string {
  const data = intent.data?.replace(/^(\w+:\/\/[^/?#]+).+$/, '$1/...');
  const parts = [
    intent.action !== undefined && `act=${intent.action}`,
    intent.categories.length > 0 && `cat=[${intent.categories.join(',')}]`,
    data !== undefined && `dat=${data}`,
    intent.type !== undefined && `typ=${intent.type}`,
    options.flags !== undefined && `flg=${options.flags}`,
    intent.package !== undefined && `pkg=${intent.package}`,
    intent.component !== undefined && `cmp=${shortComponent(intent.component)}`,
    intent.extras.size > 0 && '(has extras)',
  ];
  return `Intent { ${parts.filter((part) => part !== false).join(' ')} }`;
}
