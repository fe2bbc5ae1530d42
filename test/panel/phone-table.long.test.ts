import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { until } from '../../testing/until.js';
import { checkPage } from './check-page.js';
import { describeInBrowser, type PanelWorld, startPanel } from './panel-world.js';

const NAMES = ['ada', 'bea', 'cleo', 'dora'];

/** A script that returns the row that has the focus. */
const ROW = `document.activeElement.closest('[data-row]')?.dataset.row`;

describeInBrowser('the table of phones in the panel', function () {
  let panel: PanelWorld;
  before(async () => {
    panel = await startPanel();
    for (const name of NAMES) await panel.world.api.createPhone({ name, start: false });
    const labels = { team: 'a-team-with-a-long-name', floor: 'the-second-one', room: 'at-the-end-of-it' };
    await panel.world.api.ask('PATCH', '/v1/devices/bea', { labels });
  });
  after(() => panel.close());

  const row = (page: Page): Promise<string | undefined> => page.evaluate<string | undefined>(ROW);

  it('has rows of 36 pixels, whatever is in them', async () => {
    const { page, context } = await panel.open();
    await page.goto('/phones?as=table');
    await page.getByRole('row', { name: /bea/ }).waitFor();
    for (const width of [1024, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      for (const name of NAMES) {
        const box = (await page.locator(`[data-row=${name}]`).boundingBox())!;
        // The height includes the line above the row.
        expect(box.height, `${name} at ${width}`).to.be.within(36, 37);
      }
      expect(
        await page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth'),
      ).to.equal(0);
      const [table, menu] = [
        (await page.getByRole('table').boundingBox())!,
        (await page.getByRole('button', { name: 'More actions for bea' }).boundingBox())!,
      ];
      expect(menu.x + menu.width, `buttons at ${width}`).to.be.at.most(table.x + table.width);
    }
    await context.close();
  });

  it('is used by j, k, x and Enter', async () => {
    const { page, context, complaints } = await panel.open();
    await page.goto('/phones');
    // The choice then has the focus, and takes none of the letters.
    await page.getByText('Table', { exact: true }).click();
    await page.getByRole('row', { name: /bea/ }).waitFor();
    await page.keyboard.press('j');
    expect(await row(page)).to.equal('ada');
    for (const key of ['j', 'j', 'k']) await page.keyboard.press(key);
    expect(await row(page)).to.equal('bea');
    await page.keyboard.press('x');
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.getByText('2 of 4 chosen').waitFor();
    expect(await page.getByRole('checkbox', { name: 'Choose bea' }).isChecked()).to.equal(true);
    await checkPage(page, 'phones-table-keys');
    await page.keyboard.press('x');
    await page.getByText('1 of 4 chosen').waitFor();
    // At the ends there is no further row.
    for (const key of ['j', 'j', 'j']) await page.keyboard.press(key);
    expect(await row(page)).to.equal('dora');
    // Letters in a field are text.
    await page.getByLabel('Search phones').focus();
    await page.keyboard.type('jxk');
    expect(await page.getByLabel('Search phones').inputValue()).to.equal('jxk');
    await page.getByLabel('Search phones').fill('');
    await page.getByRole('row', { name: /cleo/ }).waitFor();
    await page.getByLabel('Search phones').evaluate('document.activeElement.blur()');
    // The keys go on from the last row.
    await page.keyboard.press('k');
    expect(await row(page)).to.equal('cleo');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'cleo', level: 1 }).waitFor();
    expect(complaints).to.deep.equal([]);
    await context.close();
  });

  it('keeps the chosen columns in the browser', async () => {
    const { page, context, complaints } = await panel.open();
    await page.goto('/phones?as=table');
    const headings = (): Promise<string[]> => page.getByRole('columnheader').allInnerTexts();
    await page.getByRole('row', { name: /bea/ }).waitFor();
    expect(await headings())
      .to.include('Labels')
      .and.not.include('Created');
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('checkbox', { name: 'Labels' }).uncheck();
    await page.getByRole('checkbox', { name: 'Created' }).check();
    await page.keyboard.press('Escape');
    await page.reload();
    await page.getByRole('columnheader', { name: 'Created' }).waitFor();
    expect(await headings()).not.to.include('Labels');
    await page.getByRole('button', { name: 'Columns' }).click();
    for (const label of ['Labels', 'Android', 'Address', 'Driver'])
      await page.getByRole('checkbox', { name: label }).check();
    await page.keyboard.press('Escape');
    await until(async () => (await headings()).length === 12);
    await checkPage(page, 'phones-table-columns');
    expect(complaints).to.deep.equal([]);
    await context.close();
  });
});
