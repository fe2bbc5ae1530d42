import { expect } from 'chai';
import type { Db } from 'mongodb';
import { until } from '../../testing/until.js';
import { openTemporaryDatabase, type TemporaryDatabase } from '../temporary-database.js';
import { startWorld, type World } from '../world.js';

/** Fails or holds the writes of timelines, and of nothing else. */
class BrokenTimeline {
  fault: 'none' | 'fails' | 'hangs' = 'none';
  tries = 0;
  #held: (() => void)[] = [];

  release(): void {
    this.fault = 'none';
    for (const go of this.#held) go();
    this.#held = [];
  }

  in(database: Db): Db {
    const collection = (...given: Parameters<Db['collection']>): unknown => {
      const found = database.collection(...given);
      if (given[0] !== 'timeline') return found;
      return replaced(found, 'insertMany', async (...args: Parameters<typeof found.insertMany>) => {
        this.tries++;
        if (this.fault === 'fails') throw Object.assign(new Error('away'), { name: 'MongoNetworkError' });
        if (this.fault === 'hangs') await new Promise<void>((resolve) => this.#held.push(resolve));
        return found.insertMany(...args);
      });
    };
    return replaced(database, 'collection', collection);
  }
}

/** The object with one method replaced. */
function replaced<T extends object>(object: T, name: string, method: unknown): T {
  return new Proxy(object, {
    get: (target, property) => {
      if (property === name) return method;
      const value: unknown = Reflect.get(target, property, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

describe('a timeline whose store fails', () => {
  let world: World;
  const broken = new BrokenTimeline();
  before(async () => {
    const openDatabase = async (): Promise<TemporaryDatabase> => {
      const opened = await openTemporaryDatabase();
      return { ...opened, database: broken.in(opened.database), close: () => opened.close() };
    };
    world = await startWorld({ openDatabase });
    await world.api.createPhone({ name: 'phone' });
    await world.api.ask('PATCH', '/v1/devices/phone', { timeline: true });
  });
  after(() => {
    broken.release();
    return world.close();
  });

  const act = async (name: string): Promise<number> =>
    (await world.api.post('/v1/devices/phone/act', { key: { name }, observe: 'none', settle_ms: 0 })).status;
  const kept = async (): Promise<number> => (await world.api.get('/v1/devices/phone/timeline')).body.entries.length;

  for (const fault of ['fails', 'hangs'] as const) {
    it(`fails and holds up no call, and keeps their entries afterwards: it ${fault}`, async () => {
      await world.api.delete('/v1/devices/phone/timeline');
      broken.fault = fault;
      const before = broken.tries;
      const statuses: number[] = [];
      for (let times = 0; times < 4; times++) statuses.push(await act(times % 2 === 0 ? 'home' : 'back'));
      await until(() => broken.tries > before);
      statuses.push(await act('home'));
      expect(statuses).to.deep.equal([200, 200, 200, 200, 200]);
      expect(await kept()).to.equal(0);
      broken.release();
      await until(async () => (await kept()) === 5);
    });
  }
});
