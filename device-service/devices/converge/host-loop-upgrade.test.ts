import { expect } from 'chai';
import { deviceDocument } from '../../../testing/device-document.js';
import { hostLoopWorld } from '../../../testing/host-loop-world.js';
import { PhoneFailure } from '../../../phone/driver.js';
import type { Job, UpgradeStepWord } from '../../store/device-document.js';
import { JOB_LIMIT_MS, MAX_TAKEOVERS, MAX_UPGRADE_TRIES } from '../limits.js';

const before = { android: '14', packages: ['org.example.app'], entries: ['Download'] };

describe('a host, upgrades of its phones', () => {
  const world = hostLoopWorld();

  /** A stopped device at a step of its upgrade, whose phone has a copy beside it. */
  async function begin(step: UpgradeStepWord, more: Partial<Job> = {}): Promise<void> {
    await insert(step, more);
    world.loop.begin(await world.read());
  }

  async function insert(step: UpgradeStepWord, more: Partial<Job> = {}): Promise<void> {
    const { driver } = world;
    driver.phones.set('ph_1', 'stopped');
    driver.images.image = { android: '15' };
    driver.images.kept.set('ph_1', { android: '14' });
    const upgrade = { step, before, ...more.upgrade };
    const job = world.job('upgrade', { requestedBy: 'operator', checkedAt: new Date(0), ...more, upgrade });
    await world.stored.insert(deviceDocument({ job }));
  }
  const failIn = (operation: string, error: () => Error): void => {
    world.driver.images.onCall = (one) => {
      if (one === operation) throw error();
    };
  };
  const messageOf = (): string | undefined => world.outcome()?.error?.message;

  it('go back after some failed tries of a step, without the reason for the log in the error', async () => {
    failIn('change', () => new Error('the engine broke off'));
    await begin('image');
    await world.until(world.hasEnded);
    expect(world.driver.calls.filter((call) => call === 'change')).to.have.length(MAX_UPGRADE_TRIES);
    expect(messageOf()).to.contain('the step "image" failed 10 times').and.not.to.contain('broke off');
    expect(world.driver.calls.at(-1)).to.equal('back');
    expect(await world.read()).to.deep.include({ state: 'stopped', android: '14' });
  });

  it('begin to count tries again with each step', async () => {
    let failures = 0;
    world.driver.images.onCall = (one) => {
      if ((one === 'change' || one === 'survey') && failures++ % MAX_UPGRADE_TRIES !== MAX_UPGRADE_TRIES - 1)
        throw new Error('broke off');
    };
    await begin('image');
    await world.until(world.hasEnded);
    expect(world.outcome()).to.deep.include({ state: 'done' });
  });

  it('go back when their time is over, and have the time of a job for that', async () => {
    world.driver.hangs.add('start');
    await begin('boot');
    await world.until(() => world.driver.calls.includes('start'));
    world.clock.turn(JOB_LIMIT_MS.upgrade);
    await world.until(world.hasEnded, 1_000);
    expect(messageOf()).to.contain('the check "boot" failed: The upgrade did not end within');
    expect(world.driver.images.of.get('ph_1')).to.deep.equal({ android: '14' });
  });

  it('go back when several processes ended in them', async () => {
    await begin('copy', { takeovers: MAX_TAKEOVERS + 1 });
    await world.until(world.hasEnded);
    expect(messageOf()).to.contain('back on its old image').and.to.contain('The service ended 6 times');
    expect(world.driver.images.kept.size).to.equal(0);
  });

  it('go on with the way back for as long as it takes', async () => {
    let isRepaired = false;
    world.driver.images.onCall = (one) => {
      if (one === 'back' && !isRepaired) throw new Error('the disk does not respond');
    };
    const refused = { error: 'unavailable' as const, message: 'It is back.' };
    await begin('back', { takeovers: MAX_TAKEOVERS + 1, upgrade: { step: 'back', refused } });
    await world.until(() => world.driver.calls.filter((call) => call === 'back').length > MAX_UPGRADE_TRIES * 2);
    world.clock.turn(JOB_LIMIT_MS.upgrade * 2);
    await world.until(() => world.driver.calls.filter((call) => call === 'back').length > MAX_UPGRADE_TRIES * 3);
    expect(world.ended).to.deep.equal([]);
    isRepaired = true;
    await world.until(world.hasEnded);
    expect(world.outcome()).to.deep.include({ state: 'failed', error: refused });
    expect(await world.read()).to.deep.include({ state: 'stopped' });
  });

  it('fail where the files of the phone are gone, and there is nothing to put back', async () => {
    failIn('back', () => new PhoneFailure("The phone's files are not on its host any more."));
    await begin('back');
    await world.until(world.hasEnded);
    expect(messageOf()).to.contain("The phone's files are not on its host any more.");
    const { state, problem } = await world.read();
    expect([state, problem?.kind]).to.deep.equal(['failed', 'upgrade']);
  });

  it('keep the new image once all checks have passed, although the copy cannot be removed at first', async () => {
    let failures = 0;
    world.driver.images.onCall = (one) => {
      if (one === 'drop' && failures++ < MAX_UPGRADE_TRIES * 2) throw new Error('the disk does not respond');
    };
    world.driver.images.of.set('ph_1', { android: '15' });
    await begin('drop', { upgrade: { step: 'drop', android: '15' } });
    await world.until(world.hasEnded);
    expect(world.outcome()).to.deep.include({ state: 'done', result: { android: '15' } });
    expect(world.driver.images.kept.size).to.equal(0);
  });

  // The job goes through all steps. The process ends in an operation before the result is written, once it is done or before.
  for (const isDone of [false, true]) {
    for (const operation of ['fetch', 'survey', 'stop', 'keep', 'change', 'start', 'drop', 'back'] as const) {
      it(`goes on after the end of the process ${isDone ? 'after' : 'in'} ${operation}`, async () => {
        const isBack = operation === 'back';
        const { driver } = world;
        await insert('fetch');
        driver.images.kept.clear();
        if (isBack) driver.images.image = { android: '15', bootFailure: 'The phone went off.' };
        let isThere = false;
        const target = (operation === 'stop' || operation === 'start' ? driver : driver.images) as unknown as Record<
          string,
          (...given: unknown[]) => Promise<unknown>
        >;
        const original = target[operation]!.bind(target);
        target[operation] = async (...given) => {
          if (isDone) await original(...given);
          isThere = true;
          return new Promise<never>(() => undefined);
        };
        world.loop.wake('ph_1');
        await world.until(() => isThere);
        await world.closeLoop();
        target[operation] = original;
        world.loop = world.open();
        world.loop.wake('ph_1');
        await world.until(world.hasEnded);
        expect(world.outcome()).to.include({ state: isBack ? 'failed' : 'done' });
        expect(await world.read()).to.deep.include({ state: 'stopped', android: isBack ? '14' : '15' });
        expect([...driver.phones.values()]).to.deep.equal(['stopped']);
        expect([driver.images.kept.size, driver.images.of.get('ph_1')?.android]).to.deep.equal([
          0,
          isBack ? '14' : '15',
        ]);
        expect(world.charged).to.deep.equal([]);
      });
    }
  }
});
