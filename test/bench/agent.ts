import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import { systemClock } from '../../kit/async/clock.js';
import { installMobileMcp, MobileMcpAgent } from './agents/mobile-mcp.js';
import { OurAgent } from './agents/our-agent.js';
import { tappablesOf, placesIn } from './agents/tappables.js';
import { SCREENS, type Task, tasks } from './agents/tasks.js';
import { type Cost, ToolClient } from './agents/tool-client.js';
import { median, type Ratio, type Report } from './report.js';
import { startEdge } from './screen-edge.js';
import { MCP_MAIN } from '../clients/mcp-world.js';
import { type BenchPhone, startBenchPhone } from './screen-phone.js';

/** Port of an adb server of our own, so that no other one on the machine is disturbed. */
export const ADB_SERVER_PORT = '15872';

export interface Delays {
  name: string;
  captureDelayMs: number;
  treeDelayMs: number;
  /** Delay of the resident server's sources. Absent: none. */
  sourceDelayMs?: number;
}

const DELAYS: readonly Delays[] = [
  { name: 'no delays', captureDelayMs: 0, treeDelayMs: 0 },
  { name: 'capture 120 ms, tree 1,500 ms', captureDelayMs: 120, treeDelayMs: 1_500 },
];

interface SeenElement {
  id: string;
  role: string;
  text?: string;
  label?: string;
  states: string[];
}

/** Both agents on one phone. */
export interface Bench {
  phone: BenchPhone;
  adb: (...words: string[]) => Promise<string>;
  /** Whether a text shows. */
  shows: (text: string) => Promise<boolean>;
  /** One request of the REST API for the phone; a POST where there is a body. */
  request: (path: string, body?: object) => Promise<{ observation: { elements: SeenElement[] } }>;
  ours: { tools: ToolClient; agent: OurAgent };
  theirs: { tools: ToolClient; agent: MobileMcpAgent };
  report: Report;
}

/**
 * Rows P22 to P25: an agent's reading, calls and time by our MCP server, and by mobile-mcp on the same phone through the real adb. They
 * also measure a screen that does not rest, and one tap.
 */
export async function benchAgent(report: Report, delays: readonly Delays[] = DELAYS): Promise<void> {
  const phone = await startBenchPhone();
  const edge = await startEdge(phone.port);
  const serial = `127.0.0.1:${phone.port}`;
  const adb = async (...words: string[]): Promise<string> => {
    const { stdout } = await promisify(execFile)('adb', ['-P', ADB_SERVER_PORT, ...words]);
    return stdout;
  };
  await adb('connect', serial);
  const mobileMcp = await installMobileMcp();
  const ours = await ToolClient.open(MCP_MAIN, [], {
    ...{ CLOUDPHONE_URL: `${edge.url}/v1`, CLOUDPHONE_KEY: 'key_1', CLOUDPHONE_DEVICE: 'bench' },
  });
  const theirs = await ToolClient.open(mobileMcp.program, ['--stdio'], {
    ...{ HOME: mobileMcp.folder, ANDROID_ADB_SERVER_PORT: ADB_SERVER_PORT },
    ...{ MOBILEMCP_LEGACY_ROBOT: '1', MOBILEMCP_DISABLE_TELEMETRY: '1' },
  });
  const bench: Bench = {
    ...{ phone, report },
    adb: (...words) => adb('-s', serial, ...words),
    request: async (path, body) => {
      const headers = { authorization: 'Bearer key_1', 'content-type': 'application/json' };
      const init = body === undefined ? { headers } : { headers, method: 'POST', body: JSON.stringify(body) };
      const response = await fetch(`${edge.url}/v1/devices/bench/${path}`, init);
      if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
      return (await response.json()) as { observation: { elements: SeenElement[] } };
    },
    shows: async (text) => {
      const body = JSON.stringify({ find_text: { text } });
      const headers = { authorization: 'Bearer key_1', 'content-type': 'application/json' };
      const response = await fetch(`${edge.url}/v1/devices/bench/action`, { method: 'POST', headers, body });
      return ((await response.json()) as { matches: unknown[] }).matches.length > 0;
    },
    ours: { tools: ours, agent: new OurAgent(ours) },
    theirs: { tools: theirs, agent: new MobileMcpAgent(theirs, serial) },
  };
  try {
    report({
      what: 'tokens of the list of tools, which each conversation begins with',
      ours: String(ours.toolsTokens),
      theirs: `${theirs.toolsTokens} mobile-mcp`,
      goal: 'fewer',
      holds: ours.toolsTokens < theirs.toolsTokens,
    });
    await benchScreens(bench);
    for (const each of delays) await benchTasks(bench, each);
    for (const each of delays) await benchRestless(bench, each);
    for (const each of delays) await benchTap(bench, each);
  } finally {
    await Promise.all([ours.close(), theirs.close()]);
    await adb('kill-server').catch(() => undefined);
    await edge.close();
    phone.stop();
    await rm(mobileMcp.folder, { recursive: true, force: true });
  }
}

