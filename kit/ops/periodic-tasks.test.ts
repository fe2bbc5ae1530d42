import { expect } from 'chai';
import { Registry } from 'prom-client';
import { FakeClock, settled } from '../../testing/fake-clock.js';
import { type Log, silentLog } from '../log/log.js';
import { type PeriodicTask, PeriodicTasks, type RunningTasks, Wakeup } from './periodic-tasks.js';

describe('periodic tasks', () => {
  let clock: FakeClock;
  let metrics: Registry;
  let running: RunningTasks | undefined;
  let runs: string[];

  beforeEach(() => {
    clock = new FakeClock(0);
    metrics = new Registry();
    running = undefined;
    runs = [];
  });

  afterEach(() => running?.close());

  function start(tasks: PeriodicTask[], log: Log = silentLog): void {
    running = new PeriodicTasks({ clock, log, metrics }).start(tasks);
  }

  const noting = (name: string) => async (): Promise<void> => void runs.push(name);

  async function turn(ms: number): Promise<void> {
    clock.turn(ms);
    await settled();
  }

  async function valueOf(metric: string, task: string): Promise<number | undefined> {
    const { values } = (await metrics.getSingleMetric(metric)?.get()) ?? { values: [] };
    return values.find(({ labels }) => labels['task'] === task)?.value;
  }

  it('run each at its own times', async () => {
    start([
      { name: 'a', everyMs: 1_000, run: noting('a') },
      { name: 'b', everyMs: 1_000, firstMs: 100, run: noting('b') },
    ]);
    await turn(100);
    expect(runs).to.deep.equal(['b']);
    await turn(900);
    expect(runs).to.deep.equal(['b', 'a']);
    await turn(100);
    expect(runs).to.deep.equal(['b', 'a', 'b']);
  });

  it('run before their time when they are woken', async () => {
    const wakeup = new Wakeup();
    wakeup.soon();
    start([{ name: 'a', everyMs: 1_000, run: noting('a'), wakeup }]);
    await turn(1);
    expect(runs).to.deep.equal([]);
    wakeup.soon();
    await turn(1);
    expect(runs).to.deep.equal(['a']);
  });

  it('measure the last run that did not fail', async () => {
    const outcomes = [
      () => clock.sleep(250),
      async () => {
        throw new Error('away');
      },
    ];
    start([{ name: 'a', everyMs: 1_000, run: () => outcomes.shift()?.() ?? Promise.resolve() }]);
    await turn(1_000);
    await turn(250);
    expect(await valueOf('periodic_task_duration_seconds', 'a')).to.equal(0.25);
    expect(await valueOf('periodic_task_last_success_timestamp_seconds', 'a')).to.equal(1.25);
    await turn(1_000);
    expect(outcomes).to.have.length(0);
    expect(await valueOf('periodic_task_last_success_timestamp_seconds', 'a')).to.equal(1.25);
  });

  it('have the time of their begin as that of their last success until a run succeeds', async () => {
    clock.turn(5_000);
    start([{ name: 'a', everyMs: 1_000, run: () => Promise.reject(new Error('away')) }]);
    await turn(3_000);
    expect(await valueOf('periodic_task_last_success_timestamp_seconds', 'a')).to.equal(5);
  });

  it('log what they could not do, and go on', async () => {
    const lines: string[] = [];
    const log = { ...silentLog, error: (_fields: object, line: string) => void lines.push(line) } as unknown as Log;
    const run = async (): Promise<void> => {
      runs.push('a');
      throw new Error('a fault');
    };
    start([{ name: 'count the phones', everyMs: 1_000, run }], log);
    await turn(1_000);
    await turn(1_000);
    expect(runs).to.have.length(2);
    expect(lines[0]).to.equal('could not count the phones; trying again');
  });

  it('abort the runs under way when they are closed, and wait for their ends', async () => {
    const ended: string[] = [];
    const run = (name: string) => async (signal: AbortSignal) => {
      await clock.sleep(60_000, signal).catch(() => undefined);
      ended.push(name);
    };
    start([
      { name: 'a', everyMs: 1_000, run: run('a') },
      { name: 'b', everyMs: 1_000, run: run('b') },
    ]);
    await turn(1_000);
    await running?.close();
    expect(ended).to.have.members(['a', 'b']);
    await turn(10_000);
    expect(ended).to.have.length(2);
  });
});
