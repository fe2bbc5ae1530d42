import { expect } from 'chai';
import type { Collection, Db } from 'mongodb';
import { openTemporaryDatabase, type TemporaryDatabase } from '../../test/temporary-database.js';
import { FakeClock, settled } from '../../testing/fake-clock.js';
import { type MortalDatabase, mortalDatabase } from '../../testing/mortal-database.js';
import { integersBelow, seededRandom } from '../../testing/seeded-random.js';
import { until } from '../../testing/until.js';
import { LeaseTerm } from './lease-term.js';
import { Leases } from './leases.js';

const LEASE_MS = 15_000;
const SEED = 20_261_127;

/** A document with a lease: five pieces of work are to be done with it, in their order. */
interface Job {
  _id: string;
  owner?: string;
  leaseUntil?: Date;
  takeOvers?: number;
  fence?: string;
  /** Each piece, with the fence of the claim that did it. */
  done: { piece: number; fence: string }[];
}

const PIECES = 5;

function leasesOf(database: Db): Leases<Job, 'fence'> {
  return new Leases<Job, 'fence'>(database.collection('jobs'), {
    ...{ owner: 'owner', leaseUntil: 'leaseUntil', takeOvers: 'takeOvers' },
    fence: ['fence'],
  });
}

/** A process that works on the job as soon as nobody has it. Its name is its own: a process that begins again has another. */
class Worker {
  readonly term: LeaseTerm;
  readonly leases: Leases<Job, 'fence'>;
  job: Job | undefined;
  #claims = 0;

  constructor(
    readonly name: string,
    private readonly database: Db,
    private readonly clock: FakeClock,
  ) {
    this.term = new LeaseTerm(clock, LEASE_MS);
    this.leases = leasesOf(database);
  }

  /** Whether it has the job by its own clock. */
  get works(): boolean {
    return this.job !== undefined && this.term.leftMs > 0;
  }

  read(): Promise<Job> {
    return this.database.collection<Job>('jobs').findOne({ _id: 'job' }) as Promise<Job>;
  }

  async claim(): Promise<boolean> {
    const read = await this.read();
    if (read.done.length === PIECES || (read.leaseUntil?.getTime() ?? 0) > this.clock.now()) return false;
    return this.claimAsRead(read);
  }

  async claimAsRead(read: Job): Promise<boolean> {
    const fence = `${this.name}/${++this.#claims}`;
    this.job = await this.term.renew((leaseUntil) => this.leases.claim(read, { owner: this.name, fence, leaseUntil }));
    return this.job !== undefined;
  }

  async renew(): Promise<boolean> {
    const held = this.job;
    if (held === undefined) return false;
    return this.term.renew(async (leaseUntil) => (await this.leases.renew([held], leaseUntil)) === 1);
  }

  /** Does the next piece of the job as it was when it was claimed, and what this worker has added. */
  async work(): Promise<boolean> {
    const { job } = this;
    if (job?.fence === undefined) return false;
    const next = { piece: job.done.length, fence: job.fence };
    if (!(await this.leases.write(job, { $push: { done: next } }))) return false;
    this.job = { ...job, done: [...job.done, next] };
    return true;
  }

  async release(): Promise<void> {
    const { job } = this;
    this.job = undefined;
    if (job !== undefined) await this.leases.release([job]);
  }

  /** Does the whole job. Each line is one call to the database. */
  async run(): Promise<void> {
    if (!(await this.claim())) return;
    while ((this.job?.done.length ?? PIECES) < PIECES) {
      if (!(await this.work()) || !(await this.renew())) return;
    }
    await this.release();
  }
}

