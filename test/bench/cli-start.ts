import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../clients/mcp-world.js';
import { inTurn, type Report } from './report.js';

const run = promisify(execFile);

/** The median of one process start varies by a few milliseconds. */
const PAIRS = 25;

const DEVICE = {
  ...{
    name: 'demo',
    state: 'running',
    model: 'phone-720p',
    android: '14',
    plan: 'minute',
    created_at: '2026-11-20T17:00:00.000Z',
  },
  exit: { type: 'direct', country: 'us' },
  ...{
    uptime: 60,
    minutes_today: 1,
    driver: 'simulated',
    timeline: false,
    labels: {},
    screen: { width: 720, height: 1280, density: 320 },
  },
};

/** Row P33: `cloudphone list` as a process against Node with one fetch, both to a server that responds at once. */
export async function benchCliStart(report: Report): Promise<void> {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ devices: [DEVICE] }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const env = { ...process.env, CLOUDPHONE_URL: url, CLOUDPHONE_KEY: 'cp_of_the_bench', NO_COLOR: '1' };
  const processMs = async (words: readonly string[], expected: string): Promise<number> => {
    const beganMs = performance.now();
    const { stdout } = await run(process.execPath, words, { env });
    const tookMs = performance.now() - beganMs;
    if (!stdout.includes(expected)) throw new Error(`${words.join(' ')} printed ${stdout}`);
    return tookMs;
  };
  const one = `fetch('${url}/devices').then((r) => r.json()).then(({ devices }) => console.log(devices[0].name))`;
  try {
    const { ratio, ours, theirs } = await inTurn(
      () => processMs([join(ROOT, 'cli', 'cloudphone.mjs'), 'list'], 'demo'),
      () => processMs(['-e', one], 'demo'),
      PAIRS,
    );
    report({
      what: 'P33 `cloudphone list` as a process',
      ours: `${ours.toFixed(0)} ms`,
      theirs: `${theirs.toFixed(0)} ms for Node with one fetch`,
      ratio,
      goal: '<= 1.6',
      holds: ratio.median <= 1.6,
    });
  } finally {
    server.close();
  }
}
