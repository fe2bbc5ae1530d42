import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { systemClock } from '../../kit/clock.js';
import { within } from '../../kit/within.js';
import { chromiumPath } from '../../testing/chromium.js';
import { RestClient } from '../rest-client.js';
import { shellOf } from '../network/phone-shell.js';
import { startWorld, type World, type WorldOptions } from '../world.js';

const FLAGS = [
  ...['--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  ...['--disable-component-update', '--disable-sync'],
];

/** Longer than browser or service takes to close, ms: the one that does not close is named. */
const CLOSE_MS = 120_000;

/** A whole service and a browser to use its panel with. */
export interface PanelWorld {
  world: World;
  browser: Browser;
  /** A browser profile of its own; signed in as the first account unless `signedIn` is false. */
  open(options?: { signedIn?: boolean; width?: number; height?: number; hasTouch?: boolean }): Promise<PanelPage>;
  /** Has a phone take a click for a tap however long a busy browser takes for it. */
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
    executablePath: chromiumPath(),
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

/** Throws when the close of the part takes longer than CLOSE_MS. */
function closed(part: string, close: () => Promise<void>): Promise<void> {
  const onTimeout = (): Error => new Error(`${part} does not close`);
  return within({ clock: systemClock, timeoutMs: CLOSE_MS, onTimeout }, close);
}

/** The session cookie of a new session of the first account. */
async function sessionOf(world: World) {
  const { email, password } = world;
  const { headers } = await new RestClient(world.mesh.url, undefined).post('/v1/session', { email, password });
  const [, name = '', value = ''] = /^(\w+)=([^;]+)/.exec(headers.get('set-cookie') ?? '') ?? [];
  return { name, value, url: world.mesh.url, httpOnly: true, sameSite: 'Lax' as const };
}

/** An error response of the API is shown on the page, also one to the handshake of a live screen; browsers write both to the console too. */
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
