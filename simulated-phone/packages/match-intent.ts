import type { IntentFilter } from '../../phone/apk/app-activities.js';
import { BadPattern, linearPattern } from '../patterns/linear-pattern.js';

/** The parts of an intent that decide which activities it is for. */
export interface IntentParts {
  action?: string;
  data?: string;
  type?: string;
  categories?: readonly string[];
}

const DEFAULT_CATEGORY = 'android.intent.category.DEFAULT';

/** Whether a filter takes an intent, by Android's rules for one that names no component. */
export function matchesIntent(filter: IntentFilter, intent: IntentParts): boolean {
  const { action, data, type, categories = [] } = intent;
  if (action === undefined ? filter.actions.length === 0 : !filter.actions.includes(action)) return false;
  // An activity that is started without its name needs this category, except for the icons of the launcher.
  const needed = filter.actions.includes('android.intent.action.MAIN') ? categories : [...categories, DEFAULT_CATEGORY];
  return needed.every((category) => filter.categories.includes(category)) && matchesData(filter, data, type);
}

function matchesData(filter: IntentFilter, data: string | undefined, type: string | undefined): boolean {
  if (filter.schemes.length === 0 && filter.mimeTypes.length === 0) return data === undefined && type === undefined;
  if (filter.mimeTypes.length === 0 ? type !== undefined : !matchesType(filter.mimeTypes, type)) return false;
  const uri = data === undefined ? undefined : partsOf(data);
  if (filter.schemes.length === 0) return uri === undefined || ['', 'content', 'file'].includes(uri.scheme);
  if (!uri || !filter.schemes.includes(uri.scheme)) return false;
  if (filter.hosts.length === 0) return true;
  if (uri.host === undefined || !filter.hosts.some((one) => matchesHost(one, uri.host ?? '', uri.port))) return false;
  return filter.paths.length === 0 || filter.paths.some((one) => matchesPath(one, uri.path));
}

/** Whether a filter names the host of a web address: an app for the host comes before a browser for all hosts. */
export function namesHost(filter: IntentFilter): boolean {
  return filter.hosts.some(({ host }) => host !== '*');
}

function matchesType(accepted: readonly string[], type: string | undefined): boolean {
  if (type === undefined) return false;
  const [kind = '', form = ''] = type.split('/');
  return accepted.some((one) => {
    const [ownKind = '', ownForm = ''] = one.split('/');
    const kindFits = ownKind === '*' || kind === '*' || ownKind === kind;
    return kindFits && (ownForm === '*' || form === '*' || ownForm === form);
  });
}

function partsOf(uri: string): { scheme: string; host: string | undefined; port: string; path: string } {
  const [, scheme = '', rest = uri] = /^([^:/?#]+):([\s\S]*)$/.exec(uri) ?? [];
  const authority = /^\/\/([^/?#]*)([^?#]*)/.exec(rest);
  if (!authority) return { scheme, host: undefined, port: '', path: '' };
  const [, login = '', path = ''] = authority;
  const [, host = '', port = ''] = /^(.*?)(?::(\d+))?$/.exec(login.slice(login.lastIndexOf('@') + 1)) ?? [];
  return { scheme, host, port, path };
}

function matchesHost(accepted: { host: string; port: string }, host: string, port: string): boolean {
  if (accepted.port !== '' && accepted.port !== port) return false;
  const wanted = accepted.host.toLowerCase();
  if (wanted.startsWith('*')) return host.toLowerCase().endsWith(wanted.slice(1));
  return host.toLowerCase() === wanted;
}

function matchesPath({ kind, text }: IntentFilter['paths'][number], path: string): boolean {
  switch (kind) {
    case 'literal':
      return path === text;
    case 'prefix':
      return path.startsWith(text);
    case 'suffix':
      return path.endsWith(text);
    case 'pattern':
      return matchesPattern(simplePattern(text), path);
    case 'advanced':
      return matchesPattern(advancedPattern(text), path);
  }
}

function matchesPattern(source: string, path: string): boolean {
  try {
    return linearPattern(`^(?:${source})$`).test(path);
  } catch (error) {
    // The pattern is invalid. Android accepts an app with such a pattern, and the filter matches nothing.
    if (error instanceof BadPattern || error instanceof RangeError) return false;
    throw error;
  }
}

/** Translates `android:pathPattern`: `.` is any character, `*` repeats the one before it, a backslash takes the meaning from both. */
function simplePattern(text: string): string {
  return text.replace(/\\([\s\S])|[[\]{}()+?^$|\\]/g, (char, quoted?: string) => `\\${quoted ?? char}`).replace(/\\(?=\w)/g, ''); // prettier-ignore
}

/** Translates `android:pathAdvancedPattern`, which has sets and repetitions too. */
function advancedPattern(text: string): string {
  return text.replace(/[()?^$|]/g, (char, at: number) => (char === '^' && text[at - 1] === '[' ? char : `\\${char}`));
}
