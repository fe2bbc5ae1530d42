import { expect } from 'chai';
import { RestClient } from '../rest-client.js';
import { checkPage } from './check-page.js';
import { describeInBrowser, type PanelWorld, startPanel } from './panel-world.js';

const LONG_NAME = 'a-very-long-name-of-a-phone-that-has-40c';
const SHELF = Array.from({ length: 13 }, (_, index) => `shelf-${index + 1}`);

describeInBrowser('many phones, and long texts, in the panel', function () {
  let panel: PanelWorld;
  before(async () => {
    panel = await startPanel();
    for (const name of [LONG_NAME, ...SHELF]) await panel.world.api.createPhone({ name, start: false });
  });
  after(() => panel.close());

  it('are searched by name, and filtered by state', async () => {
    const { page, context, complaints } = await panel.open();
    await page.goto('/phones');
    await page.getByRole('link', { name: 'Open shelf-1', exact: true }).waitFor();
    await page.getByLabel('Search phones').fill('shelf-1');
    await page.getByRole('link', { name: 'Open shelf-2' }).waitFor({ state: 'detached' });
    expect(await page.getByRole('article').count()).to.equal(5);
    await page.getByLabel('Search phones').fill('nowhere');
    await page.getByText('No such phones').waitFor();
    await page.getByRole('button', { name: 'Show all phones' }).click();
    await page.getByRole('link', { name: 'Open shelf-2' }).waitFor();
    expect(await page.getByLabel('Search phones').inputValue()).to.equal('');
    await page.getByRole('combobox', { name: 'State' }).click();
    await page.getByRole('option', { name: 'stopped' }).click();
    await page.getByRole('link', { name: 'Open shelf-13' }).waitFor();
    await checkPage(page, 'phones-many');
    expect(complaints).to.deep.equal([]);
    await context.close();
  });

  it('are chosen by a search, together with those chosen before', async () => {
    const { page, context } = await panel.open();
    await page.goto('/groups/new');
    await page.getByRole('checkbox', { name: 'shelf-2' }).check();
    await page.getByLabel('Search phones').fill('shelf-1');
    await page.getByRole('button', { name: 'Choose all 5' }).click();
    await page.getByRole('button', { name: 'Run on 6 phones' }).waitFor();
    await page.getByRole('button', { name: 'Choose none' }).click();
    await page.getByRole('button', { name: 'Run on 1 phone' }).waitFor();
    await checkPage(page, 'group-many');
    await context.close();
  });

  it('are to be started where only running ones can be shown', async () => {
    const { page, context } = await panel.open();
    await page.goto('/mirror');
    await page.getByRole('heading', { name: 'No phone is running' }).waitFor();
    expect(await page.getByRole('switch').count()).to.equal(0);
    await page.getByRole('link', { name: 'Go to your phones' }).waitFor();
    await checkPage(page, 'mirror-none');
    await context.close();
  });

  it('leave the short columns of a table on one line', async () => {
    const { email, password } = panel.world;
    const session = new RestClient(panel.world.mesh.url, undefined);
    const { headers } = await session.post('/v1/session', { email, password });
    const cookie = /^[^;]+/.exec(headers.get('set-cookie') ?? '')?.[0] ?? '';
    const webhook_url = `https://hooks.example.com/${'p'.repeat(200)}`;
    const key = { name: 'k'.repeat(100), scope: 'control', devices: [LONG_NAME, ...SHELF], webhook_url };
    const made = await session.post('/v1/keys', key, { headers: { cookie, origin: panel.world.mesh.url } });
    expect(made.status).to.equal(201);
    const { page, context } = await panel.open();
    await page.goto('/settings/keys');
    const scope = page.getByRole('row', { name: /kkk/ }).getByRole('cell', { name: /control$/ });
    const edit = page.getByRole('link', { name: /^Edit kkk/ });
    for (const width of [320, 768, 900, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      expect((await scope.locator('div').boundingBox())!.height, `at ${width}`).to.be.below(30);
      const [table, button] = [(await page.getByRole('table').boundingBox())!, (await edit.boundingBox())!];
      expect(button.x + button.width, `right edge at ${width}`).to.be.below(table.x + table.width);
      expect(table.x + table.width, `right edge of the table at ${width}`).to.be.below(width);
    }
    await checkPage(page, 'keys-long');
    await context.close();
  });
});
