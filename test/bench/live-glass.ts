import { chromium, type Page } from 'playwright-core';
import { browserProgram } from '../../testing/chromium.js';
import { squaresOf } from './live-counter.js';
import type { LiveBench } from './live-bench.js';
import { median, quantile } from './report.js';

const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking', '--disable-component-update', '--disable-sync']; // prettier-ignore

const PAIRS = 6;
const WATCH_MS = 4_000;

/** Row P7: measures the time from the drawing on the phone to the pixels of a page's canvas. Each side feeds the same page in turn. */
export async function benchGlass(bench: LiveBench): Promise<void> {
  const { ours, theirs, report } = bench;
  const added = await addedToGlass(bench, { ours, theirs, script: WATCH });
  report({
    what: "P7 from the phone's drawing to the pixels of a page in Chromium: added p50 and p95",
    ours: `${added.ours.toFixed(1)} ms p50, +${added.p50.toFixed(1)} ms; p95 +${added.p95.toFixed(1)} ms`,
    theirs: `${added.theirs.toFixed(1)} ms p50, bare ws`,
    goal: 'p50 +15 ms, p95 +25 ms at the most',
    holds: added.p50 <= 15 && added.p95 <= 25,
  });
}

interface Sides {
  /** URLs of WebSockets. */
  ours: string;
  theirs: string;
  /** A function of the page that watches one, and returns how late each frame was, ms. */
  script: string;
  /** Called before each side is watched. */
  before?: () => Promise<void>;
}

/**
 * The time that ours adds over theirs, ms: medians over pairs of the differences in p50 and p95. `ours` and `theirs` are the p50 of each.
 */
export async function addedToGlass(
  { edge, place, originMs }: LiveBench,
  { ours, theirs, script, before = async () => undefined }: Sides,
): Promise<{ p50: number; p95: number; ours: number; theirs: number }> {
  const browser = await chromium.launch({ ...(await browserProgram()), args: FLAGS, headless: true });
  try {
    const context = await browser.newContext();
    // A page of our own origin with a session, as the panel is: browsers send no Authorization with a WebSocket.
    await context.addCookies([{ name: 'cp_session', value: 'bench', url: edge.url }]);
    const page = await context.newPage();
    // Any page that comes from the edge itself: Chromium lets only such a one connect to a loopback address.
    await page.goto(`${edge.url}/v1/none`);
    const squares = squaresOf(place);
    const added: { p50: number; p95: number; ours: number; theirs: number }[] = [];
    for (let pair = 0; pair <= PAIRS; pair++) {
      const figures = [];
      for (const url of [ours, theirs]) {
        await before();
        const late = await watchInPage(page, script, { url, squares, originMs, watchMs: WATCH_MS });
        if (late.length < 10) throw new Error(`only ${late.length} frames came to the page from ${url}`);
        figures.push({ p50: quantile(late, 0.5), p95: quantile(late, 0.95) });
      }
      const [own, bare] = figures;
      if (own === undefined || bare === undefined) throw new Error('both sides are measured');
      if (pair > 0) added.push({ p50: own.p50 - bare.p50, p95: own.p95 - bare.p95, ours: own.p50, theirs: bare.p50 });
    }
    return {
      p50: median(added.map((one) => one.p50)),
      p95: median(added.map((one) => one.p95)),
      ours: median(added.map((one) => one.ours)),
      theirs: median(added.map((one) => one.theirs)),
    };
  } finally {
    await browser.close();
  }
}

interface Watching {
  url: string;
  squares: readonly { x: number; y: number }[];
  originMs: number;
  watchMs: number;
}

/** Measures how late each frame is once it can be read from the canvas, ms. */
function watchInPage(page: Page, script: string, watching: Watching): Promise<number[]> {
  return page.evaluate<number[]>(`(${script})(${JSON.stringify(watching)})`);
}

/** Runs in the page. Text, as this program is compiled without a browser's types. */
const WATCH = `async ({ url, squares, originMs, watchMs }) => {
  const canvas = document.createElement('canvas');
  document.body.replaceChildren(canvas);
  const context = canvas.getContext('2d', { willReadFrequently: true });
  const late = [];
  const ws = new WebSocket(url);
  ws.binaryType = 'arraybuffer';
  let turn = Promise.resolve();
  let isFirst = true;
  ws.onmessage = ({ data }) => {
    if (typeof data === 'string') return;
    turn = turn.then(async () => {
      const picture = await createImageBitmap(new Blob([data.slice(8)], { type: 'image/jpeg' }));
      canvas.width = picture.width;
      canvas.height = picture.height;
      context.drawImage(picture, 0, 0);
      picture.close();
      const pixels = context.getImageData(0, 0, canvas.width, canvas.height).data;
      const drawn = squares.reduce((value, { x, y }) => value * 2 + (pixels[(y * canvas.width + x) * 4] > 127 ? 1 : 0), 0);
      // The first picture is one that was there before.
      if (!isFirst) late.push(performance.timeOrigin + performance.now() - originMs - drawn);
      isFirst = false;
    });
  };
  await new Promise((resolve, reject) => {
    ws.onopen = resolve;
    ws.onerror = () => reject(new Error('the WebSocket did not open'));
  });
  await new Promise((resolve) => setTimeout(resolve, watchMs));
  ws.close();
  await turn;
  return late;
}`;
