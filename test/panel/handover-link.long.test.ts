import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { until } from '../../testing/until.js';
import { type PanelClient, signIn } from '../access/people.js';
import type { RestClient } from '../rest-client.js';
import { checkPage } from './check-page.js';
import { describeInBrowser, type PanelPage, type PanelWorld, startPanel } from './panel-world.js';

const PATH = '/v1/devices/demo/handovers';
const REASON = 'Type the code from the message.\nIt comes from 12345.';
/** Text that is no text to a page which does not escape it. */
const HOSTILE = `<img src=x onerror="document.title='owned'">`;

describeInBrowser('the link of a hand-over', function () {
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
    await panel.letClicksLast('demo');
  });
  after(() => panel.close());
  beforeEach(async () => {
    opened = await panel.open({ signedIn: false });
    ({ page } = opened);
  });
  afterEach(async () => {
    expect(opened.complaints).to.deep.equal([]);
    await opened.context.close();
    for (const { id, state } of (await owner.ask('GET', PATH)).body.handovers)
      if (state === 'waiting' || state === 'taken') await owner.ask('DELETE', `${PATH}/${id}`);
  });

  const begin = async (reason = REASON): Promise<{ id: string; url: string }> => {
    const begun = await agent.post(PATH, { reason, timeout_s: 600 });
    expect(begun.status, begun.bytes.toString()).to.equal(201);
    return begun.body.handover;
  };
  const read = async (id: string, waitS = 0) => (await agent.get(`${PATH}/${id}?wait_s=${waitS}`)).body.handover;
  const drawn = (): Promise<void> => page.locator('canvas[data-drawn=true]').waitFor();
  const asked = () => page.getByRole('region', { name: 'What you are asked to do' });
  const app = async (): Promise<string> =>
    (await agent.get('/v1/devices/demo/observe?screenshot=none')).body.observation.app;
  const touchSettings = async (): Promise<void> => {
    const { body } = await agent.get('/v1/devices/demo/observe?screenshot=none');
    const { center } = body.observation.elements.find(({ text }: { text?: string }) => text === 'Settings');
    const screen = page.locator('canvas');
    const { width, height } = (await screen.boundingBox())!;
    await screen.click({ position: { x: (center.x * width) / 720, y: (center.y * height) / 1280 } });
  };
  const giveBack = async (note: string): Promise<void> => {
    await asked().getByRole('button', { name: 'Give back' }).click();
    const dialog = page.getByRole('dialog', { name: 'Give demo back?' });
    await dialog.getByLabel('Note').fill(note);
    await dialog.getByRole('button', { name: 'Give back' }).click();
  };

  it('shows what is asked, is taken by the button, takes touches, and gives the phone back with a note', async () => {
    const { id, url } = await begin();
    const waiting = read(id, 60);
    const requests: string[] = [];
    page.on('request', (request) => requests.push(new URL(request.url()).pathname));
    await page.goto(url);
    expect(await asked().getByText('It comes from').innerText()).to.equal(REASON);
    await page.getByText(/^(9|10) min left$/).waitFor();
    await drawn();
    await checkPage(page, 'handover-link');
    await asked().getByRole('button', { name: 'Take' }).click();
    await asked().getByText('Taken by a person with the link').waitFor();
    expect((await read(id)).taken_by).to.equal('share');
    await until(async () => (await page.evaluate<string>('document.activeElement.textContent')) === 'Give back');
    const home = await app();
    await touchSettings();
    await until(async () => (await app()) !== home);
    await page.getByRole('button', { name: 'Home' }).click();
    await until(async () => (await app()) === home);
    await asked().getByRole('button', { name: 'Give back' }).click();
    await checkPage(page, 'handover-link-give-back');
    await page.keyboard.press('Escape');
    await giveBack('The code was 4711.');
    await page.getByRole('heading', { name: 'Given back' }).waitFor();
    await page.getByText('You can close this page.').waitFor();
    expect(await waiting).to.deep.include({ state: 'done', result: { note: 'The code was 4711.' } });
    expect(await page.evaluate<string>('document.activeElement.textContent')).to.equal('Given back');
    await checkPage(page, 'handover-link-given-back');
    const actions = [`${PATH}/${id}/take`, `${PATH}/${id}/finish`];
    const others = requests.filter((path) => path.startsWith('/v1/') && path !== '/v1/share');
    expect(others).to.deep.equal(actions);
    await page.reload();
    await page.getByRole('heading', { name: 'This link has ended' }).waitFor();
    await page.getByText('the phone was given back').waitFor();
  });

  it('takes the phone with the first touch, key or text, and with nothing else', async () => {
    const { id, url } = await begin();
    await page.goto(url);
    await drawn();
    await page.getByRole('button', { name: 'Type on the phone' }).click();
    await page.keyboard.press('Tab');
    expect((await read(id)).state).to.equal('waiting');
    const home = await app();
    await touchSettings();
    await asked().getByRole('button', { name: 'Give back' }).waitFor();
    expect(await read(id)).to.include({ state: 'taken', taken_by: 'share' });
    await until(async () => (await app()) !== home);
    // The screen keeps the focus, so what is typed next goes to the phone.
    expect(await page.evaluate<string>('document.activeElement.ariaLabel')).to.equal('Type on demo');
    await page.keyboard.press('Escape');
    await until(async () => (await app()) === home);
    await giveBack('');
    await page.getByRole('heading', { name: 'Given back' }).waitFor();
    expect(await read(id)).to.deep.include({ state: 'done', result: {} });
  });

  it('says so when somebody else has ended it, and when its time is over', async () => {
    const { id, url } = await begin();
    await page.goto(url);
    await drawn();
    await agent.delete(`${PATH}/${id}`);
    await page.getByRole('heading', { name: 'This has ended' }).waitFor();
    await page.getByText('demo was given back by somebody else, or is not needed any more.').waitFor();
    await checkPage(page, 'handover-link-ended');
    const next = await begin();
    await page.goto('about:blank');
    await page.goto(next.url);
    await drawn();
    // The least time is 30 s, and the service has the only clock, so the documents are made older.
    const past = new Date(Date.now() - 1);
    const { database } = panel.world;
    await database.collection('shares').updateOne({ handoverId: next.id }, { $set: { expiresAt: past } });
    await database
      .collection('devices')
      .updateOne({ 'handover.id': next.id }, { $set: { 'handover.expiresAt': past } });
    await page.getByRole('heading', { name: /^This has ended|^The time is over/ }).waitFor();
    expect((await read(next.id, 60)).state).to.equal('expired');
  });

  it('closes for a person who is about to give back what the panel has given back', async () => {
    const { id, url } = await begin();
    await page.goto(url);
    await drawn();
    await asked().getByRole('button', { name: 'Take' }).click();
    await asked().getByRole('button', { name: 'Give back' }).click();
    await page.getByRole('dialog').getByLabel('Note').fill('too late');
    await owner.ask('POST', `${PATH}/${id}/finish`, { note: 'from the panel' });
    await page.getByRole('heading', { name: 'This has ended' }).waitFor();
    expect(await page.getByRole('dialog').count()).to.equal(0);
    expect((await read(id)).result).to.deep.equal({ note: 'from the panel' });
  });

  it('shows the text of a program as text within the window, and the whole screen beside or below it', async () => {
    const { url } = await begin(`${HOSTILE}\n${'x'.repeat(500 - HOSTILE.length - 1)}`);
    await page.goto(url);
    await asked().getByText(HOSTILE).waitFor();
    await drawn();
    expect(await page.locator('img[src=x]').count()).to.equal(0);
    expect(await page.title()).to.equal('demo · Live screen');
    await checkPage(page, 'handover-link-hostile');
    for (const size of [
      { width: 320, height: 640 },
      { width: 740, height: 360 },
      { width: 1440, height: 900 },
    ]) {
      await page.setViewportSize(size);
      const frame = page.locator('[data-frame]');
      await until(async () => {
        const box = (await frame.boundingBox())!;
        const bar = (await page.getByRole('toolbar').boundingBox())!;
        return box.x >= 0 && box.x + box.width <= size.width && box.width > 150 && bar.y > box.y + box.height;
      }, 30_000);
    }
  });

  it('is not the place of an ordinary share, which shows nothing of the hand-over', async () => {
    const { share } = (await owner.ask('POST', '/v1/devices/demo/shares', { access: 'read' })).body;
    await begin();
    await page.goto(share.url);
    await drawn();
    await page.getByText('View only').waitFor();
    expect(await asked().count()).to.equal(0);
  });
});
