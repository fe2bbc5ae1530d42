import { dirname, join } from 'node:path';
import { stat } from 'node:fs/promises';
import { type FreeSpace } from '../../kit/files/host-space.js';
import { FOLDER_ID_FILE } from '../../kit/files/host-id.js';
import { DamagedNote, MAX_BACKUP_AGE_S, notedMs, VERIFIED_BACKUP_FILE } from '../../kit/files/verified-backup.js';
import type { WatchedCertificate } from '../../kit/ops/certificate-metrics.js';
import { endOf } from '../../kit/ops/certificate-metrics.js';
import { assertPortsFree, type WantedPort } from '../taken-ports.js';
import { type Finding, fail, type Machine, ok, skipped, warn } from './finding.js';

const MIB = 1024 * 1024;
/** Free disk below which the embedded database stops, and below which it soon will, bytes. */
const MIN_DISK_BYTES = 64 * MIB;
const LOW_DISK_BYTES = 2_000 * MIB;
/** How many days before its end a certificate is complained about. */
const LOW_DAYS = 14;
/** How far two clocks may be apart, ms: leases of hosts are 30 s. */
const MAX_SKEW_MS = 5_000;

/** Checks the file system of a folder, which may not exist yet. */
export async function checkDisk(folder: string, measure: (folder: string) => Promise<FreeSpace>): Promise<Finding> {
  let there = folder;
  while (!(await stat(there).catch(() => undefined))?.isDirectory() && dirname(there) !== there) there = dirname(there);
  const { freeBytes, freeEntries } = await measure(there);
  const found = `${Math.floor(freeBytes / MIB)} MiB are free at ${there}`;
  const next =
    'Delete snapshots or unused images, enlarge the file system, or set DATA_DIR to a folder on another one.';
  if (freeBytes < MIN_DISK_BYTES || freeEntries === 0) return fail('disk', found, next);
  return freeBytes < LOW_DISK_BYTES ? warn('disk', found, next) : ok('disk', found);
}

/** Checks when certificates end. */
export async function checkCertificates(
  certificates: readonly WatchedCertificate[],
  nowMs: number,
): Promise<Finding[]> {
  if (certificates.length === 0) return [skipped('certificates', 'none are set: no TLS_CERT and no GRPC_TLS_CERT')];
  return Promise.all(
    certificates.map(async ({ setting, read }) => {
      const check = `certificate ${setting}`;
      const endMs = await endOf(read);
      if (endMs === undefined) return fail(check, 'it cannot be read', `Set ${setting} to a PEM file of this user.`);
      const days = Math.floor((endMs - nowMs) / 86_400_000);
      const found = `it ends on ${new Date(endMs).toISOString().slice(0, 10)}, in ${days} days`;
      if (endMs <= nowMs) return fail(check, `it ended on ${new Date(endMs).toISOString().slice(0, 10)}`, 'Renew it.');
      return days < LOW_DAYS ? warn(check, found, 'Renew it.') : ok(check, found);
    }),
  );
}

/** Checks that nobody else has the ports of the service. Where the service itself runs, it has them. */
export async function checkPorts(ports: readonly WantedPort[], isRunning: boolean): Promise<Finding> {
  if (isRunning) return ok('ports', 'the service runs and has them');
  try {
    await assertPortsFree(ports);
    return ok('ports', 'they are free');
  } catch (error) {
    const found = (error instanceof Error ? error.message : String(error)).replaceAll('\n', ' ');
    return fail('ports', found, 'End that program, or set other ports.');
  }
}

/** Checks the clock against that of the database, and whether this machine keeps it right. */
export async function checkClock(databaseMs: number | undefined, machine: Machine): Promise<Finding[]> {
  const findings: Finding[] = [];
  if (databaseMs !== undefined) {
    const skewMs = Math.abs(machine.now() - databaseMs);
    const found = `it differs from the clock of the database by ${(skewMs / 1_000).toFixed(1)} s`;
    const next = 'Let both machines follow a time server (chrony or systemd-timesyncd).';
    findings.push(skewMs > MAX_SKEW_MS ? fail('clock', found, next) : ok('clock', found));
  }
  const kept = (await machine.run('timedatectl', ['show', '--property=NTPSynchronized', '--value']))?.trim();
  if (kept === 'yes') findings.push(ok('clock', 'it follows a time server'));
  else if (kept === 'no')
    findings.push(warn('clock', 'it follows no time server', 'Run: timedatectl set-ntp true (or install chrony).'));
  else findings.push(skipped('clock', 'timedatectl does not say whether it follows a time server'));
  return findings;
}

/** Checks the age of the newest backup of the data folder that was verified. */
export async function checkBackup(dataDirectory: string, machine: Machine): Promise<Finding> {
  const next = 'Give `admin backup` and `admin backup verify` every night: docs/backup.md.';
  const note = await machine.readText(join(dataDirectory, VERIFIED_BACKUP_FILE));
  if (note === undefined) {
    const isNew = (await machine.readText(join(dataDirectory, FOLDER_ID_FILE))) === undefined;
    if (isNew) return skipped('backup', `nothing is in ${dataDirectory} yet that this user can read`);
    return warn('backup', 'none was ever verified', next);
  }
  try {
    const ageS = Math.max(0, machine.now() - notedMs(note)) / 1_000;
    const found = `the newest verified one was made ${Math.floor(ageS / 3_600)} hours ago`;
    return ageS > MAX_BACKUP_AGE_S ? warn('backup', found, next) : ok('backup', found);
  } catch (error) {
    if (!(error instanceof DamagedNote)) throw error;
    return warn('backup', error.message, next);
  }
}
