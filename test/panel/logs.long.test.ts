import { expect } from 'chai';
import { until } from '../../testing/until.js';
import { checkPage } from './check-page.js';
import { describeInBrowser, type PanelWorld, startPanel } from './panel-world.js';

describeInBrowser('the log of a phone in the panel', function () {
  let panel: PanelWorld;
  before(async () => {
    panel = await startPanel();
    await panel.world.api.createPhone({ name: 'demo' });
  });
  after(() => panel.close());

  it('shows lines as the phone writes them, and stands still without Follow', async () => {
    const { page, context, complaints } = await panel.open();
    const requests: string[] = [];
    page.on('request', (request) => requests.push(new URL(request.url()).pathname));
    await page.goto('/phones/demo/logs');
    const log = page.getByRole('log');
    const shows = (text: string): Promise<boolean> => log.innerText().then((shown) => shown.includes(text));
    const openApp = (app: string) => panel.world.api.post('/v1/devices/demo/act', { steps: [{ open_app: { app } }] });
    await log.waitFor();
    await until(() => requests.includes('/v1/devices/demo/logs/stream'), 10_000);
    await openApp('com.cloudphone.settings');
    await until(() => shows('com.cloudphone.settings'), 10_000);
    await checkPage(page, 'phone-logs');
    await page.getByRole('switch', { name: 'Follow' }).click({ force: true });
    await openApp('com.cloudphone.notes');
    const { body } = await panel.world.api.get('/v1/devices/demo/logs');
    expect(JSON.stringify(body)).to.contain('com.cloudphone.notes');
    expect(await shows('com.cloudphone.notes')).to.equal(false);
    await page.getByRole('switch', { name: 'Follow' }).click({ force: true });
    await until(() => shows('com.cloudphone.notes'), 10_000);
    await page.getByLabel('Tag').fill('NoSuchTag');
    await until(() => shows('No lines of this level and tag.'), 10_000);
    // The log is fetched once for each filter, and followed otherwise.
    expect(requests.filter((path) => path === '/v1/devices/demo/logs').length).to.be.at.most(3);
    expect(complaints).to.deep.equal([]);
    await context.close();
  });

  it('goes on by itself when the phone is started again', async () => {
    const { page, context } = await panel.open();
    await page.goto('/phones/demo/logs');
    const log = page.getByRole('log');
    await log.waitFor();
    const turn = async (power: 'stop' | 'start') =>
      panel.world.api.done(await panel.world.api.post(`/v1/devices/demo/${power}`));
    const streamed = (status: number) =>
      page.waitForResponse((response) => response.url().includes('/logs/stream') && response.status() === status);
    await turn('stop');
    await Promise.all([streamed(200), turn('start')]);
    await panel.world.api.post('/v1/devices/demo/act', { steps: [{ open_app: { app: 'com.cloudphone.settings' } }] });
    await until(() => log.innerText().then((shown) => shown.includes('com.cloudphone.settings')), 10_000);
    await context.close();
  });
});
