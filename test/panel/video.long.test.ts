import { expect } from 'chai';
import sharp from 'sharp';
import { hasFfmpeg } from '../../testing/has-ffmpeg.js';
import { until } from '../../testing/until.js';
import { describeInBrowser, type PanelPage, type PanelWorld, startPanel } from './panel-world.js';
import { NEEDS_FFMPEG, skip } from '../../testing/skip.js';

describeInBrowser('a live screen in the panel', () => {
  let panel: PanelWorld;
  let opened: PanelPage;

  before(async function () {
    if (!hasFfmpeg) skip(this, NEEDS_FFMPEG);
    panel = await startPanel({ scrcpyFile: Buffer.from('a server') });
    await panel.world.api.createPhone({ name: 'demo' });
    await panel.letClicksLast('demo');
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

  /** Returns the average difference of the canvas from a screenshot over the pixels, of 255. */
  async function difference(): Promise<number> {
    const script = "document.querySelector('canvas').toDataURL('image/png').split(',')[1]";
    const shown = await opened.page.evaluate<string>(script);
    const { bytes } = await panel.world.api.get('/v1/devices/demo/screenshot');
    const [canvas, screenshot] = await Promise.all(
      [Buffer.from(shown, 'base64'), bytes].map((image) => sharp(image).removeAlpha().resize(360, 640, { fit: 'fill' }).raw().toBuffer()), // prettier-ignore
    );
    const sum = canvas!.reduce((total, value, at) => total + Math.abs(value - screenshot![at]!), 0);
    return sum / canvas!.length;
  }

  const shows = (format: string): Promise<void> =>
    opened.page.locator(`[data-format=${format}]`).waitFor({ state: 'attached' });

  it('is video where the browser decodes it: it shows what a screenshot shows, and takes touches', async () => {
    const { page } = opened;
    await page.goto('/phones/demo');
    await shows('h264');
    await page.getByText('Live video (H.264)').waitFor();
    await page.locator('canvas[data-drawn=true]').waitFor();
    await until(async () => (await difference()) < 6);
    const app = (): Promise<string> =>
      panel.world.api.get('/v1/devices/demo/observe?screenshot=none').then(({ body }) => body.observation.app);
    const home = await app();
    const { body } = await panel.world.api.get('/v1/devices/demo/observe?screenshot=none');
    const elements = body.observation.elements as { text?: string; center: { x: number; y: number } }[];
    const { center } = elements.find(({ text }) => text === 'Settings')!;
    const box = (await page.locator('canvas').boundingBox())!;
    await page.mouse.click(
      box.x + ((center.x + 0.5) * box.width) / 720,
      box.y + ((center.y + 0.5) * box.height) / 1280,
    );
    await until(async () => (await app()) !== home);
    await until(async () => (await difference()) < 6);
    await panel.world.api.post('/v1/devices/demo/act', { key: { name: 'HOME' }, observe: 'none' });
  });

  it('is pictures where the browser has no decoder', async () => {
    await opened.page.addInitScript('delete globalThis.VideoDecoder');
    await opened.page.goto('/phones/demo');
    await shows('jpeg');
    await opened.page.getByText('Live pictures (JPEG) · video needs https in this browser').waitFor();
    await opened.page.locator('canvas[data-drawn=true]').waitFor();
    await until(async () => (await difference()) < 6);
  });

  it('names the command that turns video on where the service has none', async () => {
    const without = await startPanel();
    try {
      await without.world.api.createPhone({ name: 'demo' });
      const { page, context } = await without.open();
      await page.goto('/phones/demo');
      await page.getByText('Live pictures (JPEG) · for video: npm run fetch-scrcpy').waitFor();
      await context.close();
    } finally {
      await without.close();
    }
  });

  it('goes on as pictures where the decoder fails', async () => {
    await opened.page.addInitScript(
      'Worker.prototype.postMessage = function () { this.onmessage({ data: { error: "failed" } }); }',
    );
    await opened.page.goto('/phones/demo');
    await shows('jpeg');
    await opened.page.locator('canvas[data-drawn=true]').waitFor();
  });
});
