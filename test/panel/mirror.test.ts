import { expect } from 'chai';
import { until } from '../../testing/until.js';
import { checkPage } from './check-page.js';
import { type PanelWorld, startPanel } from './panel-world.js';

const PHONES = ['left', 'right'] as const;

describe('several phones side by side in the panel', function () {
  this.timeout(120_000);
  let panel: PanelWorld;
  before(async () => {
    panel = await startPanel();
    for (const name of PHONES) await panel.world.api.createPhone({ name });
  });
  after(() => panel.close());

  const observed = async (
    name: string,
  ): Promise<{ app: string; elements: { text?: string; center: { x: number; y: number } }[] }> =>
    (await panel.world.api.get(`/v1/devices/${name}/observe?screenshot=none`)).body.observation;
  const allShow = (app: string, phones: readonly string[] = PHONES, withinMs = 20_000): Promise<void> =>
    until(async () => (await Promise.all(phones.map(observed))).every((one) => one.app.includes(app)), withinMs);

  it('take all input on one of them together, and apart once that is turned off', async () => {
    const { page, context, complaints } = await panel.open();
    await page.goto('/mirror');
    await page.getByRole('button', { name: 'Choose all 2' }).click();
    const left = page.getByRole('region', { name: 'left' });
    for (const name of PHONES) {
      await page.getByRole('region', { name }).locator('canvas[data-drawn=true]').waitFor();
    }
    const notes = (await observed('left')).elements.find(({ text }) => text === 'Notes')!;
    // Down and up in one task of the browser: on a busy machine a click takes long enough to be a long press.
    const clickNotes = async (): Promise<void> => {
      const { x, y, width, height } = (await left.locator('canvas').boundingBox())!;
      const [clientX, clientY] = [x + (notes.center.x * width) / 720, y + (notes.center.y * height) / 1280];
      const init = JSON.stringify({ bubbles: true, pointerId: 1, pointerType: 'mouse', button: 0, clientX, clientY });
      await page.evaluate(`for (const type of ['pointerdown', 'pointerup'])
        document.querySelector('section[aria-label=left] canvas').dispatchEvent(new PointerEvent(type, ${init}))`);
    };
    // On a machine that is busy beyond that, the phone itself takes the tap for a long press: back, and again.
    const openNotes = async (phones: readonly string[]): Promise<void> => {
      for (let attempt = 0; attempt < 5; attempt++) {
        await clickNotes();
        const isOpen = await allShow('notes', phones, 6_000).then(
          () => true,
          () => false,
        );
        if (isOpen) return;
        for (const name of phones) await panel.world.api.post(`/v1/devices/${name}/act`, { key: { name: 'BACK' } });
      }
      throw new Error(`Notes was not opened on ${phones.join(' and ')}`);
    };
    await openNotes(PHONES);
    await checkPage(page, 'mirror');
    await left.getByRole('button', { name: 'Home', exact: true }).click();
    await allShow('launcher');
    await page.getByRole('switch', { name: 'Mirror input to all of them' }).uncheck();
    await openNotes(['left']);
    expect((await observed('right')).app).to.contain('launcher');
    expect(complaints).to.deep.equal([]);
    await context.close();
  });
});
