import { shortComponent } from '../../component-name.js';

/** An intent, as `am` reads it from its arguments. */
export interface Intent {
  action?: string;
  data?: string;
  type?: string;
  component?: string;
  package?: string;
  categories: string[];
  /** By key, as text; arrays are joined by commas. */
  extras: Map<string, string>;
}

/** Options of an intent that take a key and a value. */
const EXTRA = /^(--e[siflzdnu]|--es|--ei|--ez|--el|--ef|--ed|--eu|--ecn|--eia|--ela|--efa|--esa|--esal|--eial|-e)$/;
/** Options of `am` and flags that take one word more. */
const WITH_WORD = new Set(['-f', '--user', '--display', '-P', '--sampling', '--windowingMode', '--activityType', '-R', '--task', '--receiver-permission', '-i']); // prettier-ignore

export function parseIntent(args: readonly string[]): Intent {
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
  }
  return intent;
}

/** A word alone is a URI, a component or a package. */
function takeLoose(intent: Intent, word: string): void {
  if (word.includes(':')) intent.data = word;
  else if (word.includes('/')) intent.component = word;
  else intent.package = word;
}

/** `Intent { act=X dat=Y cmp=Z (has extras) }` */
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
