import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@connectrpc/connect';
import { systemClock } from '../../kit/async/clock.js';
import { silentLog } from '../../kit/log/log.js';
import { ExitType, Plan } from '../../proto/gen/cloudphone/device/v1/device_pb.js';
import { JobState } from '../../proto/gen/cloudphone/device/v1/job_pb.js';
import { SnapshotService } from '../../proto/gen/cloudphone/device/v1/snapshot_service_pb.js';
import { TemplateService } from '../../proto/gen/cloudphone/device/v1/template_service_pb.js';
import { openSimulatedDriver } from '../../simulated-phone/open-driver.js';
import { undoLater } from './interrupt.js';
import { startLoneDeviceService } from './lone-device-service.js';
import { inTurn, type Report } from './report.js';

const FILES = 100;
const FILE_BYTES = 1_000_000;
const PAIRS = 9;

/**
 * Measures a device that is made from a template, from the request until it runs, against a clone of the snapshot that the template was made
 * of. Both have 100 MB of files.
 */
export async function benchTemplates(report: Report): Promise<void> {
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
  const templates = createClient(TemplateService, service.transport);
  await service.create('phone', { start: true });
  const [phoneId = ''] = await readdir(join(directory, 'phones'));
  const folder = join(directory, 'phones', phoneId, 'state/files/storage/emulated/0/bench');
  await mkdir(folder);
  for (let at = 0; at < FILES; at++) await writeFile(join(folder, String(at)), randomBytes(FILE_BYTES));

  const ended = async (id: string | undefined): Promise<void> => {
    const job = await service.finished(id);
    if (job?.state !== JobState.DONE) throw new Error(`the job failed: ${job?.error?.message ?? ''}`);
  };
  const taken = await snapshots.createSnapshot({ name: 'phone' }, service.call);
  await ended(taken.job?.id);
  const id = taken.snapshot?.id ?? '';
  await ended((await templates.createTemplate({ snapshot: id, name: 'golden' }, service.call)).job?.id);

  /** Returns how long the making of a device took, which is deleted afterwards, ms. */
  const timed = async (
    make: () => Promise<{ job?: { id: string } | undefined; device?: { name: string } | undefined }>,
  ) => {
    const sinceMs = systemClock.monotonicMs();
    const { job, device } = await make();
    await ended(job?.id);
    const ms = systemClock.monotonicMs() - sinceMs;
    await ended((await service.devices.deleteDevice({ name: device?.name ?? '' }, service.call)).job?.id);
    return ms;
  };
  const network = { type: ExitType.DIRECT, country: 'us' };
  const { ours, theirs, ratio } = await inTurn(
    () => timed(() => service.devices.createDevice({ template: 'golden', network, plan: Plan.MINUTE }, service.call)),
    () => timed(() => snapshots.cloneSnapshot({ device: 'phone', id, network, plan: Plan.MINUTE }, service.call)),
    PAIRS,
  );
  report({
    what: 'P38: a device from a template on the same host, from the request until it runs; against a clone of a snapshot',
    ours: `${ours.toFixed(0)} ms`,
    theirs: `${theirs.toFixed(0)} ms`,
    ratio,
    goal: '<= 1.1',
    holds: ratio.median <= 1.1,
  });
}
