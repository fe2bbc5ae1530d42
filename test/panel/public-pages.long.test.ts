import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { Registry } from 'prom-client';
import { systemClock } from '../../kit/async/clock.js';
import { silentLog } from '../../kit/log/log.js';
import { dayOf } from '../../status-service/history/day.js';
import { createStatusService, type StatusService } from '../../status-service/service.js';
import { describeInBrowser, type PanelWorld, startPanel } from './panel-world.js';
import { faultsOf } from './public-page.js';

const DAY_MS = 86_400_000;

describeInBrowser('the public pages in a browser', function () {
  this.timeout(180_000);
  let panel: PanelWorld;
  let directory: string;
  let status: StatusService;
  let listener: { port: number; close(): Promise<void> };
  before(async () => {
    panel = await startPanel();
    directory = mkdtempSync(join(tmpdir(), 'cloudphone-status-'));
    mkdirSync(join(directory, 'status'));
    writeFileSync(join(directory, 'status', 'history.json'), JSON.stringify(eventfulHistory(Date.now())));
    const parts = { metrics: new Registry(), clock: systemClock, log: silentLog };
    status = createStatusService({ ...parts, dataDirectory: directory });
    listener = await status.listen('127.0.0.1', 0);
  });
  after(async () => {
    await listener.close();
    await status.close();
    await panel.close();
    rmSync(directory, { recursive: true, force: true });
  });

  it('status: 90 days at a glance, without findings of axe, a request or a script', async () => {
    const url = `http://127.0.0.1:${listener.port}/status`;
    expect(
      await faultsOf(panel, url, { drawn: 'main', widths: { light: [320, 1440], dark: [320, 1440] } }),
    ).to.deep.equal([]);
    const { page, context } = await panel.open({ signedIn: false, width: 320 });
    await page.goto(url);
    const bars = page.getByRole('img', {
      name: /REST API, the last 90 days: 87 without .*, 2 with .*, 1 without data/,
    });
    const [first, last] = [bars.locator('rect').first(), bars.locator('rect').last()];
    expect(await bars.locator('rect').count()).to.equal(90);
    const [from, to] = [(await first.boundingBox())!, (await last.boundingBox())!];
    expect(from.width).to.be.above(1.5);
    expect(to.x + to.width).to.be.below(320);
    await page.getByText('REST API: the days as a table').press('Enter');
    expect(await page.getByRole('row', { name: /12 of 288 checks failed/ }).count()).to.equal(1);
    await context.close();
  });
});

/** Returns 90 days with two bad ones, one without checks, an incident that is over and one that goes on. */
function eventfulHistory(nowMs: number) {
  const days: Record<string, unknown> = {};
  for (let ago = 0; ago < 90; ago++) {
    if (ago === 60) continue;
    const failed = ago === 30 ? 12 : ago === 5 ? 1 : 0;
    days[dayOf(nowMs - ago * DAY_MS)] = { api: { checks: 288, failed }, live: { checks: 288, failed: 0 } };
  }
  const startedMs = nowMs - 30 * DAY_MS;
  const over = { startedMs, lastFailedMs: startedMs + 3_300_000, end: { ms: startedMs + 3_600_000, recovered: true } };
  const what = 'responded with an error (503)';
  return {
    format: 1,
    checkedMs: nowMs,
    latest: { api: { state: 'ok' }, live: { state: 'failing', what }, adb: { state: 'not_checked' } },
    days,
    incidents: [
      { component: 'api', what: 'did not respond within 10 s', ...over },
      { component: 'live', what, startedMs: nowMs - 600_000, lastFailedMs: nowMs },
    ],
  };
}
