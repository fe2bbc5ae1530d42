import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { until } from '../../testing/until.js';
import { type PanelClient, signIn } from '../access/people.js';
import type { RestClient } from '../rest-client.js';
import { describeInBrowser, type PanelPage, type PanelWorld, startPanel } from './panel-world.js';

const PATH = '/v1/devices/demo/handovers';

/** Counts the tones of a page, and makes them known to the test. */
const COUNT_TONES = `
  window.tones = 0;
  const start = OscillatorNode.prototype.start;
  OscillatorNode.prototype.start = function (...args) { window.tones++; return start.apply(this, args); };`;

/** Makes a page believe that its window is in the background. */
const HIDE = `
  Object.defineProperty(document, 'visibilityState', { get: () => 'hidden' });
  document.dispatchEvent(new Event('visibilitychange'));`;

describeInBrowser('hand-overs and a person who looks elsewhere', function () {
  let panel: PanelWorld;
  let owner: PanelClient;
  let agent: RestClient;
  let opened: PanelPage;
  let page: Page;
  before(async () => {
    panel = await startPanel();
    owner = await signIn(panel.world);
    agent = panel.world.api.as(await owner.createKey({ name: 'agent' }));
    await panel.world.api.createPhone({ name: 'demo' });
  });
  after(() => panel.close());
  beforeEach(async () => {
    opened = await panel.open();
    ({ page } = opened);
  });
  afterEach(async () => {
    expect(opened.complaints).to.deep.equal([]);
    await opened.context.close();
    const { handover } = (await agent.get('/v1/devices/demo')).body.device;
    if (handover !== undefined) await owner.ask('DELETE', `${PATH}/${handover.id}`);
  });

  const begin = async (): Promise<{ id: string }> => {
    const begun = await agent.post(PATH, { reason: 'Type the code' });
    expect(begun.status, begun.bytes.toString()).to.equal(201);
    return begun.body.handover;
  };

  it('are seen in one window of a browser in the background, and in the next one when that is closed', async () => {
    const next = await opened.context.newPage();
    for (const one of [page, next]) {
      await one.goto('/usage');
      await one.getByRole('heading', { name: 'Usage', level: 1 }).waitFor();
      await one.evaluate(HIDE);
    }
    await begin();
    await until(async () => (await page.title()) === '(1) Usage · Cloud phones');
    expect(await next.title()).to.equal('Usage · Cloud phones');
    await page.close();
    await until(async () => (await next.title()) === '(1) Usage · Cloud phones');
  });

  it('are not asked for in the background once the session has ended', async () => {
    // The stream is refused from the start, so its end brings no news of the session.
    await page.route('**/v1/events', (route) => route.fulfill({ status: 401 }));
    await page.goto('/usage');
    await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor();
    await page.evaluate(HIDE);
    await opened.context.clearCookies();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });

  it('are heard as a tone where the person has turned it on, also in the background, and never twice', async () => {
    const tones = (): Promise<number> => page.evaluate<number>('window.tones');
    await page.addInitScript(COUNT_TONES);
    await page.goto('/usage');
    await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor();
    const account = page.getByRole('button', { name: /^Account/ });
    const item = page.getByRole('menuitemcheckbox', { name: 'Tone when a phone needs you' });
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    await page.reload();
    await account.click();
    expect(await item.getAttribute('aria-checked')).to.equal('true');
    // Without a choice the tone is off for those who want few movements.
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await page.reload();
    await account.click();
    expect(await item.getAttribute('aria-checked')).to.equal('false');
    expect(await tones()).to.equal(0);
    await item.click();
    await until(async () => (await tones()) === 1);
    await page.reload();
    await page.getByRole('heading', { name: 'Usage', level: 1 }).click();
    await page.evaluate(HIDE);
    const { id } = await begin();
    await until(async () => (await page.title()) === '(1) Usage · Cloud phones');
    await until(async () => (await tones()) === 1);
    await owner.ask('POST', `${PATH}/${id}/take`, {});
    await owner.ask('POST', `${PATH}/${id}/finish`, {});
    await until(async () => (await page.title()) === 'Usage · Cloud phones');
    expect(await tones()).to.equal(1);
  });
});
