import { expect } from 'chai';
import { type PanelPage, type PanelWorld, startPanel } from './panel-world.js';
import { faultsOf } from './public-page.js';

/** Opens all that is folded, and lays out what is out of sight. */
const REVEAL = `for (const part of document.querySelectorAll('details')) part.open = true;
for (const part of document.querySelectorAll('.operation')) part.style.contentVisibility = 'visible';`;

describe('the reference in a browser', function () {
  this.timeout(900_000);
  let panel: PanelWorld;
  before(async () => {
    panel = await startPanel();
    await panel.world.api.createPhone({ name: 'demo' });
  });
  after(() => panel.close());

  /** Opens a page, does something there, and expects that the browser had nothing to complain about. */
  async function using(
    path: string,
    options: Parameters<PanelWorld['open']>[0],
    work: (opened: PanelPage) => Promise<void>,
  ): Promise<void> {
    const opened = await panel.open(options);
    await opened.page.goto(path);
    await work(opened);
    expect(opened.complaints).to.deep.equal([]);
    await opened.context.close();
  }

  for (const path of [
    '/docs/reference/',
    '/docs/reference/file/',
    '/docs/reference/network/',
    '/docs/guides/webhooks/',
  ]) {
    it(`is without findings of axe, and without a request to anywhere else: ${path}`, async () => {
      const checks = { drawn: 'h1', widths: { light: [360, 1440], dark: [360, 1440] }, reveal: REVEAL };
      expect(await faultsOf(panel, panel.world.mesh.url + path, checks)).to.deep.equal([]);
    });
  }

  it('fits into 320 pixels on every page', async () => {
    await using('/docs/reference/', { signedIn: false, width: 320 }, async ({ page }) => {
      const addresses = await page.evaluate<string[]>(
        '[...document.querySelectorAll(".contents a")].map((link) => link.href)',
      );
      expect(addresses.length).to.be.greaterThan(50);
      for (const address of new Set(addresses.map((each) => each.split('#')[0] ?? ''))) {
        await page.goto(address);
        await page.evaluate(REVEAL);
        expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), address).to.be.at.most(0);
      }
    });
  });

  it('is read, and its samples are chosen, without a script', async () => {
    const context = await panel.browser.newContext({ baseURL: panel.world.mesh.url, javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto('/docs/reference/device/#createDevice');
    const section = page.locator('#createDevice');
    await section.getByText('curl -sS -X POST').waitFor();
    await section.getByText('Python', { exact: true }).click();
    await section.getByText('models.CreateDeviceResult').waitFor();
    expect(await section.getByText('curl -sS -X POST').isVisible()).to.equal(false);
    expect(await section.getByText('Try it').isVisible()).to.equal(false);
    await page.setViewportSize({ width: 360, height: 800 });
    await page.getByRole('link', { name: 'Contents' }).click();
    await page.getByRole('navigation', { name: 'Contents' }).getByRole('link', { name: 'Job', exact: true }).click();
    await page.getByRole('heading', { name: 'Get job' }).waitFor();
    await context.close();
  });

  it('finds operations, fields and guides as one types, by the keyboard alone', async () => {
    await using('/docs/reference/', { signedIn: false }, async ({ page }) => {
      await page.keyboard.press('/');
      await page.keyboard.type('idle_stop');
      const found = page.getByRole('option');
      await found.first().waitFor();
      expect(await found.first().textContent()).to.match(/^idle_stop_s/);
      await page.keyboard.press('Enter');
      await page.waitForURL('**/docs/reference/device/#createDevice.body.idle_stop_s');

      await page.keyboard.press('/');
      await page.keyboard.type('post device');
      await found.nth(1).waitFor();
      const second = (await found.nth(1).textContent()) ?? '';
      await page.keyboard.press('ArrowDown');
      expect(await page.getByRole('combobox').first().getAttribute('aria-activedescendant')).to.equal('found-1');
      expect(await page.getByRole('option', { selected: true }).textContent()).to.equal(second);
      await page.keyboard.press('Escape');
      await found.first().waitFor({ state: 'hidden' });

      await page.getByRole('combobox').first().fill('no such thing at all');
      await page.getByText('Nothing found.').waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('combobox').first().fill('repeating a request');
      await found.first().click();
      await page.waitForURL('**/docs/guides/errors-and-limits/#repeating-a-request');
    });
  });

  it('is found at the addresses that it had as one page', async () => {
    await using('/docs/reference/#tag/Screen/operation/observe', { signedIn: false }, async ({ page }) => {
      await page.waitForURL('**/docs/reference/screen/#observe');
      await page.goto('/docs/reference/#tag/Snapshot');
      await page.waitForURL('**/docs/reference/snapshot/');
    });
  });

  it('remembers the language of the samples', async () => {
    await using('/docs/reference/job/', { signedIn: false }, async ({ page }) => {
      await page.locator('#getJob').getByText('Go', { exact: true }).click();
      await page.locator('#listJobs').getByText('package main').waitFor();
      await page.goto('/docs/reference/file/');
      await page.locator('#writeFile').getByText('package main').waitFor();
    });
  });

  it('sends operations with the session: a list, a picture, a change, and a body that is not JSON', async () => {
    await using('/docs/reference/device/', {}, async ({ page }) => {
      const list = page.locator('#listDevices .try');
      await list.getByText('Try it').click();
      await list.getByRole('button', { name: 'Send' }).click();
      await list.getByText(/^200/).waitFor();
      await list.getByText('"name": "demo"').waitFor();
      await list.getByText('x-request-id').waitFor();

      const change = page.locator('#updateDevice .try');
      await change.getByText('Try it').click();
      const body = change.getByLabel(/Body/);
      await body.fill('{"labels": ');
      await change.getByRole('button', { name: 'Send' }).click();
      await change.getByText(/^The body is not JSON/).waitFor();
      await body.fill('{"labels": {"team": "docs"}}');
      await change.getByRole('button', { name: 'Send' }).click();
      await change.getByText('"team": "docs"').waitFor();
      expect((await panel.world.api.get('/v1/devices/demo')).body.device.labels).to.deep.equal({ team: 'docs' });

      await page.goto('/docs/reference/screen/');
      const picture = page.locator('#getScreenshot .try');
      await picture.getByText('Try it').click();
      await picture.getByRole('button', { name: 'Send' }).click();
      await picture.getByRole('img').waitFor();
      const width = await page.evaluate<number>('document.querySelector("#getScreenshot .try img").naturalWidth');
      expect(width).to.be.greaterThan(100);
      const post = page.locator('#performAction .try');
      await post.getByText('Try it').click();
      await post.getByRole('button', { name: 'Send' }).click();
      await post.getByText('"matches"').waitFor();
      await page.locator('#watchScreen').getByText('cannot be tried here').waitFor();
    });
  });

  it('deletes nothing before it is confirmed', async () => {
    const { api } = panel.world;
    await api.post('/v1/devices/demo/shares', { access: 'read', lifetime_s: 3600 });
    const [share] = (await api.get('/v1/devices/demo/shares')).body.shares;
    await using('/docs/reference/share/', {}, async ({ page }) => {
      const form = page.locator('#deleteShare .try');
      await form.getByText('Try it').click();
      await form.getByLabel(/^id/).fill(share.id);
      await form.getByRole('button', { name: 'Send', exact: true }).click();
      await form.getByRole('button', { name: 'Cancel' }).click();
      await form.getByRole('button', { name: 'Send', exact: true }).click();
      await form.getByText('It may be impossible to undo.').waitFor();
      expect((await api.get('/v1/devices/demo/shares')).body.shares).to.have.length(1);
      await form.getByRole('button', { name: 'Send DELETE' }).click();
      await form.getByText(/^204/).waitFor();
      expect((await api.get('/v1/devices/demo/shares')).body.shares).to.have.length(0);
    });
  });

  it('sends a file, and offers the file of a response', async () => {
    await using('/docs/reference/file/', {}, async ({ page }) => {
      const write = page.locator('#writeFile .try');
      await write.getByText('Try it').click();
      await write
        .getByLabel(/Body/)
        .setInputFiles({ name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('a note') });
      await write.getByRole('button', { name: 'Send' }).click();
      await write.getByText('"size": 6').waitFor();
      const read = page.locator('#readFile .try');
      await read.getByText('Try it').click();
      await read.getByRole('button', { name: 'Send' }).click();
      const downloading = page.waitForEvent('download');
      await read.getByRole('link', { name: 'Download the file' }).click();
      expect((await downloading).suggestedFilename()).to.equal('photo.jpg');
    });
  });

  it('reports that nobody is signed in, with the way to do so', async () => {
    await using('/docs/reference/device/', { signedIn: false }, async ({ page }) => {
      const list = page.locator('#listDevices .try');
      await list.getByText('Try it').click();
      await list.getByRole('button', { name: 'Send' }).click();
      await list.getByText(/^401/).waitFor();
      await list.getByText('You are not signed in here.').waitFor();
      const link = list.getByRole('link', { name: 'Sign in to the panel' });
      expect(await link.getAttribute('href')).to.equal('/');
    });
  });
});
