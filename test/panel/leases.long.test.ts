import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { until } from '../../testing/until.js';
import { signIn } from '../access/people.js';
import type { RestClient } from '../rest-client.js';
import { checkPage } from './check-page.js';
import { describeInBrowser, type PanelPage, type PanelWorld, startPanel } from './panel-world.js';

describeInBrowser('leases in the panel', function () {
  let panel: PanelWorld;
  let opened: PanelPage;
  let page: Page;
  let ci: RestClient;
  before(async () => {
    // Room for two phones of a pool beside the two of the account.
    panel = await startPanel({ quotas: { devices: 4, storageBytes: 1e12 } });
    const owner = await signIn(panel.world);
    ci = panel.world.api.as(await owner.createKey({ name: 'ci' }));
    for (const name of ['demo', 'other']) await panel.world.api.createPhone({ name });
    opened = await panel.open();
    ({ page } = opened);
  });
  after(() => panel.close());
  afterEach(() => expect(opened.complaints).to.deep.equal([]));

  const lease = async (device = 'demo'): Promise<string> => {
    const { body } = await ci.post('/v1/leases', { device, ttl_s: 3_600, note: 'nightly run' });
    return body.lease.id;
  };
  const drawn = (): Promise<void> => page.locator('canvas[data-drawn=true]').waitFor();
  const banner = () => page.getByRole('region', { name: 'Lease' });

  it('show on the page of a phone who has it, turn what changes it off, and go on watching', async () => {
    await page.goto('/phones/demo');
    await drawn();
    await page.getByLabel('Type on demo').waitFor();
    const id = await lease();
    await banner()
      .getByText(/^Leased by ci until .*\d\d:\d\d — nightly run/)
      .waitFor();
    await page.getByLabel('Type on demo').waitFor({ state: 'detached' });
    // The service has closed the screen that could touch; this one watches.
    await drawn();
    expect(await page.getByRole('toolbar', { name: 'Buttons of the phone' }).getByRole('button').count()).to.equal(2);
    const stop = page.getByRole('button', { name: 'Stop demo' });
    expect([await stop.isDisabled(), await stop.getAttribute('title')]).to.satisfy(
      ([isOff, title]: [boolean, string]) => isOff && title.startsWith('Leased by ci'),
    );
    expect(await page.getByLabel('New label').isDisabled()).to.equal(true);
    await checkPage(page, 'phone-leased');
    await page.goto('/phones/demo/snapshots');
    expect(await page.getByRole('button', { name: 'Take snapshot' }).isDisabled()).to.equal(true);
    await page.goto('/phones/demo/logs');
    expect(await page.getByRole('combobox', { name: 'Level' }).isEnabled()).to.equal(true);
    await ci.delete(`/v1/leases/${id}`);
    await banner().waitFor({ state: 'detached' });
    await page.getByLabel('Type on demo').waitFor();
  });

  it('are in lists: a badge of the phone, and all of them with a button that ends each', async () => {
    await lease();
    await lease('other');
    await page.goto('/phones');
    await page.getByRole('article', { name: 'demo' }).getByText('leased').waitFor();
    await checkPage(page, 'phones-leased');
    await page.goto('/phones?as=table');
    await page.getByRole('row', { name: /demo/ }).getByText('leased').waitFor();
    await checkPage(page, 'phones-leased-table');
    await page.goto('/leases');
    await page
      .getByRole('row', { name: /^demo ci nightly run/ })
      .getByText('keep')
      .waitFor();
    await checkPage(page, 'leases');
    await page.getByRole('button', { name: 'End lease of demo' }).click();
    await page.getByText('ci loses the phone at once').waitFor();
    await page.getByRole('button', { name: 'End lease', exact: true }).last().click();
    await page.getByRole('row', { name: /^demo/ }).waitFor({ state: 'detached' });
    expect((await ci.get('/v1/leases')).body.leases.map(({ device }: { device: string }) => device)).to.deep.equal([
      'other',
    ]);
    // A lease that a program ends leaves the list by an event.
    const { body } = await ci.get('/v1/leases');
    await ci.delete(`/v1/leases/${body.leases[0].id}`);
    await page.getByText('No phone is leased').waitFor();
  });

  it('of a pool: it is made with its cost, shown with its phones, changed and deleted', async () => {
    await page.goto('/pools');
    await page.getByText('No pools yet').waitFor();
    await page.getByRole('link', { name: 'Create a pool' }).first().click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('ci');
    await page.getByLabel('Ready').fill('2');
    await page.getByText(/^2 ready phones cost \d+\.\d+ USD an hour/).waitFor();
    await page.getByRole('radio', { name: 'By the month' }).check();
    await page.getByText(/^2 ready phones cost \d+\.\d+ USD a month/).waitFor();
    await page.getByText(/^Each phone that the pool makes is charged a whole month, 12\.00 USD\./).waitFor();
    await page.getByText(/at_end: restore keeps only those of a template\.$/).waitFor();
    await checkPage(page, 'pool-new-month');
    await page.getByRole('radio', { name: 'By the minute' }).check();
    await page.getByText('Each phone that the pool makes').waitFor({ state: 'detached' });
    await page.getByLabel('New label').fill('of:ci');
    await page.getByLabel('New label').press('Enter');
    await checkPage(page, 'pool-new');
    await page.getByRole('button', { name: 'Create pool' }).click();
    await page.getByRole('heading', { name: 'ci', level: 1 }).waitFor();
    await page.getByText('2 of 2').waitFor();
    const { body } = await ci.post('/v1/leases', { pool: 'ci', note: 'nightly run' });
    const name: string = body.device.name;
    await page.getByRole('row', { name }).getByText('Leased by ci').waitFor();
    // The account has no room for the next one.
    await page.getByRole('region', { name: 'Now' }).getByText('The account has 4 of the 4 phones').waitFor();
    await checkPage(page, 'pool');
    await page.goto('/health');
    await page.getByRole('table', { name: 'Pools with a problem' }).getByRole('link', { name: 'ci' }).waitFor();
    await page.getByText('1 problem').waitFor();
    await checkPage(page, 'health-pool');
    await page.getByRole('link', { name: 'ci', exact: true }).click();
    await page.getByRole('link', { name: 'Back to Pools' }).click();
    await page.getByRole('row', { name: /^ci phone-720p/ }).waitFor();
    await checkPage(page, 'pools');
    await page.goto(`/phones/${name}`);
    await page.getByRole('link', { name: 'See the pool ci' }).click();
    await page.getByLabel('Ready').fill('0');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    expect((await ci.get('/v1/pools/ci')).body.pool).to.deep.include({ ready: 0, most: 10, labels: { of: 'ci' } });
    await page.getByRole('button', { name: 'Delete…' }).click();
    await page.getByRole('button', { name: 'Delete pool' }).click();
    await page.getByText('No pools yet').waitFor();
    await ci.delete(`/v1/leases/${body.lease.id}`);
    await until(async () => (await ci.get('/v1/devices')).body.devices.length === 2);
  });
});