describe('leases, whatever fails', () => {
  let opened: TemporaryDatabase;
  let jobs: Collection<Job>;
  let clock: FakeClock;

  before(async () => {
    opened = await openTemporaryDatabase();
    jobs = opened.database.collection<Job>('jobs');
  });
  after(() => opened.close());
  beforeEach(async () => {
    clock = new FakeClock();
    await beginAnew();
  });

  async function beginAnew(): Promise<void> {
    await jobs.deleteMany({});
    await jobs.insertOne({ _id: 'job', done: [] });
  }

  const worker = (name: string, database = opened.database): Worker => new Worker(name, database, clock);
  const stored = async (): Promise<Job> => (await jobs.findOne({ _id: 'job' })) as Job;

  /** Asserts that each piece is done once and in order, and that no claim does a piece after a later claim has begun. */
  function assertWhole({ done }: Job): void {
    expect(done.map(({ piece }) => piece)).to.deep.equal(done.map((_, at) => at));
    const turns = done.map(({ fence }) => fence).filter((fence, at, all) => fence !== all[at - 1]);
    expect(new Set(turns).size, turns.join()).to.equal(turns.length);
  }

  /** Calls of one whole run: read, claim, five times work and renew, release. */
  const CALLS = 13;
  for (const way of ['before', 'after'] as const) {
    it(`goes on with the next process when its owner is killed ${way} any call to the database is done`, async () => {
      for (let at = 0; at <= CALLS; at++) {
        await beginAnew();
        const mortal = mortalDatabase(opened.database);
        if (way === 'before') mortal.dieAfter(at);
        else mortal.dieDuring(at);
        const first = worker('first', mortal.database);
        const ended = await Promise.race([first.run().then(() => true), mortal.cut().then(() => false)]);
        expect(ended, `call ${at}`).to.equal(at === CALLS);
        const left = await stored();
        const isHeld = (left.leaseUntil?.getTime() ?? 0) > clock.now();
        // Read, claimed, and not yet released: the job is another's once the lease has lapsed.
        const [claimed, released] = way === 'before' ? [at > 1, at === CALLS] : [at > 0, at >= CALLS - 1];
        expect(isHeld, `call ${at}`).to.equal(claimed && !released);
        const second = worker('second');
        if (isHeld) {
          await second.run();
          expect(await stored(), `call ${at}`).to.deep.equal(left);
          clock.turn(LEASE_MS);
        }
        await second.run();
        const done = await stored();
        assertWhole(done);
        expect(done.done, `call ${at}`).to.have.length(PIECES);
        // A piece whose write was done is not done again, although its owner never got the response.
        expect(done.done.filter(({ fence }) => fence.startsWith('first'))).to.deep.equal(left.done);
        const isTakenOver = isHeld && left.done.length < PIECES;
        expect(done.takeOvers ?? 0, `call ${at}`).to.equal(isTakenOver ? 1 : 0);
      }
    });
  }

  it('goes to one of many that claim it at the same time', async () => {
    for (let round = 0; round < 20; round++) {
      await beginAnew();
      const read = await stored();
      const workers = Array.from({ length: 8 }, (_, at) => worker(`w${at}`));
      const got = await Promise.all(workers.map((one) => one.claimAsRead(read)));
      expect(got.filter(Boolean)).to.have.length(1);
      expect((await stored()).owner).to.equal(workers[got.indexOf(true)]?.name);
    }
  });

  it('cannot be written, renewed or released by an owner whose lease was taken over', async () => {
    const [slow, quick] = [worker('slow'), worker('quick')];
    await slow.claim();
    clock.turn(LEASE_MS);
    expect(slow.works).to.equal(false);
    expect(await quick.claim()).to.equal(true);
    const taken = await stored();
    expect(taken).to.include({ owner: 'quick', fence: 'quick/1', takeOvers: 1 });

    expect(await slow.work()).to.equal(false);
    expect(await slow.renew()).to.equal(false);
    await slow.release();

    expect(await stored()).to.deep.equal(taken);
    expect(await quick.work()).to.equal(true);
  });

  it('stays with an owner that renews after another has read that the lease is over', async () => {
    const [late, hasty] = [worker('late'), worker('hasty')];
    await late.claim();
    clock.turn(LEASE_MS);
    const lapsed = await stored();
    expect(await late.renew()).to.equal(true);
    expect(await hasty.claimAsRead(lapsed)).to.equal(false);
    expect(await late.work()).to.equal(true);
  });

  it('is one owner’s again at any time, although it was renewed after it was read', async () => {
    const [before, again] = [worker('same'), worker('same')];
    await before.claim();
    const read = await stored();
    await clock.pass(1_000);
    await before.renew();
    expect(await again.leases.claim(read, { owner: 'same', fence: 'same/2' })).to.include({ fence: 'same/2' });
    expect(await before.work()).to.equal(false);
  });

  it('counts the leases that lapsed, and none that were given back', async () => {
    for (const [name, lapses] of [
      ['a', false],
      ['b', true],
      ['c', true],
      ['d', false],
      ['e', true],
    ] as const) {
      const one = worker(name);
      expect(await one.claim()).to.equal(true);
      if (lapses) clock.turn(LEASE_MS);
      else await one.release();
    }
    await worker('f').claim();
    expect((await stored()).takeOvers).to.equal(3);
  });

  it('is not claimed as free by one that read it before its first claim', async () => {
    const free = await stored();
    expect(await worker('first').claimAsRead(free)).to.equal(true);
    expect(await worker('second').claimAsRead(free)).to.equal(false);
  });

  it('is not claimed by one that read it before another claimed it and gave it back', async () => {
    const [early, between, late] = [worker('early'), worker('between'), worker('late')];
    await early.claim();
    await early.release();
    const released = await stored();
    await between.claim();
    await between.release();
    expect(await late.claimAsRead(released)).to.equal(false);
  });

  it('goes to one of two processes of one owner', async () => {
    await worker('same').claim();
    const read = await stored();
    const leases = leasesOf(opened.database);
    const again = ['same/2', 'same/3'].map((fence) => leases.claim(read, { owner: 'same', fence }));
    const got = (await Promise.all(again)).filter((job) => job !== undefined);
    expect(got.map(({ fence }) => fence)).to.deep.equal([(await stored()).fence]);
  });

  it('is renewed and released for each document by its own fence', async () => {
    await jobs.insertMany([
      { _id: 'mine', fence: 'a', leaseUntil: new Date(1), done: [] },
      { _id: 'lost', fence: 'b', leaseUntil: new Date(1), done: [] },
    ]);
    const leases = leasesOf(opened.database);
    const held = [
      { _id: 'mine', fence: 'a' },
      { _id: 'lost', fence: 'a' },
      { _id: 'gone', fence: 'b' },
    ];
    expect(await leases.renew(held, new Date(2))).to.equal(1);
    expect(await leases.renew([], new Date(3))).to.equal(0);
    const ends = await jobs
      .find({ _id: { $in: ['mine', 'lost'] } })
      .sort({ _id: 1 })
      .toArray();
    expect(ends.map(({ leaseUntil }) => leaseUntil?.getTime())).to.deep.equal([1, 2]);
  });

  it('ends for its owner before it ends for others, however long the write of its end takes', async () => {
    for (const tookMs of [0, 1, 5_000, LEASE_MS - 1, LEASE_MS, LEASE_MS * 3]) {
      const term = new LeaseTerm(clock, LEASE_MS);
      let ends = new Date(0);
      await term.renew(async (leaseUntil) => {
        ends = leaseUntil;
        clock.turn(tookMs);
        return true;
      });
      expect(term.leftMs, `${tookMs} ms`).to.equal(ends.getTime() - clock.now());
      clock.turn(Math.max(0, term.leftMs));
      expect(term.leftMs).to.be.at.most(0);
    }
  });

  it('is as long as before for its owner when a renewal fails, and over when another has it', async () => {
    const term = new LeaseTerm(clock, LEASE_MS);
    expect(term.leftMs).to.be.below(0);
    await term.renew(async () => true);
    clock.turn(5_000);
    const failed = await term.renew(() => Promise.reject(new Error('away'))).catch((error: unknown) => String(error));
    expect(failed).to.contain('away');
    expect(term.leftMs).to.equal(LEASE_MS - 5_000);
    await term.renew(async () => false);
    expect(term.leftMs).to.be.below(0);
  });

  it('is steady from the last break on', async () => {
    const term = new LeaseTerm(clock, LEASE_MS);
    await term.renew(async () => true);
    for (let beat = 0; beat < 4; beat++) {
      clock.turn(LEASE_MS);
      await term.renew(async () => true);
    }
    expect(term.steadyMs).to.equal(4 * LEASE_MS);
    clock.turn(LEASE_MS + 1);
    await term.renew(async () => true);
    expect(term.steadyMs).to.equal(0);
  });

  it(`never has two owners at work, in 3,000 turns of three that stall, are killed and race (seed ${SEED})`, async () => {
    const random = integersBelow(seededRandom(SEED));
    let [names, killed, takenOver, whole, fencedOff] = [0, 0, 0, 0, 0];
    const processes = new Map<Worker, MortalDatabase>();
    const busy = new Set<Worker>();
    const begin = (): void => {
      const way = mortalDatabase(opened.database);
      processes.set(worker(`w${++names}`, way.database), way);
    };
    const callOf = (one: Worker): Promise<unknown> => {
      if (one.job === undefined) return one.claim();
      // An owner that stalled goes on without a look at its clock at times, and may be fenced off.
      if (!one.works && random(2) === 0) return one.claim();
      const does = random(8);
      if (does === 0) return one.release();
      return does < 6 ? one.work() : one.renew();
    };
    /** Makes one call of a process, which may be killed during the call. Resolves when the call or the process has ended. */
    const act = async (one: Worker, way: MortalDatabase): Promise<void> => {
      busy.add(one);
      const isStalled = one.job !== undefined && !one.works;
      const ended = await Promise.race([
        callOf(one).then((done) => ({ done })),
        way.cut().then(() => 'killed' as const),
      ]);
      busy.delete(one);
      if (ended === 'killed') {
        killed++;
        processes.delete(one);
        begin();
      } else if (isStalled && ended.done === false) {
        fencedOff++;
        one.job = undefined;
      }
    };
    for (let at = 0; at < 3; at++) begin();
    for (let turn = 0; turn < 3_000; turn++) {
      const idle = [...processes].filter(([one]) => !busy.has(one));
      const [one, way] = idle[random(Math.max(1, idle.length))] ?? [];
      if (one && way) {
        const dies = random(40);
        if (dies === 0) way.dieAfter(random(2));
        if (dies === 1) way.dieDuring(random(2));
        const acted = act(one, way);
        if (random(2) === 0) await acted;
      }
      clock.turn(random(12) === 0 ? LEASE_MS : random(LEASE_MS / 5));
      if (random(2) === 0) await settled();
      const atWork = [...processes.keys()].filter(({ works }) => works).map(({ name }) => name);
      expect(atWork, `turn ${turn}`).to.have.length.below(2);
      const job = await stored();
      assertWhole(job);
      if (job.done.length < PIECES) continue;
      takenOver += job.takeOvers ?? 0;
      whole++;
      await until(() => busy.size === 0);
      processes.clear();
      for (let at = 0; at < 3; at++) begin();
      await beginAnew();
    }
    expect({ killed, takenOver, whole, fencedOff }).to.satisfy((counts: object) =>
      Object.values(counts).every((count: number) => count > 30),
    );
  }).timeout(120_000);
});
