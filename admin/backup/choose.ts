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
}

/** States in which nothing writes to a phone, where no job is at work on it either. */
const OFF = new Set(['stopped', 'failed']);

/**
 * Chooses by the copy of the database, so that all choices are of its moment. Folders that belong to no device, and to no snapshot that is
 * ready, are being made or removed.
 */
export function choose(content: DatabaseContent, found: DataFolder, phones: 'stopped' | 'all'): Choice[] {
  const choices: Choice[] = [];
  for (const path of found.phones) {
    const device = content.devices.get(basename(path));
    if (device === undefined || device.gone === true) continue;
    const isOff = OFF.has(device.state ?? '') && device.job === undefined;
    const isHeld = !isOff && phones === 'all' && device.state === 'running';
    const reason = isOff || isHeld ? '' : device.state === 'running' ? 'it is on' : 'a job is at work on it';
    choices.push({ path, isHeld, left: leftOut(device, reason) });
  }
  for (const path of found.snapshots) {
    if (content.snapshots.get(basename(path))?.state !== 'ready') continue;
    choices.push({ path, isHeld: false, left: { id: basename(path), reason: '' } });
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
    // An attached phone has its data itself, and those of a cluster are listed below.
    .filter(({ driver }) => driver !== 'attached' && driver !== 'kubernetes')
    .filter(({ _id, made, gone }) => made === true && gone !== true && !named.has(_id))
    .map((device) => leftOut(device, reason));
  const onVolumes = [...content.devices.values()]
    .filter(({ driver, gone }) => driver === 'kubernetes' && gone !== true)
    .map((device) => leftOut(device, 'its data is on a volume of the cluster; only its description is saved'));
  const snapshots = [...content.snapshots.values()]
    .filter(({ _id, state }) => state === 'ready' && !named.has(_id))
    .map(({ _id }) => ({ id: _id, reason }));
  return [...devices, ...onVolumes, ...snapshots];
}

type BackUpPhones = 'stopped' | 'all' | 'none';

function leftOut({ _id, name }: BackedUpDevice, reason: string): LeftOut {
  return { id: _id, ...(name !== undefined && { device: name }), reason };
}
