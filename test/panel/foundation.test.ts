import { readdirSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { checkPage } from './check-page.js';
import { waitForFieldError } from './field-error.js';
import { describeInBrowser, type PanelWorld, startPanel } from './panel-world.js';

const BUILT = fileURLToPath(new URL('../../../panel/dist/', import.meta.url));

/** Most bytes of scripts that are loaded before the first page is shown, compressed. */
const MAX_INITIAL_JS_BYTES = 200 * 1000;

/** Most bytes of the typeface, all files together. */
const MAX_TYPEFACE_BYTES = 60 * 1000;

describeInBrowser('the control panel', function () {
  let panel: PanelWorld;
  before(async () => {
    panel = await startPanel();
  });
  after(() => panel.close());

  it('is a page of its own files, kept by browsers for as long as they are the same', async () => {
    const { url } = panel.world.mesh;
    const page = await fetch(url, { headers: { accept: 'text/html' } });
    expect(page.status).to.equal(200);
    expect(page.headers.get('cache-control')).to.equal('no-cache');
    expect(page.headers.get('content-security-policy'))
      .to.include("default-src 'none'")
      .and.include("script-src 'self';")
      .and.include("style-src 'self';")
      .and.not.include('unsafe');
    const html = await page.text();
    expect(html).not.to.match(/https?:|<style|<script>|\sstyle=|\son\w+=/);
    const files = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, file]) => file!);
    expect(files.length).to.be.at.least(2);
    for (const file of files) {
      const { status, headers } = await fetch(url + file);
      expect(status, file).to.equal(200);
      expect(headers.get('cache-control'), file).to.equal('public, max-age=31536000, immutable');
      expect(headers.get('x-content-type-options'), file).to.equal('nosniff');
    }
  });

  it('is shown at every address that a browser opens, and at no other', async () => {
    const { url } = panel.world.mesh;
    const status = async (path: string, accept: string, method = 'GET'): Promise<number> =>
      (await fetch(url + path, { method, headers: { accept } })).status;
    expect(await status('/phones/demo', 'text/html,*/*')).to.equal(200);
    expect(await status('/phones/demo', '*/*')).to.equal(404);
    expect(await status('/phones/demo', 'text/html', 'POST')).to.equal(404);
    for (const path of ['/v1/nothing', '/docs/nothing', '/assets/nothing.js', '/v1']) {
      expect(await status(path, 'text/html'), path).to.equal(404);
    }
    expect(await status('/assets/%2e%2e/%2e%2e/src/main.tsx', '*/*')).to.equal(404);
  });

  it(`loads at most ${MAX_INITIAL_JS_BYTES} bytes of scripts before the first page`, () => {
    const html = readFileSync(`${BUILT}index.html`, 'utf8');
    const initial = [...html.matchAll(/(?:src|href)="\/(assets\/[^"]+\.js)"/g)].map(([, file]) => file!);
    const bytes = initial.reduce((sum, file) => sum + gzipSync(readFileSync(BUILT + file)).length, 0);
    expect(bytes).to.be.within(10_000, MAX_INITIAL_JS_BYTES);
    expect(readdirSync(`${BUILT}assets`).filter((file) => file.endsWith('.js')).length).to.be.greaterThan(
      initial.length,
    );
  });

  it(`is set in a typeface of its own, of at most ${MAX_TYPEFACE_BYTES} bytes`, async () => {
    const fonts = readdirSync(`${BUILT}assets`).filter((file) => /\.(woff2?|ttf|otf)$/.test(file));
    const bytes = fonts.reduce((sum, file) => sum + statSync(`${BUILT}assets/${file}`).size, 0);
    expect(bytes).to.be.within(10_000, MAX_TYPEFACE_BYTES);
    const latin = /href="(\/assets\/geist-latin-wght[^"]+\.woff2)"/.exec(
      readFileSync(`${BUILT}index.html`, 'utf8'),
    )?.[1];
    const { headers } = await fetch(`${panel.world.mesh.url}${latin!}`);
    expect(headers.get('content-type')).to.equal('font/woff2');
    expect(headers.get('content-encoding')).to.equal(null);
    const { page, context, complaints } = await panel.open({ signedIn: false });
    await page.goto('/');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.evaluate('document.fonts.ready');
    const loaded = `[...document.fonts].filter(({ status }) => status === 'loaded').map(({ family }) => family)`;
    expect(await page.evaluate<string[]>(loaded)).to.include('Geist');
    const family = await page.evaluate<string>(
      `getComputedStyle(document.querySelector('button[type=submit]')).fontFamily`,
    );
    expect(family).to.match(/^Geist/);
    expect(complaints).to.deep.equal([]);
    await context.close();
  });

  it('signs people up, out and in', async () => {
    const { page, context, complaints } = await panel.open({ signedIn: false });
    await page.goto('/');
    await checkPage(page, 'sign-in');
    await page.getByRole('button', { name: 'Create an account' }).click();
    await page.getByLabel('E-mail').fill('ann@example.com');
    await page.getByRole('textbox', { name: 'Password' }).fill('short');
    await page.getByRole('button', { name: 'Create account' }).click();
    await waitForFieldError(page.getByRole('textbox', { name: 'Password' }), '8');
    await checkPage(page, 'sign-up-refused');
    await page.getByRole('textbox', { name: 'Password' }).fill('correct horse battery');
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('heading', { name: 'Phones', level: 1 }).waitFor();
    await page.getByText('No phones yet').waitFor();
    await checkPage(page, 'phones-none');
    const [cookie] = await context.cookies();
    expect(cookie).to.include({ name: 'cp_session', httpOnly: true, sameSite: 'Lax' });

    await page.getByRole('button', { name: /^Account/ }).click();
    const status = page.getByRole('menuitem', { name: 'Status of the service' });
    expect(await status.getAttribute('href')).to.equal('/status');
    await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await context.cookies()).to.deep.equal([]);
    await page.getByLabel('E-mail').fill('ann@example.com');
    await page.getByRole('textbox', { name: 'Password' }).fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByRole('textbox', { name: 'Password' }).fill('correct horse battery');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('No phones yet').waitFor();
    expect(complaints).to.deep.equal([]);
    await context.close();
  });

  it('offers no sign-up where the operator has closed it', async () => {
    const { page, context, complaints } = await panel.open({ signedIn: false });
    await page.route('**/v1/session/methods', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...((await response.json()) as object), sign_up: false } });
    });
    await page.goto('/sign-up');
    await page.getByText('Ask the operator of this service for an account').waitFor();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await page.getByRole('button', { name: 'Create an account' }).count()).to.equal(0);
    await checkPage(page, 'sign-in-closed');
    expect(complaints).to.deep.equal([]);
    await context.close();
  });

  it('offers the exit of the country of the browser first, else that of the United States', async () => {
    for (const [languages, country] of [
      [['en', 'en-GB'], 'United Kingdom'],
      [['sv-SE', 'de'], 'United States'],
    ] as const) {
      const { page, context } = await panel.open();
      await page.addInitScript(
        `Object.defineProperty(navigator, 'languages', { get: () => ${JSON.stringify(languages)} })`,
      );
      await page.goto('/phones/new');
      expect(await page.getByLabel('Country').first().inputValue()).to.equal(country);
      await context.close();
    }
  });

  it('can be used by keyboard: a link past the navigation, the page in focus when it changes, dark colours', async () => {
    const { page, context } = await panel.open();
    await page.goto('/phones');
    await page.getByRole('heading', { name: 'Phones', level: 1 }).waitFor();
    const focused = (): Promise<string> =>
      page.evaluate<string>('document.activeElement.textContent || document.activeElement.ariaLabel');
    await page.keyboard.press('Tab');
    expect(await focused()).to.equal('Skip to the page');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect(await page.evaluate<boolean>('document.activeElement.closest("main") !== null')).to.equal(true);
    // An empty list has one main action, in its middle.
    expect(await page.getByRole('link', { name: 'Create a phone' }).count()).to.equal(1);
    await page.getByRole('link', { name: 'Create a phone' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Create a phone', level: 1 }).waitFor();
    expect(await focused()).to.equal('Create a phone');
    expect(await page.title()).to.equal('Create a phone · Cloud phones');
    await page.getByRole('button', { name: 'Use dark colours' }).press('Enter');
    await page.reload();
    await page.getByRole('button', { name: 'Use light colours' }).waitFor();
    await context.close();
  });
});
