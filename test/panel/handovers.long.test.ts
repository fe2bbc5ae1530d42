import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { until } from '../../testing/until.js';
import { type PanelClient, signIn } from '../access/people.js';
import type { Answer, RestClient } from '../rest-client.js';
import { checkPage } from './check-page.js';
import { describeInBrowser, type PanelPage, type PanelWorld, startPanel } from './panel-world.js';

const PATH = '/v1/devices/demo/handovers';
const REASON = 'Type the code from the message.\nIt comes from 12345.';
/** Text that is no text to a page which does not escape it, and a word that is wider than any window. */
const HOSTILE = `<img src=x onerror="document.title='owned'">`;
const LONG_WORD = 'w'.repeat(500);

describeInBrowser('hand-overs in the panel', function () {
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
    opened = await panel.open();
    ({ page } = opened);
  });
  afterEach(async () => {
    expect(opened.complaints).to.deep.equal([]);
    await opened.context.close();
    for (const { id, state } of (await owner.ask('GET', PATH)).body.handovers)
      if (state === 'waiting' || state === 'taken') await owner.ask('DELETE', `${PATH}/${id}`);
    for (const { id } of (await owner.ask('GET', '/v1/leases')).body.leases)
      await owner.ask('DELETE', `/v1/leases/${id}`);
    await until(async () => (await agent.get('/v1/devices/demo')).body.device.lease === undefined);
  });

  const begin = async (reason = REASON): Promise<{ id: string; url: string }> => {
    const begun = await agent.post(PATH, { reason, timeout_s: 600 });
    expect(begun.status, begun.bytes.toString()).to.equal(201);
    return begun.body.handover;
  };
  const read = async (id: string, waitS = 0) => (await agent.get(`${PATH}/${id}?wait_s=${waitS}`)).body.handover;
  const drawn = (): Promise<void> => page.locator('canvas[data-drawn=true]').waitFor();
  const banner = () => page.getByRole('region', { name: 'Hand-over' });
  const app = async (): Promise<string> =>
    (await agent.get('/v1/devices/demo/observe?screenshot=none')).body.observation.app;
  const touchSettings = async (): Promise<void> => {
    const { body }: Answer = await agent.get('/v1/devices/demo/observe?screenshot=none');
    const { center } = body.observation.elements.find(({ text }: { text?: string }) => text === 'Settings');
    const screen = page.locator('canvas');
    const { width, height } = (await screen.boundingBox())!;
    await screen.click({ position: { x: (center.x * width) / 720, y: (center.y * height) / 1280 } });
  };
  const goHome = async (home: string): Promise<void> => {
    await page.getByRole('toolbar', { name: 'Buttons of the phone' }).getByRole('button', { name: 'Home' }).click();
    await until(async () => (await app()) === home);
  };

  it('show on every page at once, and are taken, worked on and given back with a note', async () => {
    await page.goto('/usage');
    await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor();
    expect(await page.title()).to.equal('Usage · Cloud phones');
    await begin();
    const link = page.getByRole('link', { name: 'Phones , 1 phone needs a person' });
    await link.waitFor();
    await until(async () => (await page.title()) === '(1) Usage · Cloud phones');
    await page
      .getByRole('status', { name: 'Hand-overs' })
      .getByText('demo needs a person')
      .waitFor({ state: 'attached' });
    await link.click();
    const list = page.getByRole('region', { name: '1 phone needs a person' });
    await list.getByText('Type the code from the message.').waitFor();
    await page.getByRole('article', { name: 'demo' }).getByText('needs a person').waitFor();
    await checkPage(page, 'phones-handover');
    await page.setViewportSize({ width: 320, height: 640 });
    await page.getByRole('button', { name: 'Open the navigation, 1 phone needs a person' }).waitFor();
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto('/phones?as=table');
    await page.getByRole('row', { name: /demo/ }).getByText('needs a person').waitFor();
    await checkPage(page, 'phones-handover-table');

    const { id } = (await agent.get('/v1/devices/demo')).body.device.handover;
    const waiting = read(id, 60);
    await list.getByRole('button', { name: 'Take demo' }).click();
    await page.waitForURL('**/phones/demo');
    await banner().getByText('agent asks for a person').waitFor();
    expect(await banner().getByText('It comes from').innerText()).to.equal(REASON);
    await banner()
      .getByText(/^(9|10) min left$/)
      .waitFor();
    await banner()
      .getByText(/^Taken by a person in the panel at \d\d:\d\d\./)
      .waitFor();
    await page.getByRole('link', { name: 'Phones', exact: true }).first().waitFor();
    await until(async () => (await page.title()) === 'demo · Cloud phones');
    await drawn();
    await checkPage(page, 'phone-handover-taken');
    const home = await app();
    await touchSettings();
    await until(async () => (await app()) !== home);
    await goHome(home);
    await banner().getByRole('button', { name: 'Give back' }).click();
    const dialog = page.getByRole('dialog', { name: 'Give demo back?' });
    await dialog.getByLabel('Note').fill('Signed in.\tThe code was 4711.\nAll is well.');
    await checkPage(page, 'phone-handover-give-back');
    await dialog.getByRole('button', { name: 'Give back' }).click();
    const note = 'Signed in. The code was 4711.\nAll is well.';
    expect(await waiting).to.deep.include({ state: 'done', result: { note }, taken_by: 'panel' });
    await page.getByText('demo was given back to agent.').waitFor();
    await banner().waitFor({ state: 'detached' });
    await checkPage(page, 'phone-handover-given-back');
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await page.getByText('demo was given back to agent.').waitFor({ state: 'detached' });
  });

  it('of a phone that a program has leased are for people, who may change everything', async () => {
    await agent.post('/v1/leases', { device: 'demo', ttl_s: 3_600, note: 'nightly run' });
    await page.goto('/phones/demo');
    await drawn();
    await page.getByRole('region', { name: 'Lease' }).waitFor();
    expect(await page.getByLabel('Type on demo').count()).to.equal(0);
    await begin();
    await banner().waitFor();
    await page.getByLabel('Type on demo').waitFor({ state: 'attached' });
    expect(await page.getByRole('button', { name: 'Stop demo' }).isEnabled()).to.equal(true);
    expect(await page.getByLabel('New label').isEnabled()).to.equal(true);
    await drawn();
    const home = await app();
    await touchSettings();
    await until(async () => (await app()) !== home);
    await goHome(home);
    await checkPage(page, 'phone-handover-leased');
    await banner().getByRole('button', { name: 'Cancel the hand-over of demo' }).click();
    await page.getByText('The hand-over of demo to a person was cancelled.').waitFor();
    await page.getByLabel('Type on demo').waitFor({ state: 'detached' });
  });

  it('are taken and given back by keyboard alone, with the focus where it is needed', async () => {
    await page.goto('/phones/demo');
    await drawn();
    const { id } = await begin();
    await banner().getByRole('button', { name: 'Take demo' }).focus();
    await page.keyboard.press('Enter');
    const focused = (): Promise<string> => page.evaluate<string>('document.activeElement.textContent');
    await until(async () => (await focused()) === 'Give back');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Give demo back?' });
    await dialog.waitFor();
    await until(() => page.evaluate<boolean>('document.activeElement.tagName === "TEXTAREA"'));
    await page.keyboard.type('Done');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    expect(await focused()).to.equal('Give back');
    await page.keyboard.press('Enter');
    expect(await read(id, 60)).to.deep.include({ state: 'done', result: { note: 'Done' } });
    await until(async () => (await focused()).startsWith('demo was given back to agent.'));
  });

  it('that end elsewhere go away and say how', async () => {
    await page.goto('/phones/demo');
    await drawn();
    const { id } = await begin();
    await banner().waitFor();
    await agent.delete(`${PATH}/${id}`);
    await page.getByText('The hand-over of demo to a person was cancelled.').waitFor();
    expect(await banner().count()).to.equal(0);

    const next = await begin();
    await banner().waitFor();
    await page.getByText('was cancelled.').waitFor({ state: 'detached' });
    // The least time is 30 s, and the service has the only clock, so the document is made older.
    const over = { $set: { 'handover.expiresAt': new Date(Date.now() - 1) } };
    await panel.world.database.collection('devices').updateOne({ 'handover.id': next.id }, over);
    await page.getByText('The time was over, so demo went back to agent.').waitFor();
    expect((await read(next.id)).state).to.equal('expired');
  });

  it('are one for two people: the second sees who took the phone, and the first that it was given back', async () => {
    await page.goto('/phones/demo');
    await begin();
    await banner().getByRole('button', { name: 'Take demo' }).waitFor();
    const second = await panel.open();
    await second.page.goto('/phones');
    await second.page.getByRole('button', { name: 'Take demo' }).click();
    await second.page.getByText('Taken by a person in the panel').waitFor();
    await banner().getByText('Taken by a person in the panel').waitFor();
    await second.page.getByRole('button', { name: 'Give back' }).click();
    await second.page.getByLabel('Note').waitFor();
    await banner().getByRole('button', { name: 'Give back' }).click();
    const dialog = page.getByRole('dialog', { name: 'Give demo back?' });
    await dialog.getByLabel('Note').fill('from the first');
    await dialog.getByRole('button', { name: 'Give back' }).click();
    await second.page.getByText('demo was given back to agent.').waitFor();
    await second.page.getByText('“from the first”').waitFor();
    expect(await second.page.getByRole('dialog').count()).to.equal(0);
    expect(second.complaints).to.deep.equal([]);
    await second.context.close();
  });

  it('are in the timeline with what the person wrote', async () => {
    await owner.ask('PATCH', '/v1/devices/demo', { timeline: true });
    const { id } = await begin('Type the code');
    await owner.ask('POST', `${PATH}/${id}/take`, {});
    await owner.ask('POST', `${PATH}/${id}/finish`, { note: 'Signed in' });
    await page.goto('/phones/demo/timeline');
    await page.getByRole('combobox', { name: 'Show' }).click();
    await page.getByRole('option', { name: 'Hand-overs' }).click();
    await page.getByRole('button', { name: 'Asked a person: “Type the code”, who wrote “Signed in”' }).waitFor();
    await owner.ask('PATCH', '/v1/devices/demo', { timeline: false });
  });

  it('show the text of a program as text, and a word of any length within the window', async () => {
    await begin(`${HOSTILE}\n${'x'.repeat(500 - HOSTILE.length - 1)}`);
    await page.goto('/phones/demo');
    await banner().getByText(HOSTILE).waitFor();
    await page.locator('canvas[data-drawn=true]').waitFor();
    await checkPage(page, 'phone-handover-hostile');
    await page.goto('/phones');
    await page.getByRole('region', { name: '1 phone needs a person' }).getByText(HOSTILE).waitFor();
    await checkPage(page, 'phones-handover-hostile');
    expect(await page.locator('img[src=x]').count()).to.equal(0);
    expect(await page.title()).to.equal('(1) Phones · Cloud phones');
    const { id } = (await agent.get('/v1/devices/demo')).body.device.handover;
    await agent.delete(`${PATH}/${id}`);
    await begin(LONG_WORD);
    await page.goto('/phones/demo');
    await banner().getByText(LONG_WORD).waitFor();
    await checkPage(page, 'phone-handover-long-word');
  });
});
