import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import sharp from 'sharp';
import { begunAhead } from '../../kit/async/begun-ahead.js';
import { systemClock } from '../../kit/async/clock.js';
import { browserProgram } from '../../testing/chromium.js';
import type { RestClient } from '../rest-client.js';
import { CALLS, HERO_CALL, makeCall, PHONE } from './calls.js';
import { encodeFilm, type Shot } from './film.js';
import { FRAME, framePage, PANEL, type Scheme, type ShownCall } from './frame.js';
import { type PicturedService, startService } from './service.js';

// Takes the pictures of the README, for `npm run pictures`: of a running service, in a real browser, so that they stay true.

const FOLDER = fileURLToPath(new URL('../../../docs/pictures/', import.meta.url));

/** Pixels of the picture for each of CSS. */
const SCALE = 1.5;

/** A picture with fewer bytes is of one colour. */
const BLANK_BYTES = 10_000;

/** Width of the film, pixels. */
const FILM_WIDTH = 960;

/** How long the film shows each call before its response, and the phone after it, ms. */
const READ_MS = { call: 700, response: 1_100, last: 2_000 } as const;

/** Shots of the phone while a call is under way: as many, each shown for as long, ms. */
const MOVING = { shots: 5, shownMs: 120 } as const;

/** The phones of the list, beside the one that the calls move, and the app that is open on each; undefined: it is stopped. */
const OTHERS: Readonly<Record<string, string | undefined>> = {
  'checkout-1': 'Messages',
  'checkout-2': 'Settings',
  'agent-1': 'Clock',
  'agent-2': 'Notes',
  'nightly-1': undefined,
};

mkdirSync(FOLDER, { recursive: true });
const service = await startService();
try {
  const browser = await chromium.launch({ ...(await browserProgram()), chromiumSandbox: false });
  try {
    await createOthers(service.api);
    for (const scheme of ['light', 'dark'] as const) {
      await service.api.createPhone({ name: PHONE });
      await takePictures(browser, scheme);
      await service.api.done(await service.api.delete(`/v1/devices/${PHONE}`));
    }
  } finally {
    await browser.close();
  }
} finally {
  await service.close();
}

async function createOthers(api: RestClient): Promise<void> {
  for (const [name, app] of Object.entries(OTHERS)) {
    await api.createPhone({ name });
    if (app === undefined) await api.done(await api.post(`/v1/devices/${name}/stop`));
    else await api.post(`/v1/devices/${name}/act`, { open_app: { app }, observe: 'none' });
  }
}

async function takePictures(browser: Browser, scheme: Scheme): Promise<void> {
  const panel = await openPage(browser, scheme, service);
  const beside = await browser.newPage({ viewport: FRAME, deviceScaleFactor: SCALE });
  await panel.goto(`/phones/${PHONE}`);
  await panel.locator('canvas[data-drawn=true]').waitFor();
  const shots: Shot[] = [];
  const shown: ShownCall[] = [];
  const shoot = async (shownMs: number): Promise<Buffer> => {
    await beside.setContent(framePage(scheme, await panel.screenshot(), shown.slice(-3)));
    const picture = await beside.screenshot();
    shots.push({ picture, shownMs });
    return picture;
  };
  for (const [at, call] of CALLS.entries()) {
    const one: ShownCall = { step: call.step, response: undefined };
    shown.push(one);
    await shoot(READ_MS.call);
    const making = begunAhead(makeCall(service.api, call));
    for (let moving = 0; moving < MOVING.shots; moving++) await shoot(MOVING.shownMs);
    one.response = await making;
    // The picture that shows what was done comes to the page a moment after the response.
    await systemClock.sleep(400);
    const picture = await shoot(at === CALLS.length - 1 ? READ_MS.last : READ_MS.response);
    if (at === HERO_CALL) write(`phone-${scheme}.webp`, await webp(picture));
  }
  write(`act-${scheme}.webp`, await encodeFilm(shots, FILM_WIDTH));
  await beside.close();
  await panel.setViewportSize({ width: 1280, height: 800 });
  await panel.goto('/phones');
  await panel.getByText('agent-2').first().waitFor();
  // The pictures of the running phones come one after the other.
  await systemClock.sleep(3_000);
  write(`phones-${scheme}.webp`, await webp(await panel.screenshot()));
  await panel.goto('/docs/reference/');
  await panel.getByRole('main').getByRole('link', { name: 'Act', exact: true }).first().click();
  await panel.waitForURL(/#act$/);
  await panel.getByRole('heading', { name: 'Act', exact: true }).first().scrollIntoViewIfNeeded();
  await systemClock.sleep(500);
  write(`reference-${scheme}.webp`, await webp(await panel.screenshot()));
  await panel.context().close();
}

async function openPage(browser: Browser, scheme: Scheme, { url, cookie }: PicturedService): Promise<Page> {
  const context = await browser.newContext({
    ...{ baseURL: url, viewport: PANEL, deviceScaleFactor: SCALE, colorScheme: scheme },
    ...{ locale: 'en-GB', timezoneId: 'UTC', reducedMotion: 'reduce' },
  });
  await context.addCookies([{ ...cookie, url, httpOnly: true, sameSite: 'Lax' }]);
  return context.newPage();
}

function webp(picture: Buffer): Promise<Buffer> {
  return sharp(picture).webp({ quality: 82, effort: 6 }).toBuffer();
}

function write(name: string, content: Buffer): void {
  if (content.length < BLANK_BYTES) throw new Error(`${name} shows nothing: the page was not drawn`);
  writeFileSync(FOLDER + name, content);
  process.stdout.write(`${name}: ${Math.round(content.length / 1024)} KiB\n`);
}
