import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { until } from '../../testing/until.js';
import { checkPage } from './check-page.js';
import { describeInBrowser, type PanelPage, type PanelWorld, startPanel } from './panel-world.js';

describeInBrowser('the keyboard and the mouse on the screen of a phone', function () {
  let panel: PanelWorld;
  let opened: PanelPage;
  let page: Page;
  before(async () => {
    panel = await startPanel();
    await panel.world.api.createPhone({ name: 'bench' });
    opened = await panel.open();
    ({ page } = opened);
    const origin = panel.world.mesh.url;
    await opened.context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin });
    await act({ open_app: { app: 'Notes' } });
    await act({ tap: { text: 'New note' } });
    await act({ type: { text: 'Oat milk', target: { text: 'Title', role: 'textfield' } } });
    await page.goto('/phones/bench');
    await page.locator('canvas[data-drawn=true]').waitFor();
    await page.getByLabel('Type on bench').focus();
  });
  after(() => panel.close());

  const act = async (step: object) => (await panel.world.api.post('/v1/devices/bench/act', step)).body;
  const clipboardOfPhone = async (): Promise<string> => (await act({ clipboard: {}, observe: 'none' })).clipboard;
  const clipboardHere = (): Promise<string> => page.evaluate<string>('navigator.clipboard.readText()');
  const typed = async (): Promise<string[]> => {
    const { body } = await panel.world.api.get('/v1/devices/bench/observe?screenshot=none');
    const { elements } = body.observation as { elements: { role: string; text?: string; label?: string }[] };
    return elements.filter(({ role }) => role === 'textfield').map(({ text, label }) => text ?? label ?? '');
  };

  it('select and copy there, to the clipboard here too', async () => {
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Control+c');
    await until(async () => (await clipboardHere()) === 'Oat milk');
    expect(await clipboardOfPhone()).to.equal('Oat milk');
    expect(await typed()).to.include('Oat milk');
  });

  it('cut there, and paste what was copied here', async () => {
    await page.evaluate('navigator.clipboard.writeText("before the cut")');
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Control+x');
    await until(async () => !(await typed()).includes('Oat milk'), 20_000);
    // The panel must have written the cut text, as it would else overwrite the text that is copied here now.
    await until(async () => (await clipboardHere()) === 'Oat milk', 20_000);
    await page.evaluate('navigator.clipboard.writeText("Rye bread")');
    await page.keyboard.press('Control+v');
    await until(async () => (await typed()).includes('Rye bread'), 20_000);
  });

  it('show the text to copy by hand where the browser refuses', async () => {
    await act({ clipboard: { set: 'from the phone' } });
    await page.evaluate('navigator.clipboard.writeText = () => Promise.reject(new Error("refused"))');
    await page.getByRole('button', { name: 'Copy from the phone' }).click();
    const field = page.getByRole('dialog', { name: 'Copied on the phone' }).getByLabel('Text');
    await field.waitFor();
    expect(await field.inputValue()).to.equal('from the phone');
    await until(async () => (await page.evaluate('getSelection().toString()')) === 'from the phone');
    await checkPage(page, 'phone-copied');
    await page.getByRole('button', { name: 'Close' }).click();
  });

  it('pinch while Ctrl is held, with two fingers that are drawn', async () => {
    const sent: { x: number; y: number; phase: string; pointer: number }[] = [];
    page.on('websocket', (socket) =>
      socket.on('framesent', ({ payload }) => {
        for (const { touch } of JSON.parse(String(payload)).events ?? []) if (touch !== undefined) sent.push(touch);
      }),
    );
    await page.reload();
    const canvas = page.locator('canvas[data-drawn=true]');
    await canvas.waitFor();
    const box = (await canvas.boundingBox())!;
    const at = (x: number, y: number): [number, number] => [box.x + box.width * x, box.y + box.height * y];
    await page.mouse.move(...at(0.6, 0.6));
    expect(await page.locator('[data-finger]').count()).to.equal(0);
    await page.keyboard.down('Control');
    await page.locator('[data-finger="1"]').waitFor();
    await page.mouse.down();
    await page.mouse.move(...at(0.7, 0.75), { steps: 4 });
    await page.mouse.up();
    await page.keyboard.up('Control');
    await page.locator('[data-finger]').first().waitFor({ state: 'detached' });
    await until(() => sent.filter(({ phase }) => phase === 'up').length === 2);
    expect(new Set(sent.map(({ pointer }) => pointer)).size).to.equal(2);
    const [first, second] = sent.filter(({ phase }) => phase === 'up');
    // The fingers are mirrored at the centre of 720 x 1280 pixels.
    expect(first!.x + second!.x).to.be.closeTo(720, 4);
    expect(first!.y + second!.y).to.be.closeTo(1280, 4);
    expect(opened.complaints).to.deep.equal([]);
  });
});
