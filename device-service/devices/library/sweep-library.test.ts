import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { silentLog } from '../../../kit/log/log.js';
import { openTemporaryDatabase, type TemporaryDatabase } from '../../../test/temporary-database.js';
import { runningDocument } from '../../../testing/device-document.js';
import { FakeClock } from '../../../testing/fake-clock.js';
import type { Job } from '../../store/device-document.js';
import { openStores, type Stores } from '../../store/stores.js';
import { LIBRARY_GRACE_MS } from '../limits.js';
import { LibraryFolder } from './library-folder.js';
import { LibrarySweep } from './sweep-library.js';

const shaOf = (letter: string): string => letter.repeat(64);
const [A, B] = [shaOf('a'), shaOf('b')];

describe('the sweep of the files of libraries', () => {
  let opened: TemporaryDatabase;
  let stores: Stores;
  let directory: string;
  let folder: LibraryFolder;
  let clock: FakeClock;
  let sweep: LibrarySweep;
  beforeEach(async () => {
    opened = await openTemporaryDatabase();
    clock = new FakeClock();
    stores = await openStores(opened.database, { clock, log: silentLog });
    directory = await mkdtemp(join(tmpdir(), 'sweep-library-'));
    folder = new LibraryFolder(join(directory, 'library'));
    sweep = open();
  });
  afterEach(async () => {
    await opened.close();
    await rm(directory, { recursive: true });
  });

  const open = (): LibrarySweep =>
    new LibrarySweep({ ...stores, libraryFolder: folder, hostId: 'host-1', clock, log: silentLog });
  async function put(sha256: string, { noted = true } = {}): Promise<void> {
    await writeFile(join(directory, 'received'), 'content');
    await folder.place(join(directory, 'received'), sha256);
    if (noted) await stores.libraryCopies.note({ sha256, hostId: 'host-1', sizeBytes: 7 });
  }
  const app = (name: string, sha256: string, accountId = 'acc_1'): Promise<unknown> =>
    stores.library.put({
      ...{ accountId, name, package: 'org.example', version: '1', sizeBytes: 7, sha256 },
      uploadedAt: new Date(clock.now()),
    });
  const run = (): Promise<void> => sweep.run(new AbortController().signal);
  /** Sweeps, and again when the grace time of what was found unused is over. */
  async function runTwice(): Promise<void> {
    await run();
    clock.turn(LIBRARY_GRACE_MS);
    await run();
  }
  const noted = async (sha256: string): Promise<number | undefined> =>
    (await stores.libraryCopies.find(sha256)).find(({ hostId }) => hostId === 'host-1')?.sizeBytes;
  const work = (sha256: string): Partial<Job> => ({
    kind: 'install',
    work: { kind: 'install', package: 'org.example', from: { library: { name: 'gone', sha256 } } },
  });
  const making = (sha256: string): Partial<Job> => ({
    kind: 'create',
    apps: [
      { app: 'maps', package: 'org.maps', from: { app: 'maps' } },
      { app: 'my/gone', package: 'org.example', from: { library: { name: 'gone', sha256 } } },
    ],
  });

  it('has nothing to do where there never was a library', async () => {
    await run();
    expect(await folder.list()).to.deep.equal([]);
  });

  it('keeps the files of apps of any account, and removes others after the grace time', async () => {
    await put(A);
    await put(B);
    await app('shop', A, 'acc_2');
    await run();
    clock.turn(LIBRARY_GRACE_MS - 1);
    await run();
    expect((await folder.list()).sort()).to.deep.equal([A, B]);
    clock.turn(1);
    await run();
    expect(await folder.list()).to.deep.equal([A]);
    expect([await noted(A), await noted(B)]).to.deep.equal([7, undefined]);
  });

  for (const [what, job] of [
    ['an install', work],
    ['the making of a phone', making],
  ] as const) {
    it(`keeps a file that ${what} of another host names, until its job has ended`, async () => {
      await put(A);
      const device = runningDocument({
        hostId: 'host-2',
        job: { id: 'job_1', createdAt: new Date(), progress: 0, ...job(A) } as Job,
      });
      await stores.devices.insert(device);
      await runTwice();
      expect(await folder.list()).to.deep.equal([A]);
      const finished: Job = { id: 'job_1', kind: 'install', createdAt: new Date(), progress: 100 };
      expect(await stores.devices.finish(device, finished, {})).to.equal(true);
      await runTwice();
      expect(await folder.list()).to.deep.equal([]);
    });
  }

  it('begins the grace time anew when the file was used in between, and in each process', async () => {
    await put(A);
    await run();
    await app('shop', A);
    clock.turn(LIBRARY_GRACE_MS);
    await run();
    await stores.library.delete('acc_1', 'shop');
    await run();
    expect(await folder.list()).to.deep.equal([A]);
    sweep = open();
    clock.turn(LIBRARY_GRACE_MS);
    await run();
    expect(await folder.list()).to.deep.equal([A]);
  });

  it('notes a file whose note was lost in a crash, and forgets the note of a file that is lost', async () => {
    await put(A, { noted: false });
    await app('shop', A);
    await stores.libraryCopies.note({ sha256: B, hostId: 'host-1', sizeBytes: 7 });
    await stores.libraryCopies.note({ sha256: B, hostId: 'host-2', sizeBytes: 7 });
    await run();
    expect(await noted(A)).to.equal(7);
    expect((await stores.libraryCopies.find(B)).map(({ hostId }) => hostId)).to.deep.equal(['host-2']);
  });

  it('leaves a file that an upload brings back while it waits for the file', async () => {
    await put(A);
    await run();
    clock.turn(LIBRARY_GRACE_MS);
    let goOn = (): void => undefined;
    const held = folder.exclusively(A, () => new Promise<void>((resolve) => (goOn = resolve)));
    const sweeping = run();
    await app('shop', A);
    goOn();
    await Promise.all([held, sweeping]);
    expect(await folder.list()).to.deep.equal([A]);
    expect(await noted(A)).to.equal(7);
  });

  it('touches nothing but files that have the name of a checksum', async () => {
    await put(A);
    await writeFile(join(directory, 'library', 'notes.txt'), 'x');
    await runTwice();
    expect(await folder.list()).to.deep.equal([]);
    expect(await stores.libraryCopies.listOfHost('host-1', 10)).to.deep.equal([]);
    expect(() => folder.path('../notes.txt')).to.throw('named by its checksum');
  });
});
