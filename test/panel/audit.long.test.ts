import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { checkPage } from './check-page.js';
import { describeInBrowser, type PanelWorld, startPanel } from './panel-world.js';

/** An entry of the audit log, as the API has it. */
const entry = (number: number, changed: object = {}) => ({
  ...{ id: `aud_${number}`, at: '2026-11-20T17:00:00.000Z', role: 'operator', action: 'DeviceService.DeleteDevice' },
  actor: { kind: 'person', id: 'mem_1', name: 'ann@example.com' },
  ...{ device: 'bench', outcome: 'ok', address: '203.0.113.7', request_id: `req_${number}` },
  ...changed,
});

describeInBrowser('the audit log in the panel', function () {
  let panel: PanelWorld;
  before(async () => {
    panel = await startPanel();
    await panel.world.api.createPhone({ name: 'bench', start: false });
  });
  after(() => panel.close());

  it('lists who did what, by filters, page by page, and saves all of it as a file', async () => {
    const { page, context, complaints } = await panel.open();
    const asked: { query: Record<string, string>; accept: string }[] = [];
    await page.route('**/v1/audit*', async (route) => {
      const query = Object.fromEntries(new URL(route.request().url()).searchParams);
      const accept = route.request().headers()['accept'] ?? '';
      asked.push({ query, accept });
      if (accept === 'text/csv') return route.fulfill({ contentType: 'text/csv', body: 'at,actor\r\n' });
      if (accept === 'application/x-ndjson') return route.fulfill({ contentType: accept, body: '{"id":"aud_1"}\n' });
      if (query['action'] === 'Nothing') return route.fulfill({ json: { entries: [] } });
      const older = { action: 'SessionService.SignIn', outcome: 'unauthorized', device: undefined, role: undefined };
      const json =
        query['cursor'] === undefined
          ? { entries: [entry(2)], next_cursor: 'older' }
          : { entries: [entry(1, { ...older, actor: { kind: 'person', id: '', name: '=cmd()' } })] };
      return route.fulfill({ json });
    });
    await page.goto('/audit');
    const row = page.getByRole('row', { name: /ann@example\.com/ });
    await row.getByText('delete device').waitFor();
    await page.getByRole('button', { name: 'Show older entries' }).click();
    await page
      .getByRole('row', { name: /=cmd\(\)/ })
      .getByText('unauthorized')
      .waitFor();
    await checkPage(page, 'audit');
    await page.getByRole('combobox', { name: 'Phone' }).click();
    await page.getByRole('option', { name: 'bench' }).click();
    await page.getByRole('combobox', { name: 'Who' }).click();
    await page.getByRole('option', { name: panel.world.email }).click();
    await page.getByLabel('From').fill('2026-11-01');
    await page.getByLabel('To').fill('2026-11-30');
    const wanted = { device: 'bench', from: '2026-11-01T00:00:00.000Z', to: '2026-12-01T00:00:00.000Z' };
    await page.waitForResponse((response) => response.url().includes('2026-12-01'));
    expect(asked.at(-1)!.query).to.deep.include(wanted).and.to.have.property('actor').that.matches(/^mem_/);
    for (const [button, accept, text] of [
      ['Save as CSV', 'text/csv', 'at,actor\r\n'],
      ['Save as JSON lines', 'application/x-ndjson', '{"id":"aud_1"}\n'],
    ] as const) {
      const saving = page.waitForEvent('download');
      await page.getByRole('button', { name: button }).click();
      expect(readFileSync(await (await saving).path(), 'utf8')).to.equal(text);
      expect(asked.at(-1)!.accept).to.equal(accept);
      expect(asked.at(-1)!.query).to.deep.include(wanted).and.to.have.property('limit', '10000');
    }
    await page.getByLabel('Call').fill('Nothing');
    await page.getByText('No such entries').waitFor();
    await page.getByRole('button', { name: 'Show all entries' }).click();
    await row.waitFor();
    expect(complaints).to.deep.equal([]);
    await context.close();
  });
});
