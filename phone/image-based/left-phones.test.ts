import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { systemClock } from '../../kit/async/clock.js';
import { FakeClock, settled } from '../../testing/fake-clock.js';
import type { ImageBasedDriver } from './driver.js';
import { failureOf } from './testing/image-based-world.js';
import { driverOf, specOf, TestEngine } from './testing/test-engine.js';

/** Longer than the longest pause between two tries, ms. */
const LATER_MS = 60_000;

describe('phones that an engine has left in a wrong state', () => {
  let directory: string;
  let engine: TestEngine;
  let clock: FakeClock;
  let driver: ImageBasedDriver;
  const PHONES = Array.from({ length: 30 }, (_, at) => `ph_${at}`);
  const fault = new Error('the engine is overloaded');

  /** Turns the clock, and gives files the time that they take. */
  async function step(): Promise<void> {
    clock.turn(500);
    await systemClock.sleep(1);
  }

  async function until(holds: () => boolean): Promise<void> {
    while (!holds()) await step();
  }

  /** Lets time pass in which nothing more is to happen. */
  async function later(): Promise<void> {
    for (let ms = 0; ms < LATER_MS; ms += 500) await step();
  }

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'left-'));
    [engine, clock] = [new TestEngine(), new FakeClock()];
    const before = driverOf({ engine, directory, clock });
    await before.open();
    for (const phoneId of PHONES) {
      await before.create(specOf(phoneId));
      const path = join(directory, 'phones', phoneId, 'phone.json');
      const described = JSON.parse(await readFile(path, 'utf8')) as object;
      await writeFile(path, JSON.stringify({ ...described, on: true }));
      engine.on.add(phoneId);
    }
    await before.close();
    driver = driverOf({ engine, directory, clock });
  });
  afterEach(async () => {
    await driver.close();
    await rm(directory, { recursive: true, force: true });
  });

  describe('without a way out, as a call failed when the service started,', () => {
    it('get it as soon as the engine allows it, without calls for all phones at once', async () => {
      let [calls, most] = [0, 0];
      let isWell = false;
      engine.onCall = async () => {
        most = Math.max(most, ++calls);
        await settled();
        calls--;
        if (!isWell) throw fault;
      };
      await driver.open();
      expect([...engine.exits]).to.deep.equal([]);
      await until(() => engine.calls.length > 2 * PHONES.length);
      isWell = true;
      await until(() => engine.exits.size === PHONES.length);
      expect(most)
        .to.be.greaterThan(1)
        .and.lessThan(PHONES.length / 2);
      engine.calls.length = 0;
      await later();
      expect(engine.calls).to.deep.equal([]);
    });

    it('keep the driver closed no longer than one round of a slow engine', async () => {
      engine.onCall = async () => {
        await clock.sleep(30_000);
        throw fault;
      };
      const [beganMs, opening] = [clock.monotonicMs(), driver.open()];
      let isOpen = false;
      void opening.then(() => (isOpen = true));
      await until(() => isOpen);
      expect(clock.monotonicMs() - beganMs).to.be.lessThan(60_000);
    });

    it('are left once they are off', async () => {
      engine.onCall = () => Promise.reject(fault);
      await driver.open();
      for (const phoneId of PHONES) await driver.stop(phoneId, 'kill');
      await later();
      engine.calls.length = 0;
      await later();
      expect(engine.calls).to.deep.equal([]);
    });
  });

  describe('paused', () => {
    beforeEach(async () => {
      await driver.open();
      engine.calls.length = 0;
    });

    it('after a backup go on once the engine ends the pause, and the backup has its copy', async () => {
      let tries = 0;
      engine.onCall = async () => {
        if (++tries < 4) throw fault;
      };
      await driver.keepStill('ph_0', async () => void expect([...engine.paused]).to.deep.equal(['ph_0']));
      expect([...engine.paused]).to.deep.equal(['ph_0']);
      await until(() => engine.paused.size === 0);
      expect(engine.calls).to.deep.equal(Array.from({ length: 4 }, () => 'end ph_0'));
    });

    it('after a backup are left once they are off', async () => {
      engine.onCall = () => Promise.reject(fault);
      await driver.keepStill('ph_0', () => Promise.resolve());
      await driver.stop('ph_0', 'kill');
      await later();
      engine.calls.length = 0;
      await later();
      expect(engine.calls).to.deep.equal([]);
    });

    it('by nobody who keeps them still go on, as by a call that the engine did late', async () => {
      engine.paused.add('ph_1');
      await driver.inspect('ph_1');
      await until(() => engine.paused.size === 0);
    });

    it('and kept still stay so, although they are inspected meanwhile', async () => {
      const failure = await failureOf(
        driver.keepStill('ph_0', async () => {
          await driver.inspect('ph_0');
          await later();
          expect([engine.calls, [...engine.paused]]).to.deep.equal([[], ['ph_0']]);
          throw new Error('the copy failed');
        }),
      );
      expect(failure).to.equal('Error: the copy failed');
      expect([...engine.paused]).to.deep.equal([]);
    });
  });
});
