import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedMongo } from '../../embedded-mongo/embedded-mongo.js';
import { silentLog } from '../../kit/log/log.js';
import { connectMongo } from '../../kit/db/mongo.js';
import { until } from '../../testing/until.js';
import { DatabaseProxy } from '../faults/database-proxy.js';
import { startWorld, type World } from '../world.js';
import { undoLater } from './interrupt.js';
import { quantile, type Report } from './report.js';

const ROUNDS = 5;
/** For how long the database is away, ms: longer than a request waits for it. */
const AWAY_MS = 6_000;
const PATHS = ['/v1/devices', '/v1/jobs', '/v1/models', '/v1/devices/one/screenshot', '/v1/devices/one/observe'];

/** The ways in which a database fails while the services go on. */
const failures: [what: string, begin: (proxy: DatabaseProxy) => unknown, end: (proxy: DatabaseProxy) => unknown][] = [
  ['is away', (proxy) => proxy.goAway(), (proxy) => proxy.comeBack()],
  ['replies to nothing', (proxy) => proxy.freeze(), (proxy) => proxy.thaw()],
];

/** Measures how long callers wait for a 503 while the database fails, and how long until all is well after its return. */
export async function benchOutage(report: Report): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'cloudphone-outage-'));
  undoLater(() => rmSync(directory, { recursive: true, force: true }));
  const server = await startEmbeddedMongo({ directory, log: silentLog });
  undoLater(() => server.close());
  const proxy = await DatabaseProxy.open(server.url);
  undoLater(() => proxy.close());
  const world = await startWorld({
    openDatabase: () => connectMongo({ url: proxy.url, database: 'outage', log: silentLog }),
  });
  undoLater(() => world.close());
  await world.api.createPhone({ name: 'one' });

  for (const [what, begin, end] of failures) {
    const refusedMs: number[] = [];
    const wellMs: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      await begin(proxy);
      const beganMs = performance.now();
      while (performance.now() - beganMs < AWAY_MS) refusedMs.push(...(await refusals(world)));
      await end(proxy);
      wellMs.push(await timeUntilWell(world));
    }
    for (const [row, values, goalMs] of [
      ['a caller has its 503', refusedMs, 5_000],
      ['all is well again', wellMs, 2_000],
    ] as const) {
      const maxMs = Math.max(...values);
      report({
        what: `database ${what}: ${row} (p50, longest of ${values.length})`,
        ours: `${quantile(values, 0.5).toFixed(0)} ms, ${maxMs.toFixed(0)} ms`,
        theirs: '',
        goal: `<= ${goalMs} ms`,
        holds: maxMs <= goalMs,
      });
    }
  }
}

/** Sends one request to each path. Returns how long each refusal took, ms. */
function refusals(world: World): Promise<number[]> {
  return Promise.all(
    PATHS.map(async (path) => {
      const beganMs = performance.now();
      const { status } = await world.api.get(path);
      // A key that was looked up before the failure is remembered for a moment, and GET /v1/models needs nothing else.
      if (status !== 503 && status !== 200) throw new Error(`${path}: ${status}`);
      return performance.now() - beganMs;
    }),
  );
}

async function timeUntilWell(world: World): Promise<number> {
  const beganMs = performance.now();
  await until(async () => {
    const responses = await Promise.all(PATHS.map((path) => world.api.get(path)));
    return responses.every(({ status }) => status === 200);
  }, 60_000);
  return performance.now() - beganMs;
}
