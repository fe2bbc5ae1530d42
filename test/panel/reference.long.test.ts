import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { describeInBrowser, type PanelPage, type PanelWorld, startPanel } from './panel-world.js';
import { AXE, faultsOf } from './public-page.js';

/** A script that opens all folded parts, and lays out those out of sight. */
const REVEAL = `for (const part of document.querySelectorAll('details')) part.open = true;
for (const part of document.querySelectorAll('.operation')) part.style.contentVisibility = 'visible';`;

describeInBrowser('the reference in a browser', function () {
  this.timeout(900_000);
  let panel: PanelWorld;
  before(async () => {
    panel = await startPanel();
    await panel.world.api.createPhone({ name: 'demo' });
  });
  after(() => panel.close());

  /** Opens a page, does something there, and expects that the browser reports no errors. */
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
    '/docs/',
    '/docs/reference/',
    '/docs/reference/file/',
    '/docs/reference/network/',
    '/docs/guides/webhooks/',
  ]) {
    it(`is without findings of axe, and without a request to anywhere else: ${path}`, async () => {
      const checks = { drawn: 'h1', widths: { light: [360, 1024, 1440], dark: [360, 1440] }, reveal: REVEAL };
      const faults = await faultsOf(panel, panel.world.mesh.url + path, checks);
      // Opened forms find out, once for all of them, whether someone is signed in. The browser writes the refusal to the console.
      const refusals = faults.filter((fault) => /^console: .* status of 401/.test(fault));
      expect(refusals.length).to.be.at.most(5);
      expect(faults.filter((fault) => !refusals.includes(fault))).to.deep.equal([]);
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
    await page.getByRole('navigation', { name: 'Contents' }).getByRole('link', { name: 'Jobs', exact: true }).click();
    await page.getByRole('heading', { name: 'Get job' }).waitFor();
    await context.close();
  });

  it('is reached from the panel, and leads from its home to guides and resources', async () => {
    await using('/phones', {}, async ({ page }) => {
      await page.getByRole('button', { name: /^Account/ }).click();
      expect(await page.getByRole('menuitem', { name: 'Docs' }).getAttribute('href')).to.equal('/docs/');
      // The menu lies above the links at the foot of the navigation.
      await page.keyboard.press('Escape');
      const opening = page.waitForEvent('popup');
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Docs' }).click();
      const docs = await opening;
      await docs.getByRole('heading', { name: 'Docs', exact: true }).waitFor();
      await docs.getByRole('main').getByRole('link', { name: 'Webhooks' }).first().click();
      await docs.getByRole('heading', { name: 'Webhooks', exact: true }).waitFor();
      await docs.getByRole('link', { name: 'API reference', exact: true }).click();
      await docs.getByRole('main').getByRole('link', { name: 'Devices', exact: true }).click();
      await docs.getByRole('heading', { name: 'Create device' }).waitFor();
      await docs.close();
    });
  });

  it('finds operations, fields and guides as one types, by the keyboard alone', async () => {
    await using('/docs/reference/', { signedIn: false }, async ({ page }) => {
      const loaded: string[] = [];
      page.on('request', (request) => loaded.push(new URL(request.url()).pathname));
      await page.keyboard.press('/');
      await page.keyboard.type('idle_stop');
      const found = page.locator('#found [role=option]');
      const search = page.getByRole('combobox').first();
      await found.getByText('idle_stop_s', { exact: true }).first().waitFor();
      expect(loaded).to.include('/docs/reference/search.json');
      expect(loaded.filter((path) => /^\/docs\/assets\/\w+\/minisearch\.js$/.test(path))).to.have.length(1);
      expect(await found.first().textContent()).to.match(/^Fieldidle_stop_s/);
      await page.keyboard.press('Enter');
      await page.waitForURL('**/docs/reference/device/#*.body.idle_stop_s');
      await page.locator(':target').getByText('idle_stop_s').first().waitFor();

      await page.keyboard.press('Control+k');
      await page.keyboard.type('rate limit');
      await found.getByText('Errors and limits').first().waitFor();
      expect(await page.locator('#found mark').count()).to.be.greaterThan(2);
      expect(await page.getByRole('status').first().textContent()).to.match(/^\d+ results$/);
      const second = (await found.nth(1).textContent()) ?? '';
      await page.keyboard.press('ArrowDown');
      expect(await search.getAttribute('aria-activedescendant')).to.equal('found-1');
      expect(await page.locator('#found [aria-selected=true]').textContent()).to.equal(second);
      await page.keyboard.press('ArrowUp');
      await page.keyboard.press('ArrowUp');
      expect(await found.last().getAttribute('aria-selected')).to.equal('true');
      await page.keyboard.press('Escape');
      await found.first().waitFor({ state: 'hidden' });

      await search.fill('xqzvw');
      await page.getByText(/^Nothing found for/).waitFor();
      await page.keyboard.press('Enter');
      await search.fill('repeating a request');
      await found.getByText('Repeating a request').click();
      await page.waitForURL('**/docs/guides/errors-and-limits/#repeating-a-request');
    });
  });

  it('shows findings of axe neither for results nor for an answer', async () => {
    await using('/docs/', {}, async ({ page }) => {
      await page.keyboard.press('/');
      await page.keyboard.type('install apk');
      await page.locator('#found [role=option]').getByText('Upload').first().waitFor();
      expect(await axeFindings(page)).to.deep.equal([]);
      await page.goto('/docs/reference/device/');
      const list = page.locator('#listDevices .try');
      await list.getByText('Try it').click();
      await list.getByRole('button', { name: 'Send' }).click();
      await list.getByText(/^200/).waitFor();
      expect(await axeFindings(page)).to.deep.equal([]);
    });
  });

  it('reports that the search could not be loaded, and tries again', async () => {
    await using('/docs/', { signedIn: false }, async ({ page }) => {
      await page.route('**/search.json', (route) => route.fulfill({ status: 503 }));
      await page.keyboard.press('/');
      await page.keyboard.type('a');
      await page.getByText('The search could not be loaded.').waitFor();
      await page.unroute('**/search.json');
      await page.keyboard.type('db');
      await page.locator('#found [role=option]').getByText('ADB').first().waitFor();
    });
  });

  it('unfolds what an address leads to', async () => {
    await using('/docs/reference/device/#createDevice.body.network.country', { signedIn: false }, async ({ page }) => {
      await page.locator(':target').getByText('country').first().waitFor();
      expect(await isInSight(page, ':target')).to.equal(true);
      await page.goto('/docs/guides/errors-and-limits/#name.timeout');
      expect(await isInSight(page, 'tr:target')).to.equal(true);
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
      await list.getByText(/"name": "demo"/).waitFor();
      await list.getByText('x-request-id').waitFor();
      await list.getByText('cache-control').waitFor();
      await list.getByText(/^\d+ ms · [\d.]+ (bytes|KiB)$/).waitFor();
      expect(await isInSight(page, '#listDevices .status-badge')).to.equal(true);

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
      await picture.getByText(/^\d+ × \d+, image\/\w+, [\d.]+ KiB$/).waitFor();
      expect(await picture.getByRole('link', { name: 'Save' }).getAttribute('download')).to.match(/^screenshot\.\w+$/);
      expect(await isInSight(page, '#getScreenshot .status-badge')).to.equal(true);
      expect(await isInSight(page, '#getScreenshot .outcome img')).to.equal(true);

      const observation = page.locator('#observe .try');
      await observation.getByText('Try it').click();
      await observation.locator('[name="query.screenshot"]').selectOption('jpeg');
      await observation.getByRole('button', { name: 'Send' }).click();
      await observation.getByRole('img').waitFor();
      await observation.getByText(/\(image\/jpeg, [\d.]+ KiB, shown above\)/).waitFor();
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

  it('covers no code with the Copy button until the mouse or the keyboard is at the block', async () => {
    await using('/docs/reference/screen/#act', { signedIn: false }, async ({ page }) => {
      const block = page.locator('#act .samples .copied').first();
      const button = block.getByRole('button', { name: 'Copy this code' });
      const opacity = (): Promise<string> =>
        page.evaluate<string>('getComputedStyle(document.querySelector("#act .samples .copied .copy")).opacity');
      await page.mouse.move(0, 0);
      expect(await opacity()).to.equal('0');
      await block.hover();
      expect(await opacity()).to.equal('1');
      await page.mouse.move(0, 0);
      await button.focus();
      expect(await opacity()).to.equal('1');
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

  it('reports that nobody is signed in, before and after sending, with the way to do so', async () => {
    await using('/docs/reference/device/', { signedIn: false }, async ({ page, context }) => {
      const list = page.locator('#listDevices .try');
      await list.getByText('Try it').click();
      await list.locator('.who').getByText('You are not signed in here.').waitFor();
      await list.getByRole('button', { name: 'Send' }).click();
      await list.getByText(/^401/).waitFor();
      await list.locator('.notice').getByText('You are not signed in here.').waitFor();
      expect(await isInSight(page, '#listDevices .notice')).to.equal(true);
      const link = list.locator('.notice').getByRole('link', { name: 'Sign in to the panel' });
      expect(await link.getAttribute('href')).to.equal('/sign-in');

      const opening = page.waitForEvent('popup');
      await link.click();
      const panelPage = await opening;
      await panelPage.getByRole('button', { name: /sign in/i }).waitFor();
      const signedIn = await panel.open();
      await context.addCookies(await signedIn.context.cookies());
      await signedIn.context.close();
      await panelPage.close();
      // A browser with windows reports this by itself when the reader returns.
      await page.evaluate('document.dispatchEvent(new Event("visibilitychange"))');
      await list.locator('.who').getByText(panel.world.email).waitFor();
      await list.getByRole('button', { name: 'Send' }).click();
      await list.getByText(/^200/).waitFor();
    });
  });
});

/** Whether a part of the page is in sight of its reader. */
function isInSight(page: Page, selector: string): Promise<boolean> {
  return page.evaluate<boolean>(
    `new Promise((resolve) => new IntersectionObserver(([entry], observer) => { observer.disconnect(); resolve(entry.isIntersecting); })
      .observe(document.querySelector(${JSON.stringify(selector)})))`,
  );
}

/** Returns what axe finds on the present page. */
async function axeFindings(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
    'axe.run({ resultTypes: ["violations"], preload: false })',
  );
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ''}`);
}
