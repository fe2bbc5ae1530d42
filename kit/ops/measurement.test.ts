import { expect } from 'chai';
import { Counter, Registry } from 'prom-client';
import { FakeClock, settled } from '../../testing/fake-clock.js';
import { silentLog } from '../log/log.js';
import { Measurement } from './measurement.js';

describe('measurements for a scrape', () => {
  let clock: FakeClock;
  let metrics: Registry;
  let measured: number;
  let measure: (signal: AbortSignal) => Promise<{ depth: number; byState: Record<string, number> }>;

  beforeEach(() => {
    clock = new FakeClock();
    metrics = new Registry();
    measured = 0;
    measure = async () => ({ depth: 3, byState: { running: 2, stopped: 1 } });
    const queue = new Measurement({
      name: 'queue',
      measure: (signal) => {
        measured++;
        return measure(signal);
      },
      metrics,
      clock,
      log: silentLog,
    });
    // Two gauges, in both orders of registration: neither may report the figures of the scrape before.
    queue.gauge({
      name: 'states',
      help: 'By state',
      labelNames: ['state'],
      samples: ({ byState }) => Object.entries(byState).map(([state, value]) => ({ labels: { state }, value })),
    });
    queue.gauge({ name: 'depth', help: 'Depth', samples: ({ depth }) => depth });
    new Counter({ name: 'other_total', help: 'Other', registers: [metrics] }).inc(7);
  });

  it('are made once for all gauges and scrapes of the same time', async () => {
    const [text] = await Promise.all([metrics.metrics(), metrics.metrics(), metrics.metrics()]);
    expect(samples(text)).to.deep.equal([
      'measurements_failed_total{measurement="queue"} 0',
      'states{state="running"} 2',
      'states{state="stopped"} 1',
      'depth 3',
      'other_total 7',
    ]);
    expect(measured).to.equal(1);
    measure = async () => ({ depth: 0, byState: { stopped: 3 } });
    expect(samples(await metrics.metrics())).to.include.members(['states{state="stopped"} 3', 'depth 0']);
    expect(await metrics.metrics()).not.to.contain('running');
  });

  it('that fail leave their gauges without a value, are counted, and do not affect the others', async () => {
    await metrics.metrics();
    measure = async () => Promise.reject(new Error('the database is away'));
    expect(samples(await metrics.metrics())).to.deep.equal([
      'measurements_failed_total{measurement="queue"} 0',
      'other_total 7',
    ]);
    measure = async () => ({ depth: 4, byState: {} });
    expect(samples(await metrics.metrics())).to.deep.equal([
      'measurements_failed_total{measurement="queue"} 1',
      'depth 4',
      'other_total 7',
    ]);
  });

  it('that take longer than a second are given up', async () => {
    let signal: AbortSignal | undefined;
    measure = (given) => {
      signal = given;
      return new Promise(() => undefined);
    };
    const scrape = metrics.metrics();
    await settled();
    clock.turn(1_000);
    expect(samples(await scrape))
      .to.include('other_total 7')
      .and.not.to.include('depth 3');
    expect(signal?.aborted).to.equal(true);
    expect(clock.timers).to.equal(0);
  });
});

function samples(text: string): string[] {
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}
