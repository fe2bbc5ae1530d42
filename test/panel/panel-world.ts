import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Suite } from 'mocha';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { systemClock } from '../../kit/async/clock.js';
import { within } from '../../kit/async/within.js';
import { browserProgram, hasBrowser, NEEDS_BROWSER } from '../../testing/chromium.js';
import { skip } from '../../testing/skip.js';
import { RestClient } from '../rest-client.js';
import { shellOf } from '../network/phone-shell.js';
import { startWorld, type World, type WorldOptions } from '../world.js';

const FLAGS = [
  ...['--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  ...['--disable-component-update', '--disable-sync'],
];

/** Longest time for browser or service to close, ms. The one that does not close is named. */
const CLOSE_MS = 120_000;

/** Describes a suite of tests of pages. Where there is no browser, none of its tests and hooks is run, and the reason is reported. */
export function describeInBrowser(title: string, tests: (this: Suite) => void): void {
  if (hasBrowser()) {
    describe(title, tests);
    return;
  }
  describe(title, () => {
    it('is shown in a browser', function () {
      skip(this, NEEDS_BROWSER);
    });
    describe.skip('there', tests);
  });
}

/** A whole service, and a browser that uses its panel. */
export interface PanelWorld {
  world: World;
  browser: Browser;
  /** Opens a page with a browser profile of its own. It is signed in as the first account unless `signedIn` is false. */
  open(options?: { signedIn?: boolean; width?: number; height?: number; hasTouch?: boolean }): Promise<PanelPage>;
  /** Makes a phone take a click as a tap, however long a busy browser takes for it. */
  letClicksLast(name: string): Promise<void>;
  close(): Promise<void>;
}

/** A page of the panel, and the errors that its browser reported. */
export interface PanelPage {
  page: Page;
  context: BrowserContext;
  /** Errors of scripts, failed loads, and refusals of the Content-Security-Policy. */
  complaints: string[];
}

export async function startPanel(options: WorldOptions = {}): Promise<PanelWorld> {
  const world = await startWorld(options);
  const profile = mkdtempSync(join(tmpdir(), 'cloudphone-panel-'));
  const browser = await chromium.launch({
    ...(await browserProgram()),
    args: FLAGS,
    chromiumSandbox: false,
    downloadsPath: profile,
  });
  return {
    world,
    browser,
    open: async ({ signedIn = true, width = 1440, height = 900, hasTouch = false } = {}) => {
      const context = await browser.newContext({
        baseURL: world.mesh.url,
        viewport: { width, height },
        locale: 'en-GB',
        timezoneId: 'UTC',
        hasTouch,
        reducedMotion: 'reduce',
      });
      // At the start of the long suite four heavy files run on what may be two cores.
      context.setDefaultTimeout(240_000);
      if (signedIn) await context.addCookies([await sessionOf(world)]);
      const page = await context.newPage();
      return { page, context, complaints: complaintsOf(page) };
    },
    letClicksLast: async (name) => {
      await shellOf(world.database, name, 'settings put secure long_press_timeout 30000');
    },
    close: async () => {
      await closed('the browser', () => browser.close());
      rmSync(profile, { recursive: true, force: true });
      await closed('the service', () => world.close());
    },
  };
}

/** Closes a part. Throws when that takes longer than CLOSE_MS. */
function closed(part: string, close: () => Promise<void>): Promise<void> {
  const onTimeout = (): Error => new Error(`${part} does not close`);
  return within({ clock: systemClock, timeoutMs: CLOSE_MS, onTimeout }, close);
}

/** Returns the session cookie of a new session of the first account. */
async function sessionOf(world: World) {
  const { email, password } = world;
  const { headers } = await new RestClient(world.mesh.url, undefined).post('/v1/session', { email, password });
  const [, name = '', value = ''] = /^(\w+)=([^;]+)/.exec(headers.get('set-cookie') ?? '') ?? [];
  return { name, value, url: world.mesh.url, httpOnly: true, sameSite: 'Lax' as const };
}

/** Messages of the console that are no faults. The page itself shows error responses of the API, also to the handshake of a live screen. */
const RESPONSES = [
  /^Failed to load resource/,
  /^WebSocket connection to .*: (Unexpected response code: \d+|HTTP Authentication failed; no valid credentials available)$/,
];

function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    const text = message.text();
    if (message.type() === 'error' && !RESPONSES.some((one) => one.test(text))) complaints.push(text);
  });
  return complaints;
}
