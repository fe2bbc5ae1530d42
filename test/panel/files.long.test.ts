import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { until } from '../../testing/until.js';
import { checkPage } from './check-page.js';
import { describeInBrowser, type PanelPage, type PanelWorld, startPanel } from './panel-world.js';

const CONTENT = '/v1/devices/demo/files/content?path=';

describeInBrowser('files of a phone in the panel', function () {
  let panel: PanelWorld;
  let opened: PanelPage;
  before(async () => {
    panel = await startPanel();
    await panel.world.api.createPhone({ name: 'demo' });
    for (const [path, text] of [
      ['/sdcard/Notes/list.txt', 'milk'],
      ['/sdcard/a & b #1.txt', 'odd'],
    ] as const) {
      const headers = { 'content-type': 'application/octet-stream' };
      const put = await panel.world.api.ask('PUT', CONTENT + encodeURIComponent(path), Buffer.from(text), { headers });
      expect(put.status).to.equal(200);
    }
    opened = await panel.open();
  });
  after(() => panel.close());

  it('are listed, and reached by directory, with names of any characters', async () => {
    const { page } = opened;
    await page.goto('/phones/demo/files');
    await page.getByRole('link', { name: 'Notes/' }).click();
    await page.getByRole('link', { name: 'list.txt' }).waitFor();
    expect(new URL(page.url()).searchParams.get('path')).to.equal('/sdcard/Notes');
    await checkPage(page, 'phone-files');
    await page.getByRole('navigation', { name: 'Directory' }).getByRole('link', { name: '/sdcard' }).click();
    const downloading = page.waitForEvent('download');
    await page.getByRole('link', { name: 'a & b #1.txt' }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).to.equal('a & b #1.txt');
    expect(readFileSync(await download.path(), 'utf8')).to.equal('odd');
  });

  it('are uploaded by a drop and by a button, and a refused one is reported with its name', async () => {
    const { page } = opened;
    await page.goto('/phones/demo/files?path=/sdcard/Notes');
    const files = await page.evaluateHandle<unknown>(
      `(() => {
        const data = new DataTransfer();
        data.items.add(new File(['dropped'], 'dropped.txt'));
        return data;
      })()`,
    );
    const place = page.locator('[data-drop=files]');
    // The file is dragged over the page first, which takes APKs, and then over the place for files.
    await page.getByRole('heading', { name: 'demo' }).dispatchEvent('dragover', { dataTransfer: files });
    await place.dispatchEvent('dragover', { dataTransfer: files });
    await place.dispatchEvent('drop', { dataTransfer: files });
    await page.getByRole('link', { name: 'dropped.txt' }).waitFor();
    const choosing = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Choose files' }).click();
    const buffer = Buffer.from('chosen');
    await (
      await choosing
    ).setFiles([
      { name: 'chosen.txt', mimeType: 'text/plain', buffer },
      { name: `${'n'.repeat(300)}.txt`, mimeType: 'text/plain', buffer },
    ]);
    await page.getByText(/n{300}\.txt was not uploaded/).waitFor();
    await page.getByRole('link', { name: 'chosen.txt' }).waitFor();
    await checkPage(page, 'phone-files-refused');
    const { bytes } = await panel.world.api.get(`${CONTENT}/sdcard/Notes/dropped.txt`);
    expect(bytes.toString()).to.equal('dropped');
    const { body } = await panel.world.api.get('/v1/jobs?device=demo');
    expect(body.jobs.map(({ kind }: { kind: string }) => kind)).to.deep.equal(['create']);
    await page.getByRole('tab', { name: 'Apps' }).click();
    const placeForApks = page.locator('[data-over]');
    await placeForApks.waitFor();
    expect(await placeForApks.getAttribute('data-over')).to.equal('false');
    // The refusal is there until it is dismissed, also after a look at another tab.
    await page.getByRole('tab', { name: 'Files' }).click();
    await page.getByText(/n{300}\.txt was not uploaded/).waitFor();
    await page.getByRole('button', { name: /^Dismiss: n/ }).click();
    await page.getByText(/n{300}\.txt was not uploaded/).waitFor({ state: 'detached' });
  });

  it('whose names are not UTF-8 are counted, and a directory that cannot be reached takes no upload', async () => {
    const { page } = opened;
    // The response is like that of an Android phone, as simulated phones have no such names.
    await page.route('**/v1/devices/demo/files?*Music*', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...((await response.json()) as object), unnamed: 1 } });
    });
    await page.goto('/phones/demo/files?path=/sdcard/Music');
    await page.getByText('not UTF-8: 1').waitFor();
    // There is no button while the directory is read, the first time or again, nor after its error.
    const chooser = page.getByRole('button', { name: 'Choose files' });
    let release: (() => void) | undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/v1/devices/demo/files?*etc*', async (route) => {
      await held;
      await route.continue();
    });
    await page.goto('/phones/demo/files?path=/etc');
    await page.getByText('Loading the files').waitFor();
    expect(await chooser.count()).to.equal(0);
    release!();
    await page.getByRole('alert').getByText('outside').waitFor();
    expect(await chooser.count()).to.equal(0);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto('/phones/demo/logs');
    await page.getByRole('tab', { name: 'Logs' }).waitFor();
    await until(async () => (await page.getByRole('tab', { name: 'Logs' }).boundingBox())!.x < 330, 30_000);
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  it('are deleted, a directory only while it is empty', async () => {
    const { page, complaints } = opened;
    await page.goto('/phones/demo/files');
    await page.getByRole('button', { name: 'Delete Notes' }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('alert').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.goto('/phones/demo/files?path=/sdcard/Notes');
    await page.getByRole('button', { name: 'Delete list.txt' }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('link', { name: 'list.txt' }).waitFor({ state: 'detached' });
    expect(complaints).to.deep.equal([]);
  });
});
