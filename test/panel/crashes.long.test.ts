import { expect } from 'chai';
import { until } from '../../testing/until.js';
import { checkPage } from './check-page.js';
import { describeInBrowser, type PanelPage, type PanelWorld, startPanel } from './panel-world.js';

const NOTES = 'com.cloudphone.notes';
const SETTINGS = 'com.cloudphone.settings';

describeInBrowser('crashes in the panel', () => {
  let panel: PanelWorld;
  let opened: PanelPage;

  before(async () => {
    panel = await startPanel();
    await panel.world.api.createPhone({ name: 'demo' });
  });
  after(() => panel.close());
  beforeEach(async () => {
    opened = await panel.open();
  });
  afterEach(async () => {
    expect(opened.complaints).to.deep.equal([]);
    await opened.context.close();
  });

  it('come as they happen, and show their trace, which can be copied', async () => {
    const { page } = opened;
    const { world } = panel;
    const list = async () => (await world.api.get('/v1/devices/demo/crashes')).body.crashes;
    const device = await world.database.collection('devices').findOne({ name: 'demo' });
    const fail = async (app: string, failure: 'java' | 'native'): Promise<void> => {
      await world.api.post('/v1/devices/demo/act', { open_app: { app } });
      await world.phones.setFaults(String(device?._id), { appFailure: { package: app, failure } }, false);
    };
    await page.goto('/phones/demo/crashes');
    await page.getByText('No crashes', { exact: true }).waitFor();
    await fail(NOTES, 'java');
    await page.getByRole('cell', { name: NOTES }).waitFor();
    await fail(SETTINGS, 'native');
    await page.getByRole('cell', { name: SETTINGS }).waitFor();
    await until(async () => (await list()).length === 2);
    await checkPage(page, 'crashes');
    const [{ id, trace }] = await list();
    await page.getByRole('button', { name: `Trace of ${id as string}` }).click();
    const shown = page.getByRole('region', { name: `Trace of ${id as string}` });
    await shown.waitFor();
    expect(await shown.textContent()).to.equal(trace);
    await checkPage(page, 'crash-trace');
    await opened.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy the trace' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
  });
});