async function benchScreens({ phone, adb, ours, theirs, report }: Bench): Promise<void> {
  const costs: { ours: Cost; theirs: Cost }[] = [];
  const listed = { ours: 0, theirs: 0, all: 0 };
  for (const [, component] of SCREENS) {
    await phone.shell(`am start -n ${component}`);
    await systemClock.sleep(1_500);
    const texts = { ours: '', theirs: '' };
    costs.push({
      ours: await ours.tools.costOf(async () => (texts.ours = await ours.agent.observe())),
      theirs: await theirs.tools.costOf(async () => (texts.theirs = await theirs.agent.observe())),
    });
    const tappables = tappablesOf(await adb('exec-out', 'uiautomator', 'dump', '/dev/tty'));
    listed.all += tappables.length;
    for (const side of ['ours', 'theirs'] as const) {
      const places = placesIn(texts[side]);
      listed[side] += tappables.filter((bounds) => places.some((place) => bounds.holds(place))).length;
    }
  }
  for (const [unit, goal] of [
    ['bytes', 0.4],
    ['tokens', undefined],
  ] as const) {
    const { row, total } = compare(costs, unit);
    report({
      what: `P22 ${unit} of ${SCREENS.length} screens as text (observe, compact)`,
      ...row,
      goal: goal === undefined ? 'for information' : `<= ${goal} in all`,
      holds: goal === undefined || total <= goal,
    });
  }
  report({
    what: 'P22 places that can be tapped, by the dumps of these screens, that are listed',
    ours: `${listed.ours} of ${listed.all}`,
    theirs: `${listed.theirs} of ${listed.all}`,
    goal: 'all',
    holds: listed.ours === listed.all,
  });
}

export interface Outcome extends Cost {
  seconds: number;
  succeeded: boolean;
}

async function benchTasks(bench: Bench, delays: Delays): Promise<void> {
  const { phone, report } = bench;
  await phone.faults(delays);
  const outcomes: { ours: Outcome; theirs: Outcome }[] = [];
  const own = tasks('one');
  const others = tasks('two');
  for (const [index, task] of own.entries()) {
    const other = others[index];
    if (other === undefined) continue;
    outcomes.push({ ours: await outcomeOf(bench, 'ours', task), theirs: await outcomeOf(bench, 'theirs', other) });
  }
  // The cost of a failed task means nothing.
  const both = outcomes.filter((pair) => pair.ours.succeeded && pair.theirs.succeeded);
  const goals = { bytes: 0.17, tokens: undefined, calls: 0.4, seconds: delays.treeDelayMs > 0 ? 0.95 : undefined };
  for (const [unit, goal] of Object.entries(goals) as [keyof typeof goals, number | undefined][]) {
    const { row, total } = compare(both, unit);
    report({
      what: `${unit === 'seconds' ? 'P24' : 'P22'} ${unit} of the ${both.length} tasks that both did (${delays.name})`,
      ...row,
      goal: goal === undefined ? 'for information' : `<= ${goal} in all`,
      holds: goal === undefined || total <= goal,
    });
  }
  const done = (side: 'ours' | 'theirs'): number => outcomes.filter((outcome) => outcome[side].succeeded).length;
  report({
    what: `P22 tasks that succeeded (${delays.name})`,
    ours: `${done('ours')} of ${own.length}`,
    theirs: `${done('theirs')} of ${own.length}`,
    goal: 'all',
    holds: done('ours') === own.length,
  });
}

/** Does a task from the home screen. It succeeded when the phone says so, whatever the agent believes. */
export async function outcomeOf(bench: Bench, side: 'ours' | 'theirs', task: Task): Promise<Outcome> {
  const { phone, adb, shows } = bench;
  const { tools, agent } = bench[side];
  await phone.shell(`am force-stop ${task.app.package}`);
  await phone.shell('input keyevent HOME');
  await systemClock.sleep(1_000);
  const state = (): Promise<string> => (task.changes === undefined ? Promise.resolve('') : adb('shell', task.changes));
  const before = await state();
  const startMs = performance.now();
  let last = '';
  const work = async (): Promise<void> => {
    last = await agent.do(task).catch((error: unknown) => String(error));
  };
  const cost = await tools.costOf(work);
  const seconds = (performance.now() - startMs) / 1_000;
  const succeeded = (await shows(task.shows)) && (task.changes === undefined || (await state()) !== before);
  if (!succeeded) process.stdout.write(`  ${side} did not ${task.what}: ${last.replaceAll('\n', '\n    ')}\n`);
  return { ...cost, seconds, succeeded };
}

