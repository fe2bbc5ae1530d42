import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { Registry } from 'prom-client';
import { silentLog } from '../kit/log/log.js';
import { FakeClock, settled } from '../testing/fake-clock.js';
import { until } from '../testing/until.js';
import type { Check, Outcome } from './checks/outcome.js';
import type { ComponentId } from './components.js';
import type { StatusReport } from './report/report.js';
import { createStatusService, type StatusService } from './service.js';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

describe('the status service', () => {
  let dataDirectory: string;
  let clock: FakeClock;
  let service: StatusService;
  let listener: { port: number; close(): Promise<void> };
  let metrics: Registry;
  let api: () => Promise<Outcome>;
  /** Times of the checks, on the clock that never goes back. */
  let checkedMs: number[];
  let watching: { close(): Promise<void> } | undefined;

  beforeEach(async () => {
    dataDirectory = mkdtempSync(join(tmpdir(), 'cloudphone-status-'));
    clock = new FakeClock(Date.UTC(2026, 7, 24, 12));
    checkedMs = [];
    api = async () => ({ state: 'ok' });
    await open();
  });
  afterEach(async () => {
    await close();
    rmSync(dataDirectory, { recursive: true, force: true });
  });

  async function open(): Promise<void> {
    metrics = new Registry();
    service = createStatusService({ dataDirectory, metrics, clock, log: silentLog });
    listener = await service.listen('127.0.0.1', 0);
  }

  async function close(): Promise<void> {
    await watching?.close();
    watching = undefined;
    await listener.close();
    await service.close();
  }

  function watch(startMs?: number): void {
    const checks = {
      api: () => {
        checkedMs.push(clock.monotonicMs());
        return api();
      },
      live: async () => ({ state: 'failing', what: 'could not be reached' }),
      adb: async () => ({ state: 'not_checked' }),
    } satisfies Record<ComponentId, Check>;
    watching = service.watch(checks, startMs);
  }

  /** Turns the clock, and waits until the history has the round that this begins, and the next one has its timer. */
  async function turnToRound(ms: number): Promise<void> {
    const before = written();
    clock.turn(ms);
    await until(() => written() !== before && clock.timers === 1);
  }

  function written(): string {
    try {
      return readFileSync(join(dataDirectory, 'status', 'history.json'), 'utf8');
    } catch {
      return '';
    }
  }

  function fetchPage(path: string, init?: RequestInit): Promise<Response> {
    return fetch(`http://127.0.0.1:${listener.port}${path}`, init);
  }

  async function readStatus(): Promise<StatusReport> {
    return (await (await fetchPage('/status.json')).json()) as StatusReport;
  }

  it('responds before the first check, knowing nothing', async () => {
    const report = await readStatus();
    expect(report).to.include({ status: 'no_data', checked_at: null, interval_s: 300 });
    expect(await (await fetchPage('/status')).text()).to.contain('Not checked yet');
  });

  it('checks at once, and from then on every five minutes', async () => {
    watch();
    await turnToRound(0);
    for (let round = 0; round < 3; round++) {
      clock.turn(5 * MINUTE_MS - 1);
      await settled();
      expect(checkedMs).to.have.length(round + 1);
      await turnToRound(1);
    }
    expect(checkedMs.map((ms) => ms / MINUTE_MS)).to.deep.equal([0, 5, 10, 15]);
    expect(await metrics.metrics()).to.contain('status_checks_total{component="api",outcome="ok"} 4');
  });

  it('first leaves what starts together with it some time, where it is asked to', async () => {
    watch(30_000);
    clock.turn(30_000 - 1);
    await settled();
    expect(checkedMs).to.deep.equal([]);
    await turnToRound(1);
    await close();
    await open();
    watch(30_000);
    clock.turn(5 * MINUTE_MS - 1);
    await settled();
    expect(checkedMs).to.have.length(1);
    await turnToRound(1);
    expect(checkedMs).to.have.length(2);
  });

  it('waits for the end of a slow round', async () => {
    let finish: () => void = () => undefined;
    api = () => new Promise((resolve) => (finish = () => resolve({ state: 'ok' })));
    watch();
    clock.turn(0);
    clock.turn(9_000);
    finish();
    await until(() => written() !== '' && clock.timers === 1);
    clock.turn(5 * MINUTE_MS - 1);
    await settled();
    expect(checkedMs).to.have.length(1);
    clock.turn(1);
    await until(() => checkedMs.length === 2);
    finish();
  });

  it('checks no more often because of restarts', async () => {
    watch();
    await turnToRound(0);
    for (const passedMs of [MINUTE_MS, 2 * MINUTE_MS]) {
      await close();
      await open();
      watch();
      clock.turn(passedMs - 1);
      await settled();
      clock.turn(1);
    }
    expect(checkedMs).to.have.length(1);
    await turnToRound(2 * MINUTE_MS);
    expect(checkedMs).to.have.length(2);
    await close();
    await open();
    clock.turn(DAY_MS);
    watch();
    await turnToRound(0);
    expect(checkedMs).to.have.length(3);
  });

  it('waits five minutes when the last check is in the future: the clock went back', async () => {
    watch();
    await turnToRound(0);
    await close();
    const ahead = clock;
    clock = new FakeClock(ahead.now() - DAY_MS);
    await open();
    watch();
    clock.turn(5 * MINUTE_MS - 1);
    await settled();
    expect(checkedMs).to.have.length(1);
    await turnToRound(1);
    expect(await readStatus()).to.include({ status: 'problem', checked_at: '2026-08-23T12:05:00.000Z' });
  });

  it('shows 90 days after 91 restarts, one a day', async () => {
    for (let day = 0; day < 91; day++) {
      watch();
      await turnToRound(0);
      await close();
      if (day < 90) clock.turn(DAY_MS);
      await open();
    }
    const [component, live, adb] = (await readStatus()).components;
    expect(component!.days.map(({ checks, failed }) => [checks, failed])).to.deep.equal(Array(90).fill([1, 0]));
    expect([component!.days[0]!.date, component!.days[89]!.date]).to.deep.equal(['2026-08-25', '2026-11-22']);
    expect([component!.uptime, live!.uptime, adb!.uptime]).to.deep.equal([1, 0, null]);
    const page = await (await fetchPage('/status')).text();
    expect(page).to.contain('REST API, the last 90 days: 90 without a problem, 0 with a problem, 0 without data');
    expect(page).to.contain('Live screens, the last 90 days: 0 without a problem, 90 with a problem, 0 without data');
    expect(page).to.contain('ADB, the last 90 days: 0 without a problem, 0 with a problem, 90 without data');
  });

  it('records nothing of a check that its own end cut short', async () => {
    api = () => new Promise(() => undefined);
    watch();
    clock.turn(0);
    await settled();
    await close();
    await open();
    expect(await readStatus()).to.include({ status: 'no_data', checked_at: null });
  });

  it('lets caches keep its pages for a minute, and makes them again after 10 s', async () => {
    const first = await fetchPage('/status.json?x');
    expect(first.headers.get('cache-control')).to.equal('public, max-age=60');
    expect(first.headers.get('access-control-allow-origin')).to.equal('*');
    const etag = first.headers.get('etag')!;
    const again = await fetchPage('/status.json', { headers: { 'if-none-match': etag } });
    expect([again.status, await again.text()]).to.deep.equal([304, '']);
    watch();
    await turnToRound(0);
    expect((await readStatus()).checked_at).to.equal(null);
    clock.turn(10_000);
    expect((await readStatus()).checked_at).to.equal('2026-08-24T12:00:00.000Z');
    expect((await fetchPage('/status.json', { headers: { 'if-none-match': etag } })).status).to.equal(200);
  });

  it('has a page that loads nothing and runs nothing', async () => {
    const response = await fetchPage('/');
    const policy = response.headers.get('content-security-policy')!;
    expect(policy).to.contain("default-src 'none'").and.to.contain("frame-ancestors 'none'");
    const page = await response.text();
    expect(page).not.to.match(/<script|<iframe|<link rel="stylesheet"|\sstyle=|\son\w+=|https?:/);
  });

  it('is the only one with its folder', async () => {
    const second = () => createStatusService({ dataDirectory, metrics, clock, log: silentLog });
    expect(second).to.throw('is in use by another service');
  });
});
