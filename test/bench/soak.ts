import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient } from '@connectrpc/connect';
import { systemClock } from '../../kit/async/clock.js';
import { connectTo } from '../../kit/rpc/transport.js';
import { AdminService } from '../../proto/gen/cloudphone/access/v1/admin_service_pb.js';
import { KeyScope } from '../../proto/gen/cloudphone/access/v1/key_pb.js';
import { type Installation, removeData, startInstallation } from '../installation.js';
import { RestClient } from '../rest-client.js';
import { median, type Report } from './report.js';
import type { SoakSample } from './soak-probe.js';

/** The minutes of the run. The environment sets them: SOAK_MINUTES=60. The slope of a short run is mostly noise of caches that fill. */
const MINUTES = Number(process.env['SOAK_MINUTES'] ?? 15);
const CALLERS = 8;
const SAMPLE_EVERY_MS = 10_000;
/** Left out of the figures: code is compiled and caches are filled. */
const WARM_UP_SHARE = 0.25;
const GROWTH_GOAL_MIB_PER_HOUR = 1;
const DELAY_GOAL_MS = 20;

/** P19: moderate load for a while: the growth of the memory after collections, and the delays of the event loop. */
export async function benchSoak(report: Report): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'cloudphone-soak-'));
  const installation = await startInstallation({
    directory,
    start: fileURLToPath(new URL('../../start.js', import.meta.url)),
    environment: { LOG_LEVEL: 'error' },
    nodeArguments: ['--import', new URL('./soak-probe.js', import.meta.url).href],
  });
  const over = new AbortController();
  try {
    const callers = await Promise.all(
      Array.from({ length: CALLERS }, (_, at) => openCaller(installation, directory, at)),
    );
    const counts = new Map<number, number>();
    const loads = callers.map((caller) => load(caller, counts, over.signal));
    const samples: { atMs: number; sample: SoakSample }[] = [];
    const beganMs = performance.now();
    for (let atMs = 0; atMs < MINUTES * 60_000; atMs = performance.now() - beganMs) {
      await systemClock.sleep(SAMPLE_EVERY_MS);
      samples.push({ atMs: performance.now() - beganMs, sample: await measure(installation) });
    }
    over.abort();
    await Promise.all(loads);
    const counted = samples.slice(Math.floor(samples.length * WARM_UP_SHARE));
    const slope = (of: (sample: SoakSample) => number): number =>
      (slopeOf(counted.map(({ atMs, sample }) => [atMs, of(sample)])) * 3_600_000) / 1024 ** 2;
    const statuses = [...counts].map(([status, count]) => `${count} x ${status}`).join(', ');
    const growth = (what: string, of: (sample: SoakSample) => number): void => {
      const mibPerHour = slope(of);
      const course = inParts(samples.map(({ sample }) => of(sample)))
        .map((part) => (median(part) / 1024 ** 2).toFixed(1))
        .join(', ');
      report({
        what,
        ours: `${mibPerHour.toFixed(1)} MiB/h (medians of each sixth, MiB: ${course})`,
        theirs: '',
        goal: `<= ${GROWTH_GOAL_MIB_PER_HOUR} MiB/h`,
        holds: mibPerHour <= GROWTH_GOAL_MIB_PER_HOUR,
      });
    };
    growth(
      `P19 ${MINUTES} minutes of ${CALLERS} callers (${statuses}): heap after collection`,
      ({ heapBytes }) => heapBytes,
    );
    // Pixels on their way: they vary with the moment of the sample, and do not belong to the heap.
    growth('P19 array buffers after collection', ({ arrayBufferBytes }) => arrayBufferBytes);
    growth('P19 resident memory', ({ rssBytes }) => rssBytes);
    const delay = median(counted.map(({ sample }) => sample.eventLoopP99Ms));
    report({
      what: 'P19 event-loop delay, p99 of ten seconds, median',
      ours: `${delay.toFixed(1)} ms`,
      theirs: '',
      goal: `<= ${DELAY_GOAL_MS} ms`,
      holds: delay <= DELAY_GOAL_MS,
    });
  } finally {
    over.abort();
    await installation.stop();
    await removeData(directory);
  }
}

interface Caller {
  api: RestClient;
  device: string;
}

/** A key of its own and a running phone, as rate limits are for each key. */
async function openCaller(
  { baseUrl, key, grpc, meshToken }: Installation,
  directory: string,
  at: number,
): Promise<Caller> {
  const { email } = JSON.parse(readFileSync(join(directory, 'quickstart.json'), 'utf8')) as { email: string };
  const admin = createClient(
    AdminService,
    connectTo({ url: `http://${grpc.device}`, service: 'the service', meshToken }),
  );
  const made = await admin.createAccountKey({ email, name: `soak-${at}`, scope: KeyScope.CONTROL, devices: ['*'] });
  const url = baseUrl.replace(/\/v1$/, '');
  const api = new RestClient(url, made.key?.key);
  const device = await new RestClient(url, key).createPhone({ name: `soak-${at}` });
  return { api, device };
}

/** 36 readings, 15 screenshots and 7 acts a minute, evenly spread: just under the limit of a key. */
async function load({ api, device }: Caller, counts: Map<number, number>, over: AbortSignal): Promise<void> {
  const path = `/v1/devices/${device}`;
  for (let turn = 0; !over.aborted; turn++) {
    const pause = systemClock.sleep(EVERY_MS);
    const kind = turn % 58;
    const response =
      kind % 8 === 0 && kind < 56
        ? await api.post(`${path}/act`, { tap: { x: 100 + kind, y: 400 }, timeout_ms: 3_000 })
        : kind % 4 === 1
          ? await api.get(`${path}/screenshot?format=${turn % 2 === 0 ? 'png' : 'jpeg'}`)
          : await api.get(
              [path, '/v1/devices', `/v1/jobs`, '/v1/usage', `${path}/observe`, `${path}/logs?lines=50`][turn % 6] ??
                path,
            );
    counts.set(response.status, (counts.get(response.status) ?? 0) + 1);
    await pause;
  }
}

const EVERY_MS = 1_035;

function measure({ process: child }: Installation): Promise<SoakSample> {
  return new Promise((resolve, reject) => {
    const onExit = (): void => reject(new Error('the service has ended'));
    child.once('exit', onExit);
    child.once('message', (sample) => {
      child.off('exit', onExit);
      resolve(sample as SoakSample);
    });
    child.send('measure');
  });
}

/** Returns six parts of the same length, in order. They show whether a curve levels off, which its slope does not. */
function inParts(values: readonly number[]): number[][] {
  return Array.from({ length: 6 }, (_, at) =>
    values.slice(Math.floor((at * values.length) / 6), Math.floor(((at + 1) * values.length) / 6)),
  );
}

/** Slope of the line through the points with the least squares. */
function slopeOf(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (of: (point: readonly [number, number]) => number): number =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const meanX = mean(([x]) => x);
  const meanY = mean(([, y]) => y);
  return mean(([x, y]) => (x - meanX) * (y - meanY)) / mean(([x]) => (x - meanX) ** 2);
}
