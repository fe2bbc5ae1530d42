import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient } from '@connectrpc/connect';
import { systemClock } from '../../kit/clock.js';
import { connectTo } from '../../kit/rpc/transport.js';
import { AdminService } from '../../proto/gen/cloudphone/access/v1/admin_service_pb.js';
import { KeyScope } from '../../proto/gen/cloudphone/access/v1/key_pb.js';
import { type Installation, removeData, startInstallation } from '../installation.js';
import { RestClient } from '../rest-client.js';
import { median, type Report } from './report.js';
import type { SoakSample } from './soak-probe.js';

/** By the environment: SOAK_MINUTES=60. The slope of a short run is mostly noise of caches that fill. */
const MINUTES = Number(process.env['SOAK_MINUTES'] ?? 15);
const CALLERS = 8;
const SAMPLE_EVERY_MS = 10_000;
/** Not looked at: code is compiled and caches are filled. */
const WARM_UP_SHARE = 0.25;
const HEAP_GOAL_MIB_PER_HOUR = 1;
const DELAY_GOAL_MS = 20;

/** P19: moderate load for a while: what the heap grows by after collections, and the delays of the event loop. */
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
    const heap = slope(({ heapBytes, arrayBufferBytes }) => heapBytes + arrayBufferBytes);
    const statuses = [...counts].map(([status, count]) => `${count} x ${status}`).join(', ');
    const { sample: last } = counted.at(-1) ?? { sample: await measure(installation) };
    report({
      what: `P19 ${MINUTES} minutes of ${CALLERS} callers (${statuses}): heap after collection`,
      ours: `${heap.toFixed(1)} MiB/h (${(last.heapBytes / 1024 ** 2).toFixed(1)} MiB at the end; RSS ${slope(({ rssBytes }) => rssBytes).toFixed(1)} MiB/h)`,
      theirs: '',
      goal: `<= ${HEAP_GOAL_MIB_PER_HOUR} MiB/h`,
      holds: heap <= HEAP_GOAL_MIB_PER_HOUR,
    });
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
async function openCaller({ baseUrl, key, grpc }: Installation, directory: string, at: number): Promise<Caller> {
  const { email } = JSON.parse(readFileSync(join(directory, 'quickstart.json'), 'utf8')) as { email: string };
  const admin = createClient(
    AdminService,
    connectTo({ url: `http://${grpc.device}`, service: 'the service', meshToken: undefined }),
  );
  const made = await admin.createAccountKey({ email, name: `soak-${at}`, scope: KeyScope.CONTROL, devices: ['*'] });
  const url = baseUrl.replace(/\/v1$/, '');
  const api = new RestClient(url, made.key?.key);
  const device = await new RestClient(url, key).createPhone({ name: `soak-${at}` });
  return { api, device };
}

/** 36 readings, 15 screenshots and 7 acts a minute, evenly spread: just under what a key may send. */
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

/** Slope of the line through the points with the least squares. */
function slopeOf(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (of: (point: readonly [number, number]) => number): number =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const meanX = mean(([x]) => x);
  const meanY = mean(([, y]) => y);
  return mean(([x, y]) => (x - meanX) * (y - meanY)) / mean(([x]) => (x - meanX) ** 2);
}
