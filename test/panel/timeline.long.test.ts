import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { readReplay } from '../../replay/format/read-replay.js';
import { until } from '../../testing/until.js';
import { checkPage } from './check-page.js';
import { describeInBrowser, type PanelPage, type PanelWorld, startPanel } from './panel-world.js';

describeInBrowser('the timeline in the panel', function () {
  let panel: PanelWorld;
  let opened: PanelPage;
  before(async () => {
    panel = await startPanel();
    const { api } = panel.world;
    await api.createPhone({ name: 'demo' });
    opened = await panel.open();
    await opened.context.grantPermissions(['clipboard-read', 'clipboard-write']);
  });
  after(() => panel.close());

  const act = (body: unknown) => panel.world.api.post('/v1/devices/demo/act', body);
  const count = async (): Promise<number> =>
    (await panel.world.api.get('/v1/devices/demo/timeline')).body.entries.length;
  const copied = (): Promise<string> => opened.page.evaluate<string>('navigator.clipboard.readText()');

  it('is switched on, and reads like a story', async () => {
    const { page } = opened;
    await page.goto('/phones/demo/timeline');
    await page.getByText('Nothing was kept yet').waitFor();
    await page.getByRole('switch', { name: 'Keep what is done with this phone' }).click();
    await until(async () => (await panel.world.api.get('/v1/devices/demo')).body.device.timeline);
    await act({ open_app: { app: 'Notes' } });
    const { observation } = (await act({ tap: { text: 'New note', role: 'button' } })).body;
    const title = observation.elements.find(({ label }: { label?: string }) => label === 'Title').id as string;
    await act({ type: { text: 'Groceries', element: title } });
    await act({ tap: { text: 'No such button' } });
    await panel.world.api.post('/v1/devices/demo/input', {
      events: [
        { touch: { phase: 'down', x: 300, y: 900 }, at_ms: 0 },
        { touch: { phase: 'move', x: 300, y: 700 }, at_ms: 100 },
        { touch: { phase: 'up', x: 300, y: 500 }, at_ms: 200 },
      ],
    });
    await until(async () => (await count()) === 5);
    const steps = page.getByRole('region', { name: 'What was done' }).getByRole('listitem');
    await steps.nth(4).waitFor();
    const texts = (await steps.allInnerTexts()).map((text) => text.split('\n')[0]);
    expect(texts).to.deep.equal([
      'Opened Notes',
      'Tapped “New note”',
      'Typed “Groceries”',
      'Tapped “No such button”',
      'Swiped',
    ]);
  });

  it('shows the pictures of each step by a slider, and what differs', async () => {
    const { page } = opened;
    await page.getByRole('slider', { name: 'Step' }).fill('1');
    await page.getByRole('heading', { name: 'Step 2 of 5' }).waitFor();
    for (const side of ['before', 'after']) {
      const width = `document.querySelector('[alt="Screen ${side} the step"]')?.naturalWidth`;
      await until(async () => (await page.evaluate(width)) === 270, 30_000);
    }
    await page.locator('[class*=difference]').waitFor();
    expect(await page.getByRole('region', { name: 'What changed on the screen' }).innerText()).to.contain('Title');
  });

  it('copies what was done as steps, which do it again, and stop where the screen differs', async () => {
    const { page } = opened;
    await page.getByRole('button', { name: 'Copy all of these as act steps' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const body = JSON.parse(await copied()) as { steps: Record<string, unknown>[] };
    expect(body.steps.map((step) => Object.keys(step)[0])).to.deep.equal(['open_app', 'tap', 'type', 'swipe']);
    expect(body.steps[2]?.['type']).to.deep.equal({ text: 'Groceries', target: { text: 'Title', role: 'textfield' } });
    // The first one hides the keyboard.
    for (const name of ['back', 'back']) await act({ key: { name } });
    expect((await act({ tap: { text: 'Discard' } })).status).to.equal(200);
    await act({ key: { name: 'home' } });
    const again = (await act({ ...body, timeout_ms: 30_000 })).body;
    expect([again.failed, again.steps_done, again.expect_met]).to.deep.equal([undefined, 4, true]);
    const differs = (await act({ steps: body.steps.slice(1), timeout_ms: 30_000 })).body;
    expect(differs.failed).to.include({ step: 0, error: 'not_found' });
  });

  it('saves what was done as a replay', async () => {
    const { page } = opened;
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save as replay' }).click();
    const download = await saving;
    expect(download.suggestedFilename()).to.equal('demo.yaml');
    const { replay } = readReplay(readFileSync(await download.path(), 'utf8'));
    expect(replay.device).to.deep.equal({ model: 'phone-720p', android: '14', width: 720, height: 1280 });
    expect(replay.steps[1]?.['tap']).to.deep.equal({ text: 'New note', role: 'button' });
    expect(replay.steps[2]?.['type']).to.deep.equal({
      text: 'Groceries',
      target: { text: 'Title', role: 'textfield' },
    });
    expect(replay.steps[3]).to.include.keys('swipe', 'warning');
  });

  it('is for mouse, keyboard and narrow screens, in light and dark', async () => {
    const { page, complaints } = opened;
    await page.reload();
    await page.getByAltText('Screen after the step').waitFor();
    await checkPage(page, 'timeline');
    expect(complaints).to.deep.equal([]);
  });

  it('is exported as a page that opens from disk and loads nothing', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cloudphone-export-'));
    try {
      const { bytes } = await panel.world.api.get('/v1/devices/demo/timeline/export');
      const path = join(folder, 'timeline.html');
      writeFileSync(path, bytes);
      const { page, complaints } = await panel.open({ signedIn: false });
      const requests: string[] = [];
      page.on('request', (request) => requests.push(new URL(request.url()).protocol));
      await page.goto(pathToFileURL(path).href);
      await page.getByRole('slider', { name: 'Step' }).fill('1');
      await page.getByRole('img', { name: 'After' }).waitFor();
      expect(await page.locator('#facts').innerText())
        .to.contain('2 of ')
        .and.to.contain('New note');
      expect(requests.filter((protocol) => protocol !== 'file:' && protocol !== 'data:')).to.deep.equal([]);
      // The policy still holds: another script does not run.
      await page.evaluate(
        'document.body.append(Object.assign(document.createElement("script"), {textContent: "window.ran = 1"}))',
      );
      expect(await page.evaluate('window.ran')).to.equal(undefined);
      expect(complaints.filter((text) => !text.includes('Content Security Policy'))).to.deep.equal([]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
