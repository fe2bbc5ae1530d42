import type { PhoneContact } from './contact.js';
import { shellQuote } from '../link/shell-quote.js';
import type { Found } from './slot-records.js';

/** The folders of a customer's files on a phone: those that the shell user can write to. */
const FOLDERS = ['/sdcard/', '/data/local/tmp/'];

/** A phone with more files is refused, as each file is noted. It needs `clean: factory`, or fewer files. */
const MAX_FILES = 50_000;
const MAX_LIST_BYTES = 8 * 1024 * 1024;
const LIST_MS = 60_000;
const REMOVE_MS = 120_000;
/** A command line of a phone holds 128 KiB. */
const MAX_COMMAND_BYTES = 64 * 1024;

/** A phone could not be cleaned. `message` is for the operator. */
export class CleaningFailure extends Error {
  override name = 'CleaningFailure';
}

type Shell = Pick<PhoneContact, 'shell'>;

/**
 * Returns the apps and files of the phone, so that those that come later can be removed. Throws CleaningFailure when they cannot be listed,
 * or when there are too many files.
 */
export async function findContent(phone: Shell, signal?: AbortSignal): Promise<Found> {
  const options = { timeoutMs: LIST_MS, maxBytes: MAX_LIST_BYTES, signal };
  const packages = await phone.shell('pm list packages -3', { ...options, doing: 'list its apps' });
  if (packages.exitCode !== undefined && packages.exitCode !== 0)
    throw new CleaningFailure('its apps could not be listed');
  // `find` reports folders that the shell user may not read on standard error. A customer cannot have files in them.
  const script = `find ${FOLDERS.join(' ')} -print0`;
  const paths = (await phone.shell(script, { ...options, doing: 'list its files' })).stdout
    .toString('utf8')
    .split('\0');
  // If a storage were not mounted yet, all its files would later count as new, and be removed.
  const absent = FOLDERS.filter((folder) => !paths.includes(folder));
  if (absent.length > 0) throw new CleaningFailure(`${absent.join(' and ')} cannot be listed`);
  const files = paths.filter((path) => path !== '' && !FOLDERS.includes(path));
  if (files.length > MAX_FILES) {
    throw new CleaningFailure(`it holds more than ${MAX_FILES} files: remove some, or use clean: factory`);
  }
  const names = packages.stdout.toString().split('\n').filter((line) => line.startsWith('package:')); // prettier-ignore
  return { packages: names.map((line) => line.slice('package:'.length).trim()), files };
}

/**
 * Removes the apps and files that came since `found`. May be repeated: the content is read again each time. Throws CleaningFailure when
 * something is left. Some changes stay: settings, accounts, data of apps that were there before, and changes of files that were there.
 */
export async function removeNewContent(phone: Shell, found: Found, signal?: AbortSignal): Promise<void> {
  const now = await findContent(phone, signal);
  const options = { timeoutMs: REMOVE_MS, maxBytes: 64 * 1024, signal };
  for (const name of newOnes(now.packages, found.packages))
    await phone.shell(`pm uninstall ${shellQuote(name)}`, { ...options, doing: 'uninstall an app' });
  for (const command of removals(topMost(newOnes(now.files, found.files))))
    await phone.shell(command, { ...options, doing: 'remove files' });
  const left = await findContent(phone, signal);
  const packages = newOnes(left.packages, found.packages);
  const files = topMost(newOnes(left.files, found.files));
  if (packages.length + files.length > 0) {
    const names = [...packages, ...files].slice(0, 5).join(', ');
    throw new CleaningFailure(`${packages.length} apps and ${files.length} files cannot be removed: ${names}`);
  }
}

function newOnes(now: readonly string[], before: readonly string[]): string[] {
  const known = new Set(before);
  return now.filter((name) => !known.has(name));
}

/** Returns the paths without those whose folder is among them: they are removed with that folder. */
function topMost(paths: readonly string[]): string[] {
  const all = new Set(paths);
  return paths.filter((path) => !all.has(path.slice(0, path.lastIndexOf('/'))));
}

function removals(paths: readonly string[]): string[] {
  const commands: string[] = [];
  let command = '';
  for (const path of paths) {
    const word = ` ${shellQuote(path)}`;
    if (command !== '' && Buffer.byteLength(command) + Buffer.byteLength(word) > MAX_COMMAND_BYTES) {
      commands.push(command);
      command = '';
    }
    command = command === '' ? `rm -rf --${word}` : command + word;
  }
  return command === '' ? commands : [...commands, command];
}
