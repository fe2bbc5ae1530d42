import { mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { until } from '../../testing/until.js';
import { AdbClient } from '../relay/adb-client.js';
import { checkPage } from './check-page.js';
import { waitForFieldError } from './field-error.js';
import { describeInBrowser, type PanelPage, type PanelWorld, startPanel } from './panel-world.js';
import { NEEDS_ADB, skip } from '../../testing/skip.js';

const FIXTURE = fileURLToPath(new URL('../../../phone/apk/fixtures/fixture-v1.apk', import.meta.url));

/** The upright screen of the tested phones. */
const SCREEN = { width: 720, height: 1280 };

describeInBrowser('phones in the panel', function () {
  let panel: PanelWorld;
  let opened: PanelPage;
  let page: Page;
  let folder: string;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'cloudphone-panel-apps-'));
    panel = await startPanel({ apps: { catalogue: join(folder, 'none'), folder: join(folder, 'own') } });
    opened = await panel.open();
    ({ page } = opened);
  });
  after(async () => {
    await panel.close();
    rmSync(folder, { recursive: true, force: true });
  });
  afterEach(() => expect(opened.complaints).to.deep.equal([]));

  const drawn = (): Promise<void> => page.locator('canvas[data-drawn=true]').waitFor();

  /** Returns the elements on the phone's screen, as the API has them. */
  async function seen(name = 'demo'): Promise<{ text: string; label: string; center: { x: number; y: number } }[]> {
    const { body } = await panel.world.api.get(`/v1/devices/${name}/observe?screenshot=none`);
    return (body.observation.elements ?? []).map((element: object) => ({ text: '', label: '', ...element }));
  }

  /** Clicks the live screen where the phone has the element, as a person does. */
  async function clickOn(text: string): Promise<void> {
    const { center } = (await seen()).find((element) => element.text === text || element.label === text)!;
    const box = (await page.locator('canvas').boundingBox())!;
    await page.mouse.click(
      box.x + ((center.x + 0.5) * box.width) / SCREEN.width,
      box.y + ((center.y + 0.5) * box.height) / SCREEN.height,
    );
  }

  const shows = (text: string): Promise<void> =>
    until(async () => (await seen()).some((element) => `${element.text} ${element.label}`.includes(text)));

  it('are created: model, network, plan and the price', async () => {
    await page.goto('/phones');
    await page.getByRole('link', { name: 'Create a phone' }).first().click();
    await page.getByText('0.004 USD').first().waitFor();
    await page.getByLabel('Name').fill('Not a name');
    await page.getByRole('button', { name: 'Create and start' }).click();
    await waitForFieldError(page.getByLabel('Name'), '1 to 40 of a-z');
    await page.getByRole('radio', { name: 'By month' }).click();
    await page.getByText('12.00 USD').first().waitFor();
    await page.getByRole('radio', { name: 'By minute' }).click();
    await checkPage(page, 'new-phone');
    await page.getByLabel('Name').fill('demo');
    await page.getByLabel('New label').fill('team:qa');
    // Enter adds the label, and does not submit the form.
    await page.getByLabel('New label').press('Enter');
    await page.getByText('team:qa').waitFor();
    await page.getByRole('button', { name: 'Create and start' }).click();
    await page.getByRole('heading', { name: 'demo', level: 1 }).waitFor();
    expect((await panel.world.api.get('/v1/devices/demo')).body.device.labels).to.deep.equal({ team: 'qa' });
    await drawn();
    await page.getByText('running', { exact: true }).waitFor();
  });

  it('are created once where the response to the creation is lost', async () => {
    await page.goto('/phones/new');
    await page.getByLabel('Name').waitFor();
    let isLost = false;
    await page.route('**/v1/devices', async (route) => {
      if (route.request().method() !== 'POST' || isLost) return route.fallback();
      isLost = true;
      await route.fetch();
      return route.abort();
    });
    await page.getByRole('button', { name: 'Create and start' }).click();
    await page.getByRole('alert').getByText('cannot be reached').waitFor();
    await page.getByRole('button', { name: 'Create and start' }).click();
    await page.getByRole('heading', { name: /^phone-/, level: 1 }).waitFor();
    await page.unroute('**/v1/devices');
    const { body } = await panel.world.api.get('/v1/devices');
    expect(body.devices).to.have.length(2);
  });

  it('are left when somebody else deletes them', async () => {
    const name = (await page.getByRole('heading', { level: 1 }).textContent())!;
    await drawn();
    await panel.world.api.done(await panel.world.api.delete(`/v1/devices/${name}`));
    await page.getByText(`There is no phone ${name}`).waitFor();
  });

  it('show their screens, in a grid', async () => {
    await page.goto('/phones');
    await page.getByAltText('Screen of demo').waitFor();
    await checkPage(page, 'phones');
  });

  it('are tapped, and typed on in any script', async () => {
    await panel.letClicksLast('demo');
    await page.goto('/phones/demo');
    await drawn();
    await clickOn('Notes');
    await shows('Notes');
    await until(async () => (await seen()).some(({ label }) => label === 'New note'));
    await clickOn('New note');
    await until(async () => (await seen()).some(({ label }) => label.includes('Title')));
    await page.keyboard.type('milk 42');
    await shows('milk 42');
    await page.keyboard.type(' Käse, 牛乳 и сыр');
    await shows('milk 42 Käse, 牛乳 и сыр');
    await page.getByRole('button', { name: 'Home', exact: true }).click();
    await shows('Messages');
  });

  it('show elements, and tap them without a mouse', async () => {
    await page.goto('/phones/demo/elements');
    await drawn();
    await page.getByRole('button', { name: 'Tap Settings' }).waitFor();
    await checkPage(page, 'phone-elements');
    await page.getByRole('button', { name: 'Tap Settings' }).press('Enter');
    await page.getByText('com.cloudphone.settings').first().waitFor();
    await page.getByRole('button', { name: 'Home', exact: true }).press('Enter');
    await page.getByRole('button', { name: 'Tap Settings' }).waitFor();
  });

  it('scroll with the wheel', async () => {
    await page.goto('/phones/demo');
    await drawn();
    await panel.world.api.post('/v1/devices/demo/act', { open_app: { app: 'Lab' } });
    const before = JSON.stringify(await seen());
    const box = (await page.locator('canvas').boundingBox())!;
    await page.mouse.move(box.x + box.width / 2, box.y + box.height * 0.7);
    await page.mouse.wheel(0, 200);
    await page.mouse.wheel(0, 100);
    await until(async () => JSON.stringify(await seen()) !== before);
    await panel.world.api.post('/v1/devices/demo/act', { key: { name: 'HOME' } });
  });

  it('take several fingers at the same time from a touch screen', async () => {
    const touch = await panel.open({ hasTouch: true });
    const sent: { touch: { phase: string; pointer: number } }[] = [];
    touch.page.on('websocket', (socket) =>
      socket.on('framesent', ({ payload }) => sent.push(...JSON.parse(payload.toString()).events)),
    );
    await touch.page.goto('/phones/demo');
    await touch.page.locator('canvas[data-drawn=true]').waitFor();
    const box = (await touch.page.locator('canvas').boundingBox())!;
    const at = (x: number, y: number, id: number) => ({ x: box.x + box.width * x, y: box.y + box.height * y, id });
    const devtools = await touch.context.newCDPSession(touch.page);
    const put = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...touchPoints: object[]) =>
      devtools.send('Input.dispatchTouchEvent', { type, touchPoints: touchPoints as never });
    await put('touchStart', at(0.4, 0.5, 0), at(0.6, 0.5, 1));
    await put('touchMove', at(0.3, 0.5, 0), at(0.7, 0.5, 1));
    await put('touchEnd');
    await until(() => sent.filter((event) => event.touch.phase === 'up').length === 2);
    for (const pointer of [0, 1]) {
      const phases = sent.filter((event) => event.touch.pointer === pointer).map((event) => event.touch.phase);
      expect(phases[0]).to.equal('down');
      expect(phases).to.include('move');
      expect(phases.at(-1)).to.equal('up');
    }
    expect(touch.complaints).to.deep.equal([]);
    await touch.context.close();
  });

  it('are turned', async () => {
    await page.goto('/phones/demo');
    await drawn();
    await page.getByRole('button', { name: 'Turn to landscape' }).click();
    await page.getByRole('button', { name: 'Turn upright' }).waitFor();
    const { width, height } = (await page.locator('canvas').boundingBox())!;
    expect(width).to.be.greaterThan(height);
    await checkPage(page, 'phone-landscape');
    await page.getByRole('button', { name: 'Turn upright' }).click();
    await page.getByRole('button', { name: 'Turn to landscape' }).waitFor();
  });

  it('get an APK that is dropped on the page', async () => {
    await page.goto('/phones/demo/apps');
    await page.getByText('Drop an APK').waitFor();
    const bytes = (await readFile(FIXTURE)).toString('base64');
    const files = await page.evaluateHandle<unknown>(
      `(() => {
        const data = new DataTransfer();
        data.items.add(new File([Uint8Array.from(atob('${bytes}'), (c) => c.charCodeAt(0))], 'fixture.apk'));
        return data;
      })()`,
    );
    await page.locator('canvas').dispatchEvent('drop', { dataTransfer: files });
    await page.getByText('Installing fixture.apk').waitFor();
    const { body } = await panel.world.api.get('/v1/jobs?device=demo&limit=1');
    await panel.world.api.get(`/v1/jobs/${body.jobs[0].id as string}?wait_s=30`);
    const installed = (await panel.world.api.get('/v1/devices/demo/apps')).body.apps.find(
      (app: { system: boolean }) => !app.system,
    );
    await page.getByRole('button', { name: `Remove ${installed.name as string}` }).waitFor();
    await checkPage(page, 'phone-apps');
    await page.getByRole('button', { name: `Remove ${installed.name as string}` }).click();
    await page.getByRole('button', { name: 'Remove app' }).click();
    await page.getByRole('button', { name: `Remove ${installed.name as string}` }).waitFor({ state: 'detached' });
  });

  it('show why an APK is refused', async () => {
    await page.goto('/phones/demo/apps');
    const files = await page.evaluateHandle<unknown>(
      `(() => { const data = new DataTransfer(); data.items.add(new File(['no app'], 'letter.apk')); return data; })()`,
    );
    await page.getByText('Drop an APK').waitFor();
    await page.locator('canvas').dispatchEvent('drop', { dataTransfer: files });
    const alert = page.getByRole('status', { name: 'Uploads' }).getByRole('alert');
    await alert.getByText('letter.apk was not installed').waitFor();
    await alert.getByRole('button', { name: 'Choose another file' }).waitFor();
    // The alert is not over the phone, but beside it.
    const [phone, box] = [await page.locator('[data-frame]').boundingBox(), await alert.boundingBox()];
    expect(box!.x).to.be.at.least(phone!.x + phone!.width);
    await checkPage(page, 'phone-apk-refused');
    await alert.getByRole('button', { name: 'Dismiss' }).click();
    await alert.waitFor({ state: 'detached' });
  });

  it('are saved as a snapshot and cloned', async () => {
    await page.goto('/phones/demo/snapshots');
    await page.getByText('No snapshots yet').waitFor();
    await page.getByLabel('Label').fill('as new');
    await page.getByRole('button', { name: 'Take snapshot' }).click();
    await page.getByText('ready', { exact: true }).waitFor();
    await checkPage(page, 'phone-snapshots');
    await page.getByRole('button', { name: 'Clone as new' }).click();
    await page.getByLabel('Name').fill('twin');
    await page.getByRole('dialog').getByRole('button', { name: 'Clone' }).click();
    await page.getByRole('heading', { name: 'twin', level: 1 }).waitFor();
    await drawn();
    expect((await panel.world.api.get('/v1/devices/twin')).body.device.state).to.equal('running');
  });

  it('get another network, and show whether a proxy works', async () => {
    await page.goto('/phones/demo/network');
    await page.getByLabel('Proxy', { exact: true }).fill('socks5://127.0.0.1:1');
    await page.getByRole('button', { name: 'Test it' }).click();
    await page.getByText('It does not work').waitFor();
    await checkPage(page, 'phone-network');
    await page.getByLabel('Country').first().click();
    await page.getByRole('option', { name: 'Germany' }).click();
    await page.getByRole('button', { name: 'Use this network' }).click();
    await page.getByText('Direct, Germany').waitFor();
  });

  it('are reached by the real adb, with the commands that are shown', async function () {
    if (!AdbClient.isThere()) skip(this, NEEDS_ADB);
    await page.goto('/phones/demo/adb');
    await page.getByLabel('Addresses that may connect to a port').fill('not');
    await page.getByRole('button', { name: 'Turn on ADB' }).click();
    await waitForFieldError(
      page.getByLabel('Addresses that may connect to a port'),
      '"not" is not an IPv4 or IPv6 address',
    );
    await page.getByLabel('Addresses that may connect to a port').fill('');
    await page.getByRole('button', { name: 'Add my address, 127.0.0.1' }).click();
    await page.getByRole('button', { name: 'Turn on ADB' }).click();
    const commands = page.getByRole('tabpanel').locator('code');
    await commands.nth(2).waitFor();
    expect(await page.getByRole('button', { name: 'Turn on' }).count()).to.equal(0);
    await checkPage(page, 'phone-adb');
    const [program, connect = '', login = ''] = await commands.allTextContents();
    expect(program).to.equal('cloudphone adb demo');
    const adb = await AdbClient.start();
    try {
      expect((await adb.run(...connect.split(' ').slice(1))).stdout).to.match(/^connected to/);
      expect((await adb.run(...login.split(' ').slice(1))).stdout).to.equal('login ok\n');
    } finally {
      await adb.close();
    }
    await page.getByRole('button', { name: 'Turn off' }).click();
    await page.getByRole('heading', { name: 'Use your own adb' }).waitFor();
    await page.getByLabel('Addresses that may connect to a port').fill('');
    await page.getByRole('button', { name: 'Turn on ADB' }).click();
    await page.getByText('Every address, with a key').waitFor();
    expect(await commands.allTextContents()).to.deep.equal(['cloudphone adb demo']);
  });

  it('show their logs', async () => {
    await page.goto('/phones/demo/logs');
    await page.getByRole('log').getByText(': ').first().waitFor();
    await checkPage(page, 'phone-logs');
    await page.getByLabel('Tag').fill('NoSuchTag');
    await page.getByText('No lines of this level and tag.').waitFor();
  });

  it('are watched through a restart', async () => {
    await page.goto('/phones/demo');
    await drawn();
    await checkPage(page, 'phone');
    const restart = async (): Promise<void> => {
      await page.getByRole('button', { name: 'More actions for demo' }).click();
      await page.getByRole('menuitem', { name: 'Restart' }).click();
    };
    await page.route('**/restart', (route) => route.abort());
    await restart();
    await page.getByRole('dialog', { name: 'demo was not restarted' }).getByText('cannot be reached').waitFor();
    await page.keyboard.press('Escape');
    await page.unroute('**/restart');
    await restart();
    await page.getByText('Restarting demo').waitFor();
    await page.getByRole('status', { name: 'Jobs' }).getByText('Finished').waitFor();
    await drawn();
    await clickOn('Notes');
    await until(async () => (await seen()).some(({ label }) => label === 'New note'));
  });

  it('are stopped and started, and deleted when their name is typed', async () => {
    await page.goto('/phones/twin');
    await page.getByRole('button', { name: 'Stop twin' }).click();
    await page.getByText('This phone is off.').waitFor();
    await checkPage(page, 'phone-off');
    await page.getByRole('button', { name: 'Start twin' }).click();
    await drawn();
    await page.getByRole('button', { name: 'More actions for twin' }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    const confirm = page.getByRole('button', { name: 'Delete phone' });
    expect(await confirm.isDisabled()).to.equal(true);
    // The menu fades out, and reaches beyond a window that gets narrow meanwhile.
    await page.getByRole('menu').waitFor({ state: 'detached' });
    await checkPage(page, 'phone-delete');
    await page.getByLabel('Type twin to confirm').fill('twin');
    await confirm.click();
    await page.getByRole('heading', { name: 'Phones', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'Open twin' }).waitFor({ state: 'detached' });
  });
});
