import { expect } from 'chai';
import { hostLoopWorld } from '../../../testing/host-loop-world.js';
import type { DeviceDocument, Job } from '../../store/device-document.js';
import { JobFailure } from '../jobs/job-failure.js';
import type { WorkTask } from '../jobs/worker.js';
import { JOB_LIMIT_MS } from '../limits.js';

const NAMES = ['maps', 'my/shop', 'notes'];
const apps = NAMES.map((app) => ({ app, package: `org.example.${app.at(-1) ?? ''}`, from: { app } }));
const packages = apps.map((app) => app.package);

describe('with a new phone that gets apps', () => {
  const world = hostLoopWorld();
  let tasks: WorkTask[];
  beforeEach(() => {
    tasks = [];
    world.worker = async (task) => {
      tasks.push(task);
      task.onProgress(50);
      return { result: { package: 'org.example' } };
    };
  });

  const create = async (more: Partial<Job> = {}): Promise<DeviceDocument> => {
    const device = await world.creating({ apps, requestedBy: 'key_1', ...more });
    world.loop.begin(device);
    return device;
  };
  const installed = (): string[] =>
    tasks.map(({ work }) => (work.kind === 'install' ? work.package : `not an install: ${work.kind}`));
  const expectDone = async (): Promise<void> => {
    expect(world.ended).to.have.length(1);
    expect(world.outcome()).to.include({ state: 'done' }).and.not.to.have.property('result');
    const now = await world.read();
    expect(now).to.include({ state: 'running', wanted: 'running', made: true }).and.not.to.have.any.keys('job', 'problem');
  }; // prettier-ignore

  it('installs them one after the other while the device runs and the job is at work, and ends then', async () => {
    const seen: (string | number | undefined)[][] = [];
    const { worker } = world;
    world.worker = async (task) => {
      const { state, job, startedAt } = await world.read();
      seen.push([state, job?.kind, job?.appsInstalled ?? 0]);
      expect(startedAt).to.be.instanceOf(Date);
      return worker(task);
    };
    await create();
    await world.until(world.hasEnded);
    expect(installed()).to.deep.equal(packages);
    expect(seen).to.deep.equal([
      ['running', 'create', 0],
      ['running', 'create', 1],
      ['running', 'create', 2],
    ]);
    expect(tasks.map(({ endpoint }) => endpoint.identity)).to.deep.equal(['ph_1/1', 'ph_1/1', 'ph_1/1']);
    await expectDone();
    expect(world.ended[0]?.job).to.include({ kind: 'create', progress: 100 });
    expect(world.charged).to.deep.equal([]);
    expect((await world.read()).generation).to.equal(1);
  });

  it('shows the progress of all of it', async () => {
    const progress: (number | undefined)[] = [];
    world.worker = async (task) => {
      task.onProgress(50);
      progress.push(task.device.job?.progress);
      return {};
    };
    await create();
    await world.until(world.hasEnded);
    expect(progress).to.deep.equal([58, 75, 92]);
  });

  it('fails with the name and the reason when one is refused, and the phone runs on, without a problem', async () => {
    const { worker } = world;
    world.worker = async (task) => {
      await worker(task);
      if (tasks.length === 2) throw new JobFailure({ error: 'bad_request', message: 'Failure [INSTALL_FAILED]' });
      return {};
    };
    let released = 0;
    world.release = async () => {
      released++;
    };
    await create();
    await world.until(world.hasEnded);
    expect(installed()).to.deep.equal(packages.slice(0, 2));
    expect(world.outcome()).to.deep.include({
      state: 'failed',
      error: {
        error: 'bad_request',
        message: 'The phone runs, but the app "my/shop" was not installed: Failure [INSTALL_FAILED]',
      },
    });
    const now = await world.read();
    expect(now).to.include({ state: 'running', wanted: 'running' }).and.not.to.have.any.keys('job', 'problem');
    expect([world.charged, released]).to.deep.equal([[], 0]);
  });

  it('ends before the next one when the phone could not be paid meanwhile', async () => {
    const { worker } = world;
    world.worker = async (task) => {
      world.unpaid.add('ph_1');
      return worker(task);
    };
    await create();
    await world.until(world.hasEnded);
    expect(installed()).to.deep.equal(packages.slice(0, 1));
    expect(world.outcome()?.error).to.include({ error: 'insufficient_funds' });
    expect(await world.read())
      .to.include({ state: 'running' })
      .and.not.to.have.any.keys('job', 'problem');
  });

  it('repeats an install after an error', async () => {
    const { worker } = world;
    world.worker = async (task) => {
      await worker(task);
      if (tasks.length === 2) throw new Error('the link broke off');
      return {};
    };
    await create();
    await world.until(world.hasEnded);
    expect(installed()).to.deep.equal([packages[0], packages[1], packages[1], packages[2]]);
    await expectDone();
  });

  it('ends an install that hangs in its time, with the name of the app', async () => {
    world.worker = () => new Promise(() => undefined);
    await create();
    await world.until(world.hasEnded, 10_000);
    expect(world.outcome()?.error).to.include({ error: 'timeout' });
    expect(world.outcome()?.error?.message).to.contain('the app "maps" was not installed');
    const limitMs = JOB_LIMIT_MS.create + apps.length * JOB_LIMIT_MS.install;
    expect(world.clock.monotonicMs()).to.be.at.least(limitMs);
    expect(await world.read()).to.include({ state: 'running' });
  });

  it('starts a phone again that stopped among them, charges both runs, and goes on', async () => {
    const { worker } = world;
    world.worker = async (task) => {
      await worker(task);
      if (tasks.length !== 2) return {};
      world.driver.lose('ph_1', 'power loss');
      throw new Error('the link broke off');
    };
    await create();
    await world.until(world.hasEnded);
    expect(installed()).to.deep.equal([packages[0], packages[1], packages[1], packages[2]]);
    expect(tasks.map(({ endpoint }) => endpoint.identity)).to.deep.equal(['ph_1/1', 'ph_1/1', 'ph_1/2', 'ph_1/2']);
    await expectDone();
    expect(world.charged).to.have.length(1);
    expect((await world.read()).generation).to.equal(2);
  });

  for (const method of ['findById', 'change', 'finish'] as const) {
    for (const calls of [0, 1, 2, 3, 4]) {
      it(`ends once with all of them, though the reply to ${method} was lost after ${calls} installs`, async () => {
        const { worker } = world;
        world.worker = async (task) => {
          const done = await worker(task);
          if (tasks.length === calls) world.lostReplies.add(method);
          return done;
        };
        if (calls === 0) world.lostReplies.add(method);
        await create();
        await world.until(world.hasEnded);
        expect(new Set(installed())).to.deep.equal(new Set(packages));
        await expectDone();
      });
    }
  }

  for (const [what, phoneLives] of [
    ['and the phone runs on', true],
    ['and took the phone along', false],
  ] as const) {
    for (const atInstall of [1, 2, 3]) {
      it(`goes on after a process that ended at install ${atInstall} ${what}`, async () => {
        const first = world.loop;
        const { worker } = world;
        let hangs = true;
        world.worker = async (task) => {
          await worker(task);
          // The process ends after the phone has the app, and before that is noted.
          if (hangs && tasks.length === atInstall) return new Promise(() => undefined);
          return {};
        };
        await create();
        await world.until(() => tasks.length === atInstall);
        hangs = false;
        if (!phoneLives) world.driver.phones.set('ph_1', 'stopped');
        world.loop = world.open({ epoch: 2, seenBefore: new Date(world.clock.now() - 1) });
        await world.loop.start();
        await world.until(world.hasEnded);
        const names = packages.flatMap((name, at) => (at === atInstall - 1 ? [name, name] : [name]));
        expect(installed()).to.deep.equal(names);
        await expectDone();
        expect(world.charged).to.have.length(phoneLives ? 0 : 1);
        const closed = first.close(0);
        world.clock.turn(0);
        await closed;
        expect(world.ended).to.have.length(1);
      });
    }
  }

  it('waits for a database that is away, and ends once', async () => {
    const { worker } = world;
    world.worker = async (task) => {
      const done = await worker(task);
      if (tasks.length === 2) world.away = true;
      return done;
    };
    await create();
    await world.until(() => world.away);
    world.clock.turn(60_000);
    world.away = false;
    await world.until(world.hasEnded);
    await expectDone();
  });
});
