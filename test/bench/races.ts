import { systemClock } from '../../kit/async/clock.js';
import { seededRandom } from '../../testing/seeded-random.js';
import type { Report } from './report.js';
import { untilResident } from './resident.js';
import { startEdge } from './screen-edge.js';
import { type BenchPhone, startBenchPhone } from './screen-phone.js';

/** The page changes at a random moment of this time after the request of the tap was sent, ms. */
const WINDOW_MS = 900;

/** At most this share of the taps may press the button of the next page. */
const MAX_SHARE = 0.01;

interface SeenElement {
  id: string;
  text?: string;
  label?: string;
  center: { x: number; y: number };
}

interface Source {
  name: string;
  helpersAllowed: boolean;
  tries: number;
}

const SOURCES: readonly Source[] = [
  { name: 'resident server, source 80 ms', helpersAllowed: true, tries: 300 },
  { name: 'dumps only, 1,500 ms', helpersAllowed: false, tries: 150 },
];

/**
 * Taps on an element of the latest observation while the page changes to the next one, by pictures of 120 ms. The next page has a button
 * with the same word in the same place. The phone itself shows which product was bought.
 */
export async function benchRaces(report: Report): Promise<void> {
  for (const source of SOURCES) {
    const phone = await startBenchPhone();
    const edge = await startEdge(phone.port, undefined, { helpersAllowed: source.helpersAllowed });
    try {
      await phone.shell('am start -n com.cloudphone.lab/.Products');
      if (source.helpersAllowed) await untilResident(edge.url);
      await benchSource(report, source, phone, requester(edge.url));
      await benchKeyboard(report, source, phone, requester(edge.url));
    } finally {
      await edge.close();
      phone.stop();
    }
  }
}

type Requester = (path: string, body?: object) => Promise<Response>;

async function benchSource(report: Report, source: Source, phone: BenchPhone, request: Requester): Promise<void> {
  const random = seededRandom(20_261_126);
  await phone.faults({ captureDelayMs: 120, treeDelayMs: 1_500, sourceDelayMs: 80 });
  let [right, wrong, refused] = [0, 0, 0];
  for (let at = 0; at < source.tries; at++) {
    await phone.shell('am force-stop com.cloudphone.lab');
    await phone.shell('am start -n com.cloudphone.lab/.Products');
    await systemClock.sleep(400);
    const { observation } = (await (await request('observe?screenshot=none')).json()) as {
      observation: { elements: SeenElement[] };
    };
    const [buy, next] = ['Buy', 'Next product'].map((word) => observation.elements.find(({ text }) => text === word));
    if (buy === undefined || next === undefined) throw new Error('the page of the products does not show');
    const change = systemClock
      .sleep(random() * WINDOW_MS)
      .then(() => phone.shell(`input tap ${next.center.x} ${next.center.y}`));
    const act = await request('act', { tap: { element: buy.id }, observe: 'none', settle_ms: 100 });
    await change;
    const found = await request('action', { find_text: { text: 'Bought: product' } });
    const { matches } = (await found.json()) as { matches: { text: string }[] };
    const [bought] = matches.map(({ text }) => text);
    if (bought === 'Bought: product 1') right++;
    else if (bought !== undefined) wrong++;
    else if (act.status === 404) refused++;
    else throw new Error(`the tap pressed nothing: ${act.status} ${await act.text()}`);
  }
  report({
    what: `taps on an element of a page that changes within ${WINDOW_MS} ms (${source.name}): right ${right}, refused ${refused}, the next page's`,
    ours: `${wrong} of ${source.tries}`,
    theirs: '',
    goal: `<= ${Math.floor(source.tries * MAX_SHARE)}`,
    holds: wrong <= source.tries * MAX_SHARE,
  });
}

/**
 * Taps on an element in the lower half of a form while another program gives the focus to a field. The keyboard comes up, and its keys lie
 * where the element was. The phone itself shows whether a key was hit: the field has a letter then.
 */
async function benchKeyboard(report: Report, source: Source, phone: BenchPhone, request: Requester): Promise<void> {
  const random = seededRandom(20_261_127);
  let [right, keys, refused] = [0, 0, 0];
  const look = async (): Promise<SeenElement[]> =>
    ((await (await request('observe?screenshot=none')).json()) as { observation: { elements: SeenElement[] } })
      .observation.elements;
  for (let at = 0; at < source.tries; at++) {
    await phone.shell('am force-stop com.cloudphone.lab');
    await phone.shell('am start -n com.cloudphone.lab/.Form');
    await systemClock.sleep(400);
    const before = await look();
    const [name, level] = [before.find(({ label }) => label === 'Name'), before.find(({ label }) => label === 'Level')];
    if (name === undefined || level === undefined) throw new Error('the form does not show');
    const change = systemClock
      .sleep(random() * WINDOW_MS)
      .then(() => phone.shell(`input tap ${name.center.x} ${name.center.y}`));
    const act = await request('act', { tap: { element: level.id }, observe: 'none', settle_ms: 100 });
    await change;
    const typed = (await look()).find(({ label }) => label === 'Name')?.text ?? '';
    if (typed !== '') keys++;
    else if (act.status === 404) refused++;
    else right++;
  }
  report({
    what: `taps on an element of a form while the keyboard comes up within ${WINDOW_MS} ms (${source.name}): right ${right}, refused ${refused}, a key`,
    ours: `${keys} of ${source.tries}`,
    theirs: '',
    goal: `<= ${Math.floor(source.tries * MAX_SHARE)}`,
    holds: keys <= source.tries * MAX_SHARE,
  });
}

function requester(url: string): Requester {
  return (path, body) => {
    const headers = { authorization: 'Bearer key_1', 'content-type': 'application/json' };
    const init = body === undefined ? { headers } : { headers, method: 'POST', body: JSON.stringify(body) };
    return fetch(`${url}/v1/devices/bench/${path}`, init);
  };
}
