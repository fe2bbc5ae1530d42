import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { until } from '../../testing/until.js';
import { boxesOf } from './boxes-of.js';
import { checkPage } from './check-page.js';
import { describeInBrowser, type PanelWorld, startPanel } from './panel-world.js';

/** Windows of a phone, a tablet on its side, and a desktop. */
const WINDOWS = [
  { width: 360, height: 780 },
  { width: 1024, height: 768 },
  { width: 1440, height: 900 },
] as const;

const BUTTONS = [
  ...['Back', 'Home', 'Recent apps', 'Type on the phone', 'Save a picture', 'Turn to landscape'],
  ...['Copy from the phone', 'Volume down', 'Volume up', 'Power button', 'Full screen'],
];

const TABS = [
  'About',
  'Apps',
  'Files',
  'Snapshots',
  'Timeline',
  'Recordings',
  'Network',
  'Conditions',
  'ADB',
  'Elements',
  'Crashes',
  'Logs',
];

describeInBrowser("a phone's page in the panel", function () {
  let panel: PanelWorld;
  before(async () => {
    panel = await startPanel();
    await panel.world.api.createPhone({ name: 'demo' });
  });
  after(() => panel.close());

  const drawn = (page: Page): Promise<void> => page.locator('canvas[data-drawn=true]').waitFor();

  /** Waits until the rows, which are measured after they are drawn, are drawn as they were measured. */
  const laidOut = (page: Page): Promise<unknown> =>
    page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');

  /** Returns the names of all elements at one moment: the row and its menu change together while the row is measured. */
  function namesIn(page: Page, selector: string): Promise<string[]> {
    return page
      .locator(selector)
      .evaluateAll((found) => found.map((one) => one.ariaLabel ?? (one as HTMLElement).innerText));
  }

  it('has all buttons of the phone in one row, or in the menu at its end', async () => {
    const { page, context, complaints } = await panel.open();
    await page.goto('/phones/demo');
    await drawn(page);
    const toolbar = page.getByRole('toolbar', { name: 'Buttons of the phone' });
    const more = toolbar.getByRole('button', { name: 'More: Buttons of the phone' });
    for (const size of WINDOWS) {
      await page.setViewportSize(size);
      const frame = page.locator('[data-frame]');
      await until(async () => {
        const [bar, phone] = [await toolbar.boundingBox(), await frame.boundingBox()];
        return Math.abs(bar!.width - phone!.width) < 1;
      });
      await laidOut(page);
      const boxes = await boxesOf(toolbar.getByRole('button'));
      expect(new Set(boxes.map((box) => Math.round(box.y))).size, `rows at ${size.width}`).to.equal(1);
      const bar = (await toolbar.boundingBox())!;
      for (const box of boxes) {
        expect(box.x, `left at ${size.width}`).to.be.at.least(bar.x);
        expect(box.x + box.width, `right at ${size.width}`).to.be.at.most(bar.x + bar.width);
        expect(Math.min(box.width, box.height), `size at ${size.width}`).to.be.at.least(24);
      }
      expect(bar.y + bar.height, `below the window at ${size.width}`).to.be.below(size.height);
      let names = await namesIn(page, '[role=toolbar] button');
      if (await more.isVisible()) {
        await more.click();
        await page.getByRole('menuitem').first().waitFor();
        names = [...names.filter((name) => !name.startsWith('More')), ...(await namesIn(page, '[role=menuitem]'))];
        await page.keyboard.press('Escape');
      }
      expect(names.sort(), `buttons at ${size.width}`).to.deep.equal([...BUTTONS].sort());
    }
    // The widest window has room for all tabs.
    expect(await more.count()).to.equal(0);
    expect(complaints).to.deep.equal([]);
    await context.close();
  });

  it('has tabs that do not fit in a menu, and never the open one', async () => {
    const { page, context, complaints } = await panel.open(WINDOWS[0]);
    await page.goto('/phones/demo');
    await drawn(page);
    const more = page.getByRole('button', { name: /^More: .*Logs/ });
    await more.click();
    await page.getByRole('menuitem', { name: 'Logs' }).waitFor();
    expect(await namesIn(page, '[role=tab], [role=menuitem]')).to.deep.equal(TABS);
    await page.getByRole('menuitem', { name: 'Logs' }).click();
    await page.getByRole('tab', { name: 'Logs', selected: true }).waitFor();
    expect(new URL(page.url()).pathname).to.equal('/phones/demo/logs');
    const tab = (await page.getByRole('tab', { name: 'Logs' }).boundingBox())!;
    expect(tab.x + tab.width).to.be.at.most(WINDOWS[0].width);
    await checkPage(page, 'phone-tabs-narrow');
    const shown = async (): Promise<number> => (await namesIn(page, '[role=tab]')).length;
    // The check above ends in a wide window, whose row may still be drawn.
    await until(async () => (await shown()) <= 4);
    await page.setViewportSize(WINDOWS[2]);
    await until(async () => (await shown()) >= 7);
    await laidOut(page);
    const inWide = await namesIn(page, '[role=tab]');
    expect(inWide).to.include('Logs');
    expect(TABS.filter((name) => inWide.includes(name))).to.deep.equal(inWide);
    expect(complaints).to.deep.equal([]);
    await context.close();
  });

  it('fills the screen with margins and a bar of its own, whose menu is in sight', async () => {
    const { page, context } = await panel.open(WINDOWS[2]);
    await page.goto('/phones/demo');
    await drawn(page);
    await page.getByRole('button', { name: 'Full screen' }).click();
    const leave = page.getByRole('button', { name: 'Leave full screen' });
    await leave.waitFor();
    const part = page.locator('[data-full=true]');
    await until(async () => {
      const [all, frame] = [(await part.boundingBox())!, (await page.locator('[data-frame]').boundingBox())!];
      const bar = (await page.getByRole('toolbar', { name: 'Buttons of the phone' }).boundingBox())!;
      const isApart = frame.y - all.y >= 12 && bar.y - (frame.y + frame.height) >= 12;
      return isApart && all.y + all.height - (bar.y + bar.height) >= 12 && frame.height > all.height * 0.8;
    });
    // Tab does not lead to anything behind it.
    expect(await page.getByRole('link', { name: 'Health' }).count()).to.equal(0);
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Command palette' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Command palette' }).waitFor({ state: 'detached' });
    await leave.click();
    await page.getByRole('link', { name: 'Health' }).waitFor();
    await context.close();
  });

  it('shows the last picture of a phone that is off and starts it, until the person signs out', async () => {
    const { page, context, complaints } = await panel.open();
    await page.goto('/phones/demo');
    await drawn(page);
    await page.getByText('Uptime').waitFor();
    await page.getByRole('button', { name: 'Stop demo' }).click();
    await page.getByAltText('Last picture of demo').waitFor();
    // A phone that does not run has no uptime.
    expect(await page.getByText('Uptime').count()).to.equal(0);
    await checkPage(page, 'phone-off-last-picture');
    // The browser keeps the picture, and shows it in the list too.
    await page.reload();
    await page.getByAltText('Last picture of demo').waitFor();
    expect(await isDark(page)).to.equal(false);
    await page.goto('/phones');
    await page.getByRole('article', { name: 'demo' }).getByAltText('Last picture of demo').waitFor();
    await checkPage(page, 'phones-off');
    await page.goto('/phones/demo');
    await page.getByRole('button', { name: 'Start demo' }).click();
    await drawn(page);
    await page.getByText('Uptime').waitFor();

    await page.getByRole('button', { name: /^Account/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await until(async () => (await keptPictures(page)) === 0);
    expect(complaints).to.deep.equal([]);
    await context.close();
  });

  it('shows the last picture of a phone that is off before its picture was encoded', async () => {
    const { page, context } = await panel.open();
    await page.addInitScript(ENCODES_DURING_READ);
    await page.goto('/phones/demo');
    await drawn(page);
    await page.getByRole('button', { name: 'Stop demo' }).click();
    await page.getByRole('button', { name: 'Start demo' }).waitFor();
    await until(() => page.evaluate<boolean>('window.pictureReads > 0'));
    await page.getByAltText('Last picture of demo').waitFor();
    expect(await isDark(page)).to.equal(false);
    await page.getByRole('button', { name: 'Start demo' }).click();
    await drawn(page);
    await context.close();
  });

  it('shows the last picture of the timeline where this browser had none', async () => {
    await panel.world.api.ask('PATCH', '/v1/devices/demo', { timeline: true });
    await panel.world.api.post('/v1/devices/demo/act', { open_app: { app: 'Notes' } });
    await until(async () => {
      const { body } = await panel.world.api.get('/v1/devices/demo/timeline?limit=5');
      return body.entries.some(({ after }: { after?: string }) => after !== undefined);
    });
    await panel.world.api.done(await panel.world.api.post('/v1/devices/demo/stop'));
    const { page, context, complaints } = await panel.open();
    await page.goto('/phones/demo');
    const picture = page.getByAltText('Last picture of demo');
    await picture.waitFor();
    expect(await picture.getAttribute('src')).to.match(/timeline/);
    await page.getByRole('button', { name: 'Start demo' }).waitFor();
    expect(complaints).to.deep.equal([]);
    await context.close();
  });
});