/** Row P23: a stopwatch that runs, of which an ordinary dump never comes. */
async function benchRestless({ phone, ours, report }: Bench, delays: Delays): Promise<void> {
  await phone.faults(delays);
  await phone.shell('am start -n com.cloudphone.clock/.Main');
  await systemClock.sleep(1_000);
  await ours.tools.call('act', { steps: [{ tap: { text: 'Stopwatch' } }], timeout_ms: 8_000 });
  const started = await ours.tools.call('act', {
    steps: [{ tap: { text: 'Start' } }],
    timeout_ms: 4_000,
    observe: 'none',
  });
  if (!started.startsWith('Done')) throw new Error(`the stopwatch does not run: ${started}`);
  const times: number[] = [];
  for (let at = 0; at < 6; at++) {
    const startMs = performance.now();
    const text = await ours.tools.call('observe', {});
    times.push(performance.now() - startMs);
    if (!text.includes('Stop')) throw new Error(`the stopwatch is not seen: ${text}`);
  }
  await ours.tools.call('act', { steps: [{ tap: { text: 'Stop' } }], timeout_ms: 8_000 });
  const [first = 0, ...later] = times;
  const most = Math.max(...later);
  const limitMs = 1_500 + delays.treeDelayMs;
  report({
    what: `P23 observe on a stopwatch that runs, longest from the second time on (${delays.name}; the first took ${first.toFixed(0)} ms)`,
    ours: `${most.toFixed(0)} ms, median ${median(later).toFixed(0)} ms`,
    theirs: '',
    goal: `<= ${limitMs} ms`,
    holds: most <= limitMs,
  });
}

/** Taps whose time is measured. */
const TAPS = 12;

/** Row P25: a tap on an element of the latest observation, with picture and elements in the response. */
export async function benchTap(
  { phone, request, report }: Pick<Bench, 'phone' | 'request' | 'report'>,
  delays: Delays,
  limitMs = delays.treeDelayMs > 0 ? 1_800 : undefined,
): Promise<void> {
  await phone.faults(delays);
  await phone.shell('am start -n com.cloudphone.settings/.Display');
  await systemClock.sleep(1_500);
  const isSwitch = ({ role, text = '', label = '' }: SeenElement): boolean =>
    role === 'switch' && `${text}${label}`.startsWith('Auto-rotate');
  const times: number[] = [];
  let { observation } = await request('observe');
  for (let at = 0; at < TAPS; at++) {
    const before = observation.elements.find(isSwitch);
    if (before === undefined) throw new Error('there is no switch to tap');
    const startMs = performance.now();
    ({ observation } = await request('act', { tap: { element: before.id } }));
    times.push(performance.now() - startMs);
    const after = observation.elements.find(isSwitch);
    if (after?.states.includes('checked') === before.states.includes('checked'))
      throw new Error('the response does not show the effect of the tap');
  }
  report({
    what: `P25 a tap on an element with full observation, p50 of ${TAPS} (${delays.name}; the longest took ${Math.max(...times).toFixed(0)} ms)`,
    ours: `${median(times).toFixed(0)} ms`,
    theirs: '',
    goal: limitMs === undefined ? 'for information' : `<= ${limitMs} ms`,
    holds: limitMs === undefined || median(times) <= limitMs,
  });
}

/** The sums, and the ratios one by one. */
export function compare<Unit extends keyof Outcome>(
  pairs: readonly { ours: Pick<Outcome, Unit>; theirs: Pick<Outcome, Unit> }[],
  unit: Unit,
): { row: { ours: string; theirs: string; ratio: Ratio }; total: number } {
  const sum = (side: 'ours' | 'theirs'): number => pairs.reduce((all, pair) => all + Number(pair[side][unit]), 0);
  const ratios = pairs.map((pair) => Number(pair.ours[unit]) / Number(pair.theirs[unit]));
  const [ours, theirs] = [sum('ours'), sum('theirs')];
  const total = ours / theirs;
  const ratio = { median: median(ratios), min: Math.min(...ratios), max: Math.max(...ratios) };
  const shown = (value: number): string => (Number.isInteger(value) ? String(value) : value.toFixed(1));
  return {
    row: { ours: shown(ours), theirs: `${shown(theirs)} mobile-mcp (${total.toFixed(3)} in all)`, ratio },
    total,
  };
}
