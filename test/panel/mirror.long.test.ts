import { expect } from 'chai';
import { until } from '../../testing/until.js';
import { boxesOf } from './boxes-of.js';
import { checkPage } from './check-page.js';
import { describeInBrowser, type PanelWorld, startPanel } from './panel-world.js';

const PHONES = ['left', 'right'] as const;
/** Further phones, so that the page shows six at the same time. */
const OTHERS = ['third', 'fourth', 'fifth', 'sixth'] as const;

describeInBrowser('several phones side by side in the panel', function () {
  let panel: PanelWorld;
  before(async () => {
    panel = await startPanel();
    for (const name of PHONES) {
      await panel.world.api.createPhone({ name });
      await panel.letClicksLast(name);
    }
  });
  after(() => panel.close());

  it('are all in the window, whatever their number, and as large as is chosen', async () => {
    for (const name of OTHERS) await panel.world.api.createPhone({ name });
    const { page, context, complaints } = await panel.open({ width: 1440, height: 900 });
    await page.goto('/mirror');
    await page.getByRole('button', { name: 'Choose all 6' }).click();
    const frames = page.locator('[data-frame]');
    await until(async () => (await frames.count()) === 6);
    for (const box of await boxesOf(frames)) {
      expect(box.y + box.height, 'below the window').to.be.below(900);
      expect(box.x + box.width, 'beyond the right edge').to.be.below(1440);
      expect(box.height).to.be.above(180);
    }
    await checkPage(page, 'mirror-six');
    await page.getByText('Large', { exact: true }).click();
    await until(async () => Math.abs((await frames.first().boundingBox())!.height - 650) < 2);
    await page.getByRole('button', { name: 'Full screen' }).click();
    await page.getByRole('button', { name: 'Leave full screen' }).click();
    await page.getByRole('button', { name: 'Full screen' }).waitFor();
    for (const name of OTHERS) await panel.world.api.done(await panel.world.api.delete(`/v1/devices/${name}`));
    expect(complaints).to.deep.equal([]);
    await context.close();
  });

  const observed = async (
    name: string,
  ): Promise<{ app: string; elements: { text?: string; center: { x: number; y: number } }[] }> =>
    (await panel.world.api.get(`/v1/devices/${name}/observe?screenshot=none`)).body.observation;
  const allShow = (app: string, phones: readonly string[] = PHONES): Promise<void> =>
    until(async () => (await Promise.all(phones.map(observed))).every((one) => one.app.includes(app)));

  it('take all input on one of them together, and apart once that is turned off', async () => {
    const { page, context, complaints } = await panel.open();
    await page.goto('/mirror');
    await page.getByRole('button', { name: 'Choose all 2' }).click();
    const left = page.getByRole('region', { name: 'left' });
    for (const name of PHONES) {
      await page.getByRole('region', { name }).locator('canvas[data-drawn=true]').waitFor();
    }
    const notes = (await observed('left')).elements.find(({ text }) => text === 'Notes')!;
    const clickNotes = async (): Promise<void> => {
      const canvas = left.locator('canvas');
      const { width, height } = (await canvas.boundingBox())!;
      const position = { x: (notes.center.x * width) / 720, y: (notes.center.y * height) / 1280 };
      await canvas.click({ position });
    };
    await clickNotes();
    await allShow('notes', PHONES);
    await checkPage(page, 'mirror');
    await left.getByRole('button', { name: 'Home', exact: true }).click();
    await allShow('launcher');
    await page.getByRole('switch', { name: 'Mirror input to all of them' }).uncheck();
    await clickNotes();
    await allShow('notes', ['left']);
    expect((await observed('right')).app).to.contain('launcher');
    expect(complaints).to.deep.equal([]);
    await context.close();
  });
});
