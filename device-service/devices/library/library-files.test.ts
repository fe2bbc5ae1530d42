import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { MongoNetworkError } from 'mongodb';
import { Cancellation } from '../../../kit/async/within.js';
import { silentLog } from '../../../kit/log/log.js';
import { HostFull } from '../../../kit/files/host-space.js';
import { FakeClock } from '../../../testing/fake-clock.js';
import { until } from '../../../testing/until.js';
import type { LibraryCopyDocument, LibraryCopyStore } from '../../store/library-copies.js';
import { JobFailure } from '../jobs/job-failure.js';
import { LIBRARY_FETCH_MS, LIBRARY_FETCH_TRIES } from '../limits.js';
import { LibraryFiles, type LibraryFilesParts, NotThere } from './library-files.js';
import { LibraryFolder } from './library-folder.js';

const SHA = 'a'.repeat(64);
const SHOP = { name: 'shop', sha256: SHA };

describe('a file of a library that an install needs', () => {
  let directory: string;
  let clock: FakeClock;
  let folder: LibraryFolder;
  let copies: LibraryCopyDocument[];
  let fetched: string[];
  let fetch: LibraryFilesParts['fetch'];
  let files: LibraryFiles;
  // This is how signals of jobs are made: they take any number of listeners.
  const never = new Cancellation().signal;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'library-files-'));
    clock = new FakeClock();
    folder = new LibraryFolder(join(directory, 'library'));
    copies = [copyOn('host-b')];
    fetched = [];
    fetch = send;
    const libraryCopies = {
      find: async () => copies,
      note: async (copy: Omit<LibraryCopyDocument, '_id'>) => void copies.push({ ...copy, _id: 'noted' }),
    } as unknown as LibraryCopyStore;
    files = new LibraryFiles({
      ...{ libraryCopies, folder, hostId: 'host-a', clock, log: silentLog },
      fetch: (...given) => {
        fetched.push(given[0].hostId);
        return fetch(...given);
      },
    });
  });
  afterEach(() => rm(directory, { recursive: true }));

  const copyOn = (hostId: string): LibraryCopyDocument => ({
    _id: `${SHA}/${hostId}`,
    sha256: SHA,
    hostId,
    sizeBytes: 3,
  });
  const send: LibraryFilesParts['fetch'] = async (_copy, use) => {
    const file = join(directory, 'arrived');
    await writeFile(file, 'app');
    await use(file);
  };
  /** Turns the clock until the work has an outcome. */
  async function outcome(work: Promise<unknown>): Promise<unknown> {
    let result: { value: unknown } | undefined;
    work.then(
      (value) => (result = { value }),
      (error: unknown) => (result = { value: error }),
    );
    for (let turns = 0; result === undefined && turns < 10_000; turns++) await clock.pass(100);
    return result?.value;
  }

  it('is fetched once for fifty installs at the same time, and noted as a copy of this host', async () => {
    const paths = await Promise.all(Array.from({ length: 50 }, () => files.get(SHOP, never)));
    expect(new Set(paths).size).to.equal(1);
    expect(await readFile(paths[0] ?? '', 'utf8')).to.equal('app');
    expect(fetched).to.deep.equal(['host-b']);
    expect(copies.map(({ hostId }) => hostId)).to.deep.equal(['host-b', 'host-a']);
    await files.get(SHOP, never);
    expect(fetched).to.have.length(1);
  });

  it('is used where it is', async () => {
    await mkdir(join(directory, 'library'));
    await writeFile(folder.path(SHA), 'here');
    expect(await files.get(SHOP, never)).to.equal(folder.path(SHA));
    expect(fetched).to.deep.equal([]);
  });

  it('is fetched again after broken streams, and from each host that has it', async () => {
    copies = [copyOn('host-a'), copyOn('host-b'), copyOn('host-c')];
    fetch = async (...given) => {
      if (fetched.length < 4) throw new Error('the stream broke off');
      await send(...given);
    };
    expect(await outcome(files.get(SHOP, never))).to.equal(folder.path(SHA));
    expect(fetched).to.deep.equal(['host-b', 'host-c', 'host-b', 'host-c']);
  });

  it('fails the job when the hosts that have it cannot be reached, and can be tried again later', async () => {
    fetch = () => Promise.reject(new Error('connection refused'));
    const failure = (await outcome(files.get(SHOP, never))) as JobFailure;
    expect(failure).to.be.instanceOf(JobFailure);
    expect(failure.error.error).to.equal('unavailable');
    expect(failure.message).to.contain('"my/shop" is on another host, which cannot be reached just now');
    expect(failure.message).not.to.contain('host-b');
    expect(fetched).to.have.length(LIBRARY_FETCH_TRIES);
    fetch = send;
    expect(await outcome(files.get(SHOP, never))).to.equal(folder.path(SHA));
  });

  it('is named in a failure as the library of each install names it', async () => {
    let fail = (): void => undefined;
    const lost = new Promise<void>((_, reject) => (fail = () => reject(new NotThere('lost'))));
    fetch = () => lost;
    const installs = [SHOP, { name: 'other', sha256: SHA }].map((app) => files.get(app, never));
    await until(async () => fetched.length === 1);
    await folder.sizeOf(SHA);
    fail();
    const failures = await Promise.all(installs.map((one) => one.catch((error: unknown) => String(error))));
    expect(fetched).to.have.length(1);
    expect(failures[0]).to.contain('my/shop').and.not.to.contain('other');
    expect(failures[1]).to.contain('my/other').and.not.to.contain('shop');
  });

  for (const [what, prepare] of [
    ['no host has it', () => (copies = [])],
    ['only this host is noted, and has lost it', () => (copies = [copyOn('host-a')])],
    ['the hosts that are noted do not have it', () => (fetch = () => Promise.reject(new NotThere('lost')))],
  ] as const) {
    it(`fails the job at once when ${what}`, async () => {
      prepare();
      const failure: unknown = await files.get(SHOP, never).catch((error: unknown) => error);
      expect(failure).to.be.instanceOf(JobFailure);
      expect((failure as JobFailure).message).to.contain('PUT /v1/library/apps/shop');
    });
  }

  it('fails the job when there is no room for it, without another try', async () => {
    fetch = () => Promise.reject(new HostFull());
    const failure: unknown = await files.get(SHOP, never).catch((error: unknown) => error);
    expect((failure as JobFailure).message).to.contain('no room for this app');
    expect(fetched).to.have.length(1);
  });

  it('leaves an outage of the database to the job, which waits for its end', async () => {
    fetch = () => Promise.reject(new MongoNetworkError('away'));
    const failure: unknown = await files.get(SHOP, never).catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(MongoNetworkError);
  });

  it('is fetched on for the other installs when one gives up', async () => {
    let arrive = (): void => undefined;
    const arrived = new Promise<void>((resolve) => (arrive = resolve));
    fetch = async (...given) => {
      await arrived;
      await send(...given);
    };
    const over = new AbortController();
    const [first, second] = [files.get(SHOP, over.signal), files.get(SHOP, never)];
    const given = first.catch((error: unknown) => error);
    await clock.pass(1);
    over.abort(new Error('the time of the job is over'));
    expect(await given).to.have.property('message', 'the time of the job is over');
    arrive();
    expect(await second).to.equal(folder.path(SHA));
    expect(fetched).to.have.length(1);
  });

  it('is given up when another host takes ten times as long as it may, or the service closes', async () => {
    let signal: AbortSignal | undefined;
    fetch = (_copy, _use, given) => {
      signal = given;
      return new Promise((_, reject) => given.addEventListener('abort', () => reject(given.reason as Error)));
    };
    const first = files.get(SHOP, never).catch((error: unknown) => error);
    // The folder is read first, which takes as long as the disk does.
    await until(() => signal !== undefined);
    for (let turns = 0; turns < 100; turns++) await clock.pass(LIBRARY_FETCH_MS / 10, LIBRARY_FETCH_MS / 10);
    expect(await first).to.include({ kind: 'timeout' });
    signal = undefined;
    const second = files.get(SHOP, never).catch((error: unknown) => error);
    await until(() => signal !== undefined);
    expect((signal as AbortSignal | undefined)?.aborted).to.equal(false);
    await files.close();
    expect(await second).to.have.property('message', 'closing');
  });
});
