import { basename } from 'node:path';
import type { BackedUpDevice, DatabaseContent } from './backed-up-database.js';
import type { BackupFile, LeftOut } from './backup-file.js';
import type { DataFolder } from './data-folder.js';

/** A phone or a snapshot of the data folder, and what a backup does with it. */
export interface Choice {
  path: string;
  /** Its id and name. An empty reason: it is saved. */
  left: LeftOut;
  /** The phone is on, and has to be held while it is copied. */
  isHeld: boolean;
  /** Only the description of the phone is saved, as its data is on a volume of a cluster. */
  isDescription: boolean;
}

/** States in which nothing writes to a phone, where no job is at work on it either. */
const OFF = new Set(['stopped', 'failed']);

/**
 * Chooses by the copy of the database, so that all choices are of its moment. Folders that belong to no device, and to no snapshot that is
 * ready, are being made or removed.
 *
 * The description of a phone on a volume is always saved, on or off. A phone without it is of no use after a restore, although its volume is
 * there. The description is a file that is replaced whole, so nothing has to be held.
 */
export function choose(content: DatabaseContent, found: DataFolder, phones: BackUpPhones): Choice[] {
  const choices: Choice[] = [];
  for (const path of found.phones) {
    const device = content.devices.get(basename(path));
    if (device === undefined || device.gone === true) continue;
    if (isOnVolume(device)) {
      choices.push({ path, isHeld: false, isDescription: true, left: leftOut(device, '') });
      continue;
    }
    if (phones === 'none') continue;
    const isOff = OFF.has(device.state ?? '') && device.job === undefined;
    const isHeld = !isOff && phones === 'all' && device.state === 'running';
    const reason = isOff || isHeld ? '' : device.state === 'running' ? 'it is on' : 'a job is at work on it';
    choices.push({ path, isHeld, isDescription: false, left: leftOut(device, reason) });
  }
  if (phones === 'none') return choices;
  for (const path of found.snapshots) {
    if (content.snapshots.get(basename(path))?.state !== 'ready') continue;
    choices.push({ path, isHeld: false, isDescription: false, left: { id: basename(path), reason: '' } });
  }
  return choices;
}

/** Lists what the database has, and the backup neither has nor names yet. */
export function missing(content: DatabaseContent, file: BackupFile, phones: BackUpPhones): LeftOut[] {
  const named = new Set([
    ...Object.keys(file.trees).map((path) => basename(path)),
    ...file.left_out.map(({ id }) => id),
  ]);
  const reason = phones === 'none' ? 'phones were not chosen' : 'its files are not on this host';
  const devices = [...content.devices.values()]
    // An attached phone has its data itself.
    .filter(({ driver }) => driver !== 'attached')
    .filter(({ _id, made, gone }) => made === true && gone !== true && !named.has(_id))
    .map((device) => leftOut(device, isOnVolume(device) ? 'its files are not on this host' : reason));
  const saved = new Set(Object.keys(file.trees).map((path) => basename(path)));
  const onVolumes = [...content.devices.values()]
    .filter((device) => isOnVolume(device) && saved.has(device._id))
    .map((device) => leftOut(device, 'its data is on a volume of the cluster; only its description is saved'));
  const snapshots = [...content.snapshots.values()]
    .filter(({ _id, state }) => state === 'ready' && !named.has(_id))
    .map(({ _id }) => ({ id: _id, reason }));
  return [...devices, ...onVolumes, ...snapshots];
}

type BackUpPhones = 'stopped' | 'all' | 'none';

function isOnVolume({ driver }: BackedUpDevice): boolean {
  return driver === 'kubernetes';
}

function leftOut({ _id, name }: BackedUpDevice, reason: string): LeftOut {
  return { id: _id, ...(name !== undefined && { device: name }), reason };
}
