import { expect } from 'chai';
import { until } from '../../testing/until.js';
import { checkPage } from './check-page.js';
import { type PanelWorld, startPanel } from './panel-world.js';

describe('the command palette of the panel', function () {
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
    const search = page.getByRole('textbox', { name: 'Find pages, phones and actions' });
    await page.keyboard.press('Control+k');
    await search.waitFor();
    expect(loaded.filter(isPalette)).to.have.length(1);
    await page.keyboard.type('kios');
    await page.getByRole('dialog').getByText('kiosk').first().waitFor();
    await checkPage(page, 'palette');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'kiosk', level: 1 }).waitFor();
    await search.waitFor({ state: 'detached' });

    await page.keyboard.press('Control+k');
    await search.waitFor();
    await page.keyboard.type('start kio');
    await page.keyboard.press('Enter');
    await until(async () => (await panel.world.api.get('/v1/devices/kiosk')).body.device.state === 'running');

    // Also where the keyboard is the phone's.
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
});
