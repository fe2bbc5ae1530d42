import { expect } from 'chai';
import { until } from '../../testing/until.js';
import { checkPage } from './check-page.js';
import { describeInBrowser, type PanelPage, type PanelWorld, startPanel } from './panel-world.js';

/** Sizes of windows in which a page is examined, in addition to those of checkPage. */
const PHONE = { width: 360, height: 740 };

describeInBrowser('shares in the panel', function () {
  let panel: PanelWorld;
  let owner: PanelPage;
  before(async () => {
    panel = await startPanel();
    await panel.world.api.createPhone({ name: 'demo' });
    await panel.letClicksLast('demo');
    owner = await panel.open();
    await owner.context.grantPermissions(['clipboard-read', 'clipboard-write']);
  });
  after(() => panel.close());

  const SHARES = '/v1/devices/demo/shares';
  const make = async (access: string, lifetime = 3_600) =>
    (await panel.world.api.post(SHARES, { access, lifetime_s: lifetime })).body.share as { id: string; url: string };
  const visit = async (url: string, options: Parameters<PanelWorld['open']>[0] = {}): Promise<PanelPage> => {
    const opened = await panel.open({ signedIn: false, ...options });
    await opened.page.goto(url);
    return opened;
  };
  const drawn = ({ page }: PanelPage) => page.locator('canvas[data-drawn=true]').waitFor();
  const app = async (): Promise<string> =>
    (await panel.world.api.get('/v1/devices/demo/observe?screenshot=none')).body.observation.app;

  it('are made, copied, listed and ended in a dialog of the phone', async () => {
    const { page, complaints } = owner;
    await page.goto('/phones/demo');
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('There are none.').waitFor();
    await dialog.getByRole('radio', { name: 'Watch, touch and type' }).check();
    await dialog.getByRole('button', { name: 'Make a link' }).click();
    await dialog.getByRole('button', { name: 'Copy the link' }).click();
    const link = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(link).to.match(new RegExp(`^${panel.world.mesh.url}/share#sh_\\w{43}$`));
    await dialog.getByText('Made by panel').waitFor();
    await checkPage(page, 'share-dialog');
    const viewer = await visit(link);
    await drawn(viewer);
    await dialog.getByText('1 person watches now').waitFor();
    await checkPage(page, 'share-watched');
    await dialog.getByRole('button', { name: /^End the link made by panel/ }).click();
    await dialog.getByText('There are none.').waitFor();
    await viewer.page.getByRole('heading', { name: 'This link was ended' }).waitFor({ timeout: 15_000 });
    expect([...complaints, ...viewer.complaints]).to.deep.equal([]);
    await viewer.context.close();
  });

  it('open a page that shows the phone, takes touches, keys and text, and nothing of the panel', async () => {
    const viewer = await visit((await make('control')).url);
    const { page, complaints } = viewer;
    const requests: string[] = [];
    page.on('request', (request) => requests.push(new URL(request.url()).pathname));
    await drawn(viewer);
    await page.getByText('You can touch').waitFor();
    await page.getByText('59 min left').waitFor();
    expect(await page.getByRole('navigation').count()).to.equal(0);
    const home = await app();
    const { body } = await panel.world.api.get('/v1/devices/demo/observe?screenshot=none');
    const { center } = body.observation.elements.find(({ text }: { text?: string }) => text === 'Settings');
    const box = (await page.locator('canvas').boundingBox())!;
    await page.mouse.click(box.x + (center.x * box.width) / 720, box.y + (center.y * box.height) / 1280);
    await until(async () => (await app()) !== home);
    await page.keyboard.press('Escape');
    await until(async () => (await app()) === home);
    await page.getByRole('button', { name: 'Home' }).click();
    await checkPage(page, 'share-control');
    expect(requests.filter((path) => path.startsWith('/v1/') && path !== '/v1/share')).to.deep.equal([]);
    expect(complaints).to.deep.equal([]);
    await viewer.context.close();
  });

  it('to watch show no buttons and take no touches', async () => {
    const viewer = await visit((await make('read')).url);
    const { page, complaints } = viewer;
    await drawn(viewer);
    await page.getByText('View only').waitFor();
    expect([await page.getByRole('toolbar').count(), await page.getByRole('textbox').count()]).to.deep.equal([0, 0]);
    const sent: unknown[] = [];
    page.on('websocket', (socket) => socket.on('framesent', ({ payload }) => sent.push(payload)));
    await page.reload();
    await drawn(viewer);
    const box = (await page.locator('canvas').boundingBox())!;
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    await page.keyboard.type('x');
    await page.mouse.wheel(0, 100);
    expect(sent).to.deep.equal([]);
    await checkPage(page, 'share-read');
    expect(complaints).to.deep.equal([]);
    await viewer.context.close();
  });

  it('fill the window, from a phone to a desktop, without scrolling', async () => {
    const { url } = await make('control');
    for (const size of [PHONE, { width: 740, height: 360 }, { width: 1440, height: 900 }]) {
      const viewer = await visit(url, { ...size, hasTouch: size.width < 1_000 });
      await drawn(viewer);
      const box = (await viewer.page.locator('[data-frame]').boundingBox())!;
      const filled = Math.max(box.width / size.width, box.height / size.height);
      expect(filled, JSON.stringify(size)).to.be.greaterThan(0.5);
      const over = 'document.documentElement.scrollHeight - document.documentElement.clientHeight';
      expect(await viewer.page.evaluate<number>(over), JSON.stringify(size)).to.be.at.most(0);
      await viewer.context.close();
    }
  });

  it('that are incomplete, wrong or over say so, and what to do', async () => {
    const { mesh } = panel.world;
    const cases = [
      ['/share', 'This link is not complete'],
      ['/share#sh_short', 'This link is not complete'],
      [`/share#sh_${'a'.repeat(43)}`, 'This link has ended'],
    ] as const;
    const viewer = await panel.open({ signedIn: false });
    const { page, complaints } = viewer;
    for (const [path, title] of cases) {
      await page.goto('about:blank');
      await page.goto(mesh.url + path);
      await page.getByRole('heading', { name: title }).waitFor();
    }
    await checkPage(page, 'share-ended');
    // The share must be over by the clock. The service has the only clock, so the document is made older.
    const { id, url } = await make('read');
    await page.goto('about:blank');
    await page.goto(url);
    await drawn(viewer);
    await panel.world.database
      .collection<{ _id: string }>('shares')
      .updateOne({ _id: id }, { $set: { expiresAt: new Date(Date.now() - 1) } });
    await page.getByRole('heading', { name: /^This link was ended|^The time of this link is over/ }).waitFor();
    expect(complaints).to.deep.equal([]);
    await viewer.context.close();
  });

  it('wait for a phone that does not run', async () => {
    await panel.world.api.createPhone({ name: 'off', start: false });
    const { body } = await panel.world.api.post('/v1/devices/off/shares', { access: 'read' });
    const viewer = await visit(body.share.url);
    await viewer.page.getByText('off is not running now').waitFor();
    await checkPage(viewer.page, 'share-off');
    expect(viewer.complaints).to.deep.equal([]);
    await viewer.context.close();
  });

  it('are shown in no frame of another site', async () => {
    const { url } = await make('read');
    const { page, context } = await panel.open({ signedIn: false });
    await page.setContent(`<iframe src="${url}"></iframe>`);
    const frame = page.frames()[1]!;
    await until(() => frame.url() !== '' && frame.url() !== 'about:blank');
    expect(await frame.locator('canvas').count()).to.equal(0);
    expect(frame.url()).to.match(/^chrome-error:/);
    await context.close();
  });
});
