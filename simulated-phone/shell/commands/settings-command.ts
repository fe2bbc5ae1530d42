import { SETTINGS_NAMESPACES, type SettingsStore, TooManySettings } from '../../settings/settings-store.js';
import type { SettingsNamespace } from '../../system/system.js';
import { CommandFailure, type Command, print } from '../command.js';

export const settings: Command = async (call) => {
  const words = call.args.filter(
    (word, at) => word !== '--user' && call.args[at - 1] !== '--user' && word !== '--lineage',
  );
  const [verb = '', namespaceWord = '', key, value] = words;
  const store = call.machine.settings;
  if (!['get', 'put', 'delete', 'list', 'reset'].includes(verb)) throw new CommandFailure(`Invalid command: ${verb}`, { bare: true, status: 255 }); // prettier-ignore
  const namespace = asNamespace(namespaceWord);
  if (verb === 'list') {
    return print(call.stdout, store.entries(namespace).map(([name, text]) => `${name}=${text}\n`).join('')); // prettier-ignore
  }
  if (verb === 'reset') return 0;
  if (key === undefined) throw new CommandFailure('Bad arguments', { bare: true, status: 255 });
  if (verb === 'get') await call.stdout.write(`${store.get(namespace, key) ?? 'null'}\n`);
  else if (verb === 'delete') await call.stdout.write(`Deleted ${store.delete(namespace, key) ? 1 : 0} rows\n`);
  else {
    if (value === undefined) throw new CommandFailure('Bad arguments', { bare: true, status: 255 });
    put(store, namespace, key, value);
  }
  return 0;
};

function put(store: SettingsStore, namespace: SettingsNamespace, key: string, value: string): void {
  try {
    store.put(namespace, key, value);
  } catch (error) {
    if (!(error instanceof TooManySettings)) throw error;
    throw new CommandFailure(TOO_MANY, { bare: true, status: 255 });
  }
}

const TOO_MANY =
  'Exception occurred while executing:\njava.lang.IllegalStateException: You are adding too many system settings. ' +
  'You should stop using system settings for app specific data package: com.android.shell';

function asNamespace(word: string): SettingsNamespace {
  const found = SETTINGS_NAMESPACES.find((namespace) => namespace === word);
  if (!found) throw new CommandFailure(`Invalid namespace '${word}'`, { bare: true, status: 255 });
  return found;
}

/** `content insert|query|delete|update` on `content://settings/...`, which some clients use in place of `settings`. */
export const content: Command = async (call) => {
  const [verb = '', ...words] = call.args;
  const option = (name: string): string | undefined => {
    const at = words.indexOf(name);
    return at < 0 ? undefined : words[at + 1];
  };
  const uri = option('--uri') ?? '';
  const match = /^content:\/\/settings\/(\w+)(?:\/(\w+))?$/.exec(uri);
  if (!match) {
    if (verb === 'query') {
      return print(call.stdout, 'No result found.\n');
    }
    throw new CommandFailure(`Error while accessing provider:${/^content:\/\/([^/]*)/.exec(uri)?.[1] ?? ''}\njava.lang.IllegalStateException: Could not find provider: ${uri}`, { bare: true, status: 255 }); // prettier-ignore
  }
  const namespace = asNamespace(match[1] ?? '');
  const binds = new Map<string, string>();
  words.forEach((word, at) => {
    const bind = word === '--bind' ? /^([^:]*):\w:([\s\S]*)$/.exec(words[at + 1] ?? '') : null;
    if (bind) binds.set(bind[1] ?? '', bind[2] ?? '');
  });
  const key = match[2] ?? binds.get('name') ?? /name\s*=\s*['"]?(\w+)/.exec(option('--where') ?? '')?.[1];
  const store = call.machine.settings;
  if (verb === 'query') {
    const rows = store.entries(namespace).filter(([name]) => key === undefined || name === key);
    if (rows.length === 0) await call.stdout.write('No result found.\n');
    for (const [row, [name, value]] of rows.entries()) await call.stdout.write(`Row: ${row} _id=${row + 1}, name=${name}, value=${value}\n`); // prettier-ignore
  } else if (key !== undefined && (verb === 'insert' || verb === 'update'))
    put(store, namespace, key, binds.get('value') ?? ''); // prettier-ignore
  else if (key !== undefined && verb === 'delete') store.delete(namespace, key);
  return 0;
};
