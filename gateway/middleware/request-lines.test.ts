import { expect } from 'chai';
import { pino } from 'pino';
import { startEdge } from '../../testing/edge-world.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { RequestLines } from './request-lines.js';

describe('the lines of requests that cost nothing', () => {
  const logged: Record<string, unknown>[] = [];
  const log = pino({}, { write: (line) => void logged.push(JSON.parse(line) as Record<string, unknown>) });
  let clock: FakeClock;
  beforeEach(() => {
    logged.length = 0;
    clock = new FakeClock();
  });

  it('are few for an address, and one for all the others of a minute', async () => {
    const world = await startEdge({}, { log, clock, limits: { maxAnonymousRequests: 100, maxKeyRequests: 100 } });
    try {
      const send = async (times: number, path: string, key: string): Promise<void> => {
        for (let count = 0; count < times; count++) {
          await (await world.call(path, { headers: { authorization: `Bearer ${key}` } })).text();
        }
      };
      const statuses = (): unknown[] => logged.filter(({ msg }) => msg === 'request').map(({ status }) => status);
      await send(300, '/v1/models', 'cp_wrong');
      expect(statuses()).to.deep.equal(Array.from({ length: 20 }, () => 401));
      clock.turn(60_000);
      const more = logged.filter(({ msg }) => msg === 'more requests');
      expect(more.map(({ address, status, count }) => [address, status, count])).to.deep.equal([
        ['127.0.0.1', 401, 80],
        ['127.0.0.1', 429, 200],
      ]);
      logged.length = 0;
      // A known caller has a line for each request up to its limit, and few beyond it.
      await send(300, '/v1/devices', 'cp_control');
      expect(statuses().filter((status) => status === 429)).to.have.length(20);
      expect(statuses()).to.have.length(120);
      clock.turn(60_000);
      expect(logged.at(-1)).to.include({ msg: 'more requests', status: 429, count: 180 });
    } finally {
      await world.close();
    }
  });

  it('are few for all addresses, and need little memory however many there are', () => {
    const lines = new RequestLines({ clock, log });
    let admitted = 0;
    for (let request = 0; request < 300; request++) admitted += Number(lines.admits('192.0.2.1', 200));
    expect(admitted).to.equal(200);
    for (let address = 0; address < 50_000; address++) admitted += Number(lines.admits(`2001:db8::${address}/64`, 401));
    expect(admitted).to.equal(2_200);
    // A fault has a line all the same.
    expect(lines.admits('192.0.2.1', 500)).to.equal(true);
    clock.turn(60_000);
    expect(logged).to.have.length(1_001);
    expect(logged[0]).to.include({ address: '192.0.2.1', status: 200, count: 100 });
    expect(logged.at(-1)).to.include({ address: 'others', count: 48_000 - 999 });
    expect(clock.timers).to.equal(0);
  });
});
