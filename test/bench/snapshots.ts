import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { cp, lstat, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@connectrpc/connect';
import { systemClock } from '../../kit/async/clock.js';
import { silentLog } from '../../kit/log/log.js';
import { openSimulatedDriver } from '../../simulated-phone/open-driver.js';
import { JobState } from '../../proto/gen/cloudphone/device/v1/job_pb.js';
import { SnapshotService } from '../../proto/gen/cloudphone/device/v1/snapshot_service_pb.js';
import { undoLater } from './interrupt.js';
import { startLoneDeviceService } from './lone-device-service.js';
import { inTurn, median, type Report } from './report.js';

const FILES = 100;
const FILE_BYTES = 1_000_000;
const DATA_BYTES = FILES * FILE_BYTES;

/**
 * Measures the time and the disk of a snapshot and a clone of a phone with 100 MB of files, against a copy of the files.
 */
export async function benchSnapshots(report: Report): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'cloudphone-bench-'));
  undoLater(() => rmSync(directory, { recursive: true, force: true }));
  const driver = await openSimulatedDriver({
    directory,
    environment: { PATH: process.env['PATH'], SIMULATED_PROCESSES: '1' },
    phonesOutliveDriver: false,
    clock: systemClock,
    log: silentLog,
  });
  undoLater(() => driver.close());
  const service = await startLoneDeviceService(driver);
  const snapshots = createClient(SnapshotService, service.transport);
  await service.create('phone', { start: true });
  const [phoneId = ''] = await readdir(join(directory, 'phones'));
  const folder = join(directory, 'phones', phoneId, 'state/files/storage/emulated/0/bench');
  await mkdir(folder);
  for (let at = 0; at < FILES; at++) await writeFile(join(folder, String(at)), randomBytes(FILE_BYTES));

  const ended = async (id: string | undefined): Promise<void> => {
    const job = await service.finished(id);
    if (job?.state !== JobState.DONE) throw new Error(`the job failed: ${job?.error?.message ?? ''}`);
  };
  const take = async (): Promise<string> => {
    const { job, snapshot } = await snapshots.createSnapshot({ name: 'phone' }, service.call);
    await ended(job?.id);
    return snapshot?.id ?? '';
  };
  /** Returns the duration of the work, and how many more bytes the disk holds after it. */
  const measured = async (work: () => Promise<unknown>): Promise<{ ms: number; bytes: number }> => {
    const before = await diskUsed(directory);
    const sinceMs = systemClock.monotonicMs();
    await work();
    const ms = systemClock.monotonicMs() - sinceMs;
    return { ms, bytes: (await diskUsed(directory)) - before };
  };
  const cost = ({ ms, bytes }: { ms: number; bytes: number }): string =>
    `${ms.toFixed(0)} ms, ${(bytes / 1e6).toFixed(2)} MB on disk`;

  const first = await measured(take);
  report({
    what: 'first snapshot of a running phone with 100 MB',
    ours: cost(first),
    theirs: '',
    goal: '<= 0.1 x of the data on disk',
    holds: first.bytes <= 0.1 * DATA_BYTES,
  });
  await rm(join(folder, '0'));
  await writeFile(join(folder, '0'), randomBytes(FILE_BYTES));
  let id = '';
  const second = await measured(async () => (id = await take()));
  report({
    what: 'second snapshot, 1 MB of it new',
    ours: cost(second),
    theirs: '',
    goal: 'what changed, <= 0.1 x of the data on disk',
    holds: second.bytes <= 0.1 * DATA_BYTES,
  });

  const clones: { ms: number; bytes: number }[] = [];
  const { ours, theirs, ratio } = await inTurn(
    async () => {
      const one = await measured(async () => {
        const { job } = await snapshots.cloneSnapshot({ device: 'phone', id, start: false }, service.call);
        await ended(job?.id);
      });
      clones.push(one);
      return one.ms;
    },
    async () => {
      const copy = join(directory, 'copy');
      const { ms } = await measured(() => cp(folder, copy, { recursive: true }));
      await rm(copy, { recursive: true });
      return ms;
    },
  );
  const bytes = median(clones.map((one) => one.bytes));
  report({
    what: 'clone of it, checked, from the request to the end of the job; against a copy of the files',
    ours: cost({ ms: ours, bytes }),
    theirs: `${theirs.toFixed(0)} ms, ${DATA_BYTES / 1e6} MB`,
    ratio,
    goal: '<= 1 s, <= 0.1 x of the data on disk',
    holds: ours <= 1_000 && bytes <= 0.1 * DATA_BYTES,
  });
  const restored = await measured(async () => {
    await ended((await snapshots.restoreSnapshot({ name: 'phone', id }, service.call)).job?.id);
  });
  report({
    what: 'restore of it, checked, booted (800 ms) and verified',
    ours: cost(restored),
    theirs: '',
    goal: '<= 5 s',
    holds: restored.ms <= 5_000,
  });
}

/** Bytes of the files below a folder, each counted once however many names it has, and of the folders. */
async function diskUsed(directory: string): Promise<number> {
  const sizes = new Map<number, number>();
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    const stat = await lstat(join(entry.parentPath, entry.name)).catch(() => undefined); // it went meanwhile
    if (stat !== undefined) sizes.set(stat.ino, stat.blocks * 512);
  }
  return [...sizes.values()].reduce((sum, size) => sum + size, 0);
}
