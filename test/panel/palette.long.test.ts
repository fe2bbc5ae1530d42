import { expect } from 'chai';
import { until } from '../../testing/until.js';
import { checkPage } from './check-page.js';
import { describeInBrowser, type PanelWorld, startPanel } from './panel-world.js';

describeInBrowser('the command palette of the panel', function () {
  let panel: PanelWorld;
  before(async () => {
    panel = await startPanel();
    await panel.world.api.createPhone({ name: 'bench' });
    await panel.world.api.createPhone({ name: 'kiosk', start: false });
  });
  after(() => panel.close());

  it('finds pages, phones and actions, by keyboard alone, and is loaded when it is first opened', async () => {
    const { page, context, complaints } = await panel.open();
    const loaded: string[] = [];
    page.on('request', (request) => loaded.push(request.url()));
    await page.goto('/phones');
    await page.getByRole('article', { name: 'bench' }).waitFor();
    const isPalette = (url: string): boolean => /palette-[\w-]+\.js/.test(url);
    expect(loaded.filter(isPalette)).to.deep.equal([]);
    const search = page.getByRole('combobox', { name: 'Find pages, phones and actions' });
    await page.keyboard.press('Control+k');
    await search.waitFor();
    expect(loaded.filter(isPalette)).to.have.length(1);
    await page.keyboard.type('kios');
    await page.getByRole('option', { name: 'kiosk' }).first().waitFor();
    await checkPage(page, 'palette');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'kiosk', level: 1 }).waitFor();
    await search.waitFor({ state: 'detached' });

    await page.keyboard.press('Control+k');
    await search.waitFor();
    await page.keyboard.type('start kio');
    await page.keyboard.press('Enter');
    await until(async () => (await panel.world.api.get('/v1/devices/kiosk')).body.device.state === 'running');

    // The keys also work where the phone has the keyboard.
    await page.locator('canvas[data-drawn=true]').waitFor();
    await page.getByLabel('Type on kiosk').focus();
    await page.keyboard.press('Control+k');
    await search.waitFor();
    await page.keyboard.press('Escape');
    await search.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Find pages, phones and actions' }).click();
    await search.waitFor();
    await page.keyboard.type('ledger of nobody');
    await page.getByText('Nothing of this name').waitFor();
    await search.fill('');
    await page.keyboard.type('Usage');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor();
    expect(complaints).to.deep.equal([]);
    await context.close();
  });

  it('keeps what is typed while it is loaded', async () => {
    const { page, context, complaints } = await panel.open();
    let load = (): void => undefined;
    const isAsked = new Promise<void>((asked) => {
      void page.route(/palette-[\w-]+\.js/, async (route) => {
        asked();
        await new Promise<void>((go) => (load = go));
        await route.continue();
      });
    });
    await page.goto('/phones');
    await page.getByRole('article', { name: 'bench' }).waitFor();
    await page.keyboard.press('Control+k');
    await isAsked;
    await page.keyboard.type('usagf');
    await page.keyboard.press('Backspace');
    load();
    const search = page.getByRole('combobox', { name: 'Find pages, phones and actions' });
    await search.waitFor();
    expect(await search.inputValue()).to.equal('usag');
    await until(() => search.evaluate<boolean, HTMLElement>((field) => field === field.ownerDocument.activeElement));
    await page.keyboard.type('e');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor();
    expect(complaints).to.deep.equal([]);
    await context.close();
  });

  it('has its first row chosen at all times, and an icon for each', async () => {
    const { page, context, complaints } = await panel.open();
    await page.goto('/phones/bench');
    await page.locator('canvas[data-drawn=true]').waitFor();
    await page.getByRole('button', { name: 'Find pages, phones and actions' }).getByText('Ctrl K').waitFor();
    await page.keyboard.press('Control+k');
    const options = page.getByRole('option');
    const chosen = page.getByRole('option', { selected: true });
    await options.first().waitFor();
    const search = page.getByRole('combobox', { name: 'Find pages, phones and actions' });
    const first = async (): Promise<void> => {
      expect(await chosen.count()).to.equal(1);
      expect(await chosen.getAttribute('id')).to.equal(await options.first().getAttribute('id'));
      expect(await search.getAttribute('aria-activedescendant')).to.equal(await chosen.getAttribute('id'));
    };
    await first();
    // The first action, which Enter takes, is harmless.
    expect(await chosen.innerText()).to.equal('Save a picture');
    expect(await options.locator('svg:first-child').count()).to.equal(await options.count());
    await page.keyboard.press('ArrowDown');
    expect(await chosen.innerText()).to.equal('Turn to landscape');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    expect(await chosen.getAttribute('id')).to.equal(await options.last().getAttribute('id'));
    await page.keyboard.type('th');
    await first();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(complaints).to.deep.equal([]);
    await context.close();
  });

  it('works the phone in view: turns it, saves its screen, opens its tabs, stops it', async () => {
    const { page, context, complaints } = await panel.open();
    await page.goto('/phones/bench');
    await page.locator('canvas[data-drawn=true]').waitFor();
    const find = async (text: string): Promise<void> => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Find pages, phones and actions' }).fill(text);
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    };
    await find('turn to');
    await page.getByRole('button', { name: 'Turn upright' }).waitFor();
    await find('turn up');
    await page.getByRole('button', { name: 'Turn to landscape' }).waitFor();
    const download = page.waitForEvent('download');
    await find('save a pic');
    expect((await download).suggestedFilename()).to.match(/^bench .*\.png$/);
    await find('open snap');
    await page.getByRole('tab', { name: 'Snapshots', selected: true }).waitFor();
    await find('stop');
    await until(async () => (await panel.world.api.get('/v1/devices/bench')).body.device.state === 'stopped');
    // Actions of a page that is no longer shown are not offered.
    await page.goto('/usage');
    await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('option').first().waitFor();
    expect(await page.getByRole('option', { name: 'Save a picture' }).count()).to.equal(0);
    await page.keyboard.press('Escape');
    expect(complaints).to.deep.equal([]);
    await context.close();
  });

  it('changes the colours, and leads to the documentation', async () => {
    const { page, context, complaints } = await panel.open();
    await page.goto('/phones');
    await page.getByRole('article', { name: 'bench' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByRole('combobox').fill('theme');
    await page.getByRole('option', { name: 'Use dark colours' }).click();
    await page.locator(':root[data-mantine-color-scheme=dark]').waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByRole('combobox').fill('system');
    await page.keyboard.press('Enter');
    await page.locator(':root[data-mantine-color-scheme=light]').waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByRole('combobox').fill('docs');
    const opened = context.waitForEvent('page');
    await page.keyboard.press('Enter');
    const docs = await opened;
    await docs.waitForLoadState();
    expect(new URL(docs.url()).pathname).to.match(/^\/docs\//);
    expect((await docs.request.get(docs.url())).status()).to.equal(200);
    expect(complaints).to.deep.equal([]);
    await context.close();
  });
});
