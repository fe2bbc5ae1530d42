import type { Output } from '../output.js';
import type { BackedUp } from './back-up.js';
import type { BackupFile, LeftOut } from './backup-file.js';
import type { Restored } from './restore-backup.js';

const NOT_ONE_MOMENT =
  'The server is no replica set: each collection is of a moment of its own. Stop the services for a backup of one moment.';

/** Returns what `backup` prints. It fails where something that was chosen could not be saved, so that a script notices. */
export function backupOutput({ folder, file, failed }: BackedUp): Output {
  const trees = Object.keys(file.trees);
  const left = file.left_out.map((one) => `  ${lineOf(one)}\n`).join('');
  const text = `backed up to ${folder}: the database and ${countsOf(trees)}\n`;
  const split = file.mongodb?.one_moment === false ? `${NOT_ONE_MOMENT}\n` : '';
  const leftText = left === '' ? '' : `not in it:\n${left}`;
  const faults = failed.map(lineOf).join('; ');
  const failure = `The backup ${folder} lacks what was to be in it: ${faults}. The rest is there, and can be restored.`;
  return {
    json: JSON.stringify({ backup: folder, trees: trees.length, left_out: file.left_out }),
    text: text + split + leftText,
    ...(failed.length > 0 && { failure }),
  };
}

/** Returns what `restore` prints, with what has to be done before the service starts. */
export function restoredOutput(dataDirectory: string, { file, kept }: Restored, isForData = false): Output {
  const restored = Object.keys(file.trees).filter((path) => !kept.includes(path));
  const lines = [
    `restored to ${dataDirectory}: ${isForData ? 'no database,' : `the database of ${file.made_at} and`} ${countsOf(restored)}`,
    ...(kept.length === 0 ? [] : [`${countsOf(kept)} were there already, and stay as they are`]),
    ...linesOf('not in the backup:', file.left_out.map(lineOf)),
    ...linesOf('settings that the service had:', file.settings),
    ...linesOf('images of its phones, which are pulled at their next start:', file.images.map(imageOf)),
  ];
  const json = { restored: dataDirectory, trees: restored.length, kept: kept.length, left_out: file.left_out };
  return {
    json: JSON.stringify({ ...json, settings: file.settings, images: file.images }),
    text: lines.map((line) => `${line}\n`).join(''),
  };
}

/** Returns what `backup verify` prints. `unnoted` is why the service does not learn of it. */
export function verifiedOutput(folder: string, file: BackupFile, unnoted: string | undefined): Output {
  const trees = Object.keys(file.trees);
  const facts = { verified: folder, made_at: file.made_at, trees: trees.length, noted: unnoted === undefined };
  const note = unnoted === undefined ? '' : `Its age is not reported by a service here: ${unnoted}.\n`;
  return {
    json: JSON.stringify(facts),
    text: `${folder} is whole: the database and ${countsOf(trees)}\n${note}`,
  };
}

/** Returns the numbers of phones and snapshots among paths of trees. */
export function countsOf(trees: readonly string[]): string {
  const phones = trees.filter((path) => path.includes('/phones/')).length;
  return `${phones} phones, ${trees.length - phones} snapshots`;
}

function lineOf({ id, device, reason }: LeftOut): string {
  return `${device ?? id}: ${reason}`;
}

function imageOf({ digest, source }: BackupFile['images'][number]): string {
  return source ?? `${digest} (its registry is not known)`;
}

function linesOf(head: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [head, ...lines.map((line) => `  ${line}`)];
}
