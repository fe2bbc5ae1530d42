import { expect } from 'chai';
import { hasFfmpeg } from '../../testing/has-ffmpeg.js';
import { NEEDS_FFMPEG, skip } from '../../testing/skip.js';
import { until } from '../../testing/until.js';
import { checkPage } from './check-page.js';
import { describeInBrowser, type PanelPage, type PanelWorld, startPanel } from './panel-world.js';

describeInBrowser('recordings in the panel', () => {
  let panel: PanelWorld;
  let opened: PanelPage;

  before(async function () {
    if (!hasFfmpeg) skip(this, NEEDS_FFMPEG);
    panel = await startPanel({ scrcpyFile: Buffer.from('a server') });
    await panel.world.api.createPhone({ name: 'demo' });
  });
  after(async () => {
    if (hasFfmpeg) await panel.close();
  });
  beforeEach(async () => {
    opened = await panel.open();
  });
  afterEach(async () => {
    expect(opened.complaints).to.deep.equal([]);
    await opened.context.close();
  });

  it('are begun, stopped, played by the browser to their end, and deleted', async () => {
    const { page } = opened;
    const list = async () => (await panel.world.api.get('/v1/devices/demo/recordings')).body.recordings;
    await page.goto('/phones/demo/recordings');
    await page.getByText('No recordings yet').waitFor();
    await page.getByRole('button', { name: 'Start recording' }).click();
    await page.getByRole('button', { name: 'Stop recording' }).waitFor();
    await until(async () => (await list())[0]?.duration_ms >= 1_500);
    await page.getByRole('button', { name: 'Stop recording' }).click();
    await page.getByText('ready', { exact: true }).waitFor();
    const [{ id, duration_ms: durationMs }] = await list();
    await checkPage(page, 'recordings');
    await page.getByRole('button', { name: `Play ${id}` }).click();
    const video = page.locator('video');
    await video.waitFor();
    const state = (): Promise<{ durationS: number; isOver: boolean; width: number }> =>
      video.evaluate((element) => {
        const { duration, ended, videoWidth } = element as unknown as {
          duration: number;
          ended: boolean;
          videoWidth: number;
        };
        return { durationS: duration, isOver: ended, width: videoWidth };
      });
    await until(async () => (await state()).isOver);
    expect(await state()).to.include({ width: 720 });
    expect(Math.round(1_000 * (await state()).durationS)).to.equal(durationMs);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: `Delete ${id}` }).click();
    await page.getByRole('button', { name: 'Delete recording' }).click();
    await page.getByText('No recordings yet').waitFor();
    expect(await list()).to.deep.equal([]);
  });
});
