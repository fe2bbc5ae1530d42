import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import { systemClock } from '../../kit/async/clock.js';
import { MCP_MAIN } from '../clients/mcp-world.js';
import { ADB_SERVER_PORT, type Bench, benchTap, compare, type Delays, type Outcome, outcomeOf } from './agent.js';
import { installMobileMcp, MobileMcpAgent } from './agents/mobile-mcp.js';
import { OurAgent } from './agents/our-agent.js';
import { tasks } from './agents/tasks.js';
import { ToolClient } from './agents/tool-client.js';
import type { Report } from './report.js';
import { startEdge } from './screen-edge.js';
import { startBenchPhone } from './screen-phone.js';

const DELAYS: Delays = {
  name: 'resident server, capture 120 ms, tree 1,500 ms, source 80 ms',
  ...{ captureDelayMs: 120, treeDelayMs: 1_500, sourceDelayMs: 80 },
};

/**
 * Rows P24 and P25 with the resident server, on delays of a phone. Each agent has a phone of its own: the dumps of the other one would end
 * the server.
 */
export async function benchResident(report: Report): Promise<void> {
  const [ourPhone, theirPhone] = [await startBenchPhone(), await startBenchPhone()];
  const edge = await startEdge(ourPhone.port, undefined, { helpersAllowed: true });
  const theirEdge = await startEdge(theirPhone.port);
  const adb = async (...words: string[]): Promise<string> =>
    (await promisify(execFile)('adb', ['-P', ADB_SERVER_PORT, ...words])).stdout;
  const serials = { ours: `127.0.0.1:${ourPhone.port}`, theirs: `127.0.0.1:${theirPhone.port}` };
  for (const serial of Object.values(serials)) await adb('connect', serial);
  const mobileMcp = await installMobileMcp();
  const ours = await ToolClient.open(MCP_MAIN, [], {
    ...{ CLOUDPHONE_URL: `${edge.url}/v1`, CLOUDPHONE_KEY: 'key_1', CLOUDPHONE_DEVICE: 'bench' },
  });
  const theirs = await ToolClient.open(mobileMcp.program, ['--stdio'], {
    ...{ HOME: mobileMcp.folder, ANDROID_ADB_SERVER_PORT: ADB_SERVER_PORT },
    ...{ MOBILEMCP_LEGACY_ROBOT: '1', MOBILEMCP_DISABLE_TELEMETRY: '1' },
  });
  const agents = {
    ours: { tools: ours, agent: new OurAgent(ours) },
    theirs: { tools: theirs, agent: new MobileMcpAgent(theirs, serials.theirs) },
  };
  const benchOf = (side: 'ours' | 'theirs'): Bench => ({
    ...{ ...agents, report, phone: side === 'ours' ? ourPhone : theirPhone },
    adb: (...words: string[]) => adb('-s', serials[side], ...words),
    request: async (path, body) => (await request(edge.url, path, body)) as Awaited<ReturnType<Bench['request']>>,
    shows: async (text: string) => {
      const found = await request(side === 'ours' ? edge.url : theirEdge.url, 'action', { find_text: { text } });
      return (found as { matches: unknown[] }).matches.length > 0;
    },
  });
  try {
    await untilResident(edge.url);
    await Promise.all([ourPhone.faults(DELAYS), theirPhone.faults(DELAYS)]);
    const outcomes: { ours: Outcome; theirs: Outcome }[] = [];
    const others = tasks('two');
    for (const [index, task] of tasks('one').entries()) {
      const other = others[index];
      if (other === undefined) continue;
      outcomes.push({
        ours: await outcomeOf(benchOf('ours'), 'ours', task),
        theirs: await outcomeOf(benchOf('theirs'), 'theirs', other),
      });
    }
    const both = outcomes.filter((pair) => pair.ours.succeeded && pair.theirs.succeeded);
    const { row, total } = compare(both, 'seconds');
    report({
      what: `P24 seconds of the ${both.length} tasks that both did (${DELAYS.name})`,
      ...row,
      goal: '<= 0.4 in all',
      holds: total <= 0.4,
    });
    await benchTap(benchOf('ours'), DELAYS, 650);
  } finally {
    await Promise.all([ours.close(), theirs.close()]);
    await adb('kill-server').catch(() => undefined);
    await Promise.all([edge.close(), theirEdge.close()]);
    ourPhone.stop();
    theirPhone.stop();
    await rm(mobileMcp.folder, { recursive: true, force: true });
  }
}

async function request(url: string, path: string, body?: object): Promise<unknown> {
  const headers = { authorization: 'Bearer key_1', 'content-type': 'application/json' };
  const init = body === undefined ? { headers } : { headers, method: 'POST', body: JSON.stringify(body) };
  const response = await fetch(`${url}/v1/devices/bench/${path}`, init);
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
  return response.json();
}

/** An observation takes a second at least with a dump, which waits for that long. */
export async function untilResident(url: string): Promise<void> {
  for (let tries = 0; tries < 20; tries++) {
    const startMs = performance.now();
    await request(url, 'observe');
    if (performance.now() - startMs < 900) return;
    await systemClock.sleep(500);
  }
  throw new Error('the resident server does not run');
}
