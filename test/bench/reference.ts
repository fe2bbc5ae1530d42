import { type AddressInfo } from 'node:net';
import { createServer } from 'node:http';
import { type Browser, chromium } from 'playwright-core';
import { browserProgram } from '../../testing/chromium.js';
import { startEdge } from '../../testing/edge-world.js';
import { undoLater } from './interrupt.js';
import { inTurn, type Report } from './report.js';

const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking', '--disable-component-update', '--disable-sync']; // prettier-ignore

/** The time until a reader sees the first content, ms. */
const GOAL_MS = 300;

/** The start, and the pages with the most bytes. */
const PAGES = ['/docs/reference/', '/docs/reference/device/', '/docs/reference/schedule/', '/docs/reference/screen/'];

/**
 * Measures row P31, from the request of a reference page to its first content in Chromium, beside a one-word page of a bare server.
 */
export async function benchReference(report: Report): Promise<void> {
  const edge = await startEdge();
  undoLater(() => edge.close());
  const bare = createServer((_, response) => response.setHeader('content-type', 'text/html').end('<h1>Word</h1>'));
  await new Promise<void>((resolve) => bare.listen(0, '127.0.0.1', resolve));
  undoLater(() => void bare.close());
  const browser = await chromium.launch({ ...(await browserProgram()), args: FLAGS, headless: true });
  undoLater(() => browser.close());
  const word = `http://127.0.0.1:${(bare.address() as AddressInfo).port}/`;
  for (const path of PAGES) {
    const opened = { bytes: 0 };
    const { ratio, ...figures } = await inTurn(
      async () => (await open(browser, edge.base + path, opened)).paintedMs,
      async () => (await open(browser, word)).paintedMs,
    );
    report({
      what: `P31 ${path} to its first content in Chromium, nothing cached by it, p50`,
      ours: `${figures.ours.toFixed(0)} ms, ${(opened.bytes / 1024).toFixed(0)} KiB with all files`,
      theirs: `${figures.theirs.toFixed(0)} ms for a page of one word`,
      ratio,
      goal: `<= ${GOAL_MS} ms`,
      holds: figures.ours <= GOAL_MS,
    });
  }
}

/** Opens a page in a new profile. Returns the time of its first content; the bytes that were sent go into `opened`. */
async function open(browser: Browser, url: string, opened = { bytes: 0 }): Promise<{ paintedMs: number }> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  const network = await context.newCDPSession(page);
  await network.send('Network.enable');
  opened.bytes = 0;
  network.on('Network.loadingFinished', ({ encodedDataLength }) => (opened.bytes += encodedDataLength));
  await page.goto(url, { waitUntil: 'networkidle' });
  const paintedMs = await page.evaluate<number>(
    `new Promise((resolve) => new PerformanceObserver((list) => list.getEntriesByName('first-contentful-paint')
      .forEach(({ startTime }) => resolve(startTime))).observe({ type: 'paint', buffered: true }))`,
  );
  await context.close();
  return { paintedMs };
}