/** Makes a browser encode pictures only once its database is being read, and makes that read end after the picture has been encoded. */
const ENCODES_DURING_READ = `(() => {
  window.pictureReads = 0;
  let begun, encoded;
  const isRead = new Promise((resolve) => (begun = resolve));
  const isEncoded = new Promise((resolve) => (encoded = resolve));
  const { toBlob } = HTMLCanvasElement.prototype;
  HTMLCanvasElement.prototype.toBlob = function (take, ...form) {
    const taken = (blob) => {
      take(blob);
      setTimeout(encoded, 500);
    };
    void isRead.then(() => toBlob.call(this, taken, ...form));
  };
  const { get } = IDBObjectStore.prototype;
  IDBObjectStore.prototype.get = function (key) {
    const request = get.call(this, key);
    const late = { get result() { return request.result; } };
    request.onsuccess = () =>
      isEncoded.then(() => {
        late.onsuccess();
        window.pictureReads += 1;
      });
    begun();
    return late;
  };
})()`;

/** Returns the number of pictures in the browser's database. */
function keptPictures(page: Page): Promise<number> {
  return page.evaluate<number>(`new Promise((resolve, reject) => {
    const opened = indexedDB.open('cloudphone-pictures');
    opened.onerror = () => reject(opened.error);
    opened.onsuccess = () => {
      const count = opened.result.transaction('pictures').objectStore('pictures').count();
      count.onsuccess = () => resolve(count.result);
    };
  })`);
}

/** Whether the picture has only one colour. */
function isDark(page: Page): Promise<boolean> {
  return page.evaluate<boolean>(`(async () => {
    const image = document.querySelector('img[alt^="Last picture"]');
    await image.decode();
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
    const context = canvas.getContext('2d');
    context.drawImage(image, 0, 0);
    const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
    return new Set(data.filter((_, at) => at % 4 === 0)).size < 8;
  })()`);
}
