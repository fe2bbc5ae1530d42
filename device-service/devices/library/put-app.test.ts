import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { create } from '@bufbuild/protobuf';
import { expect } from 'chai';
import { KeyedLock } from '../../../kit/async/keyed-lock.js';
import { UnderWay } from '../../../kit/async/under-way.js';
import { systemClock } from '../../../kit/async/clock.js';
import { ApiError } from '../../../kit/errors/api-error.js';
import { HostSpace, MIN_HOST_FREE_BYTES } from '../../../kit/files/host-space.js';
import { silentLog } from '../../../kit/log/log.js';
import { AppReader } from '../../../phone/apk/app-reader.js';
import { CallerSchema } from '../../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import {
  type LibraryApp,
  PutLibraryAppRequestSchema,
} from '../../../proto/gen/cloudphone/device/v1/library_service_pb.js';
import { openTemporaryDatabase, type TemporaryDatabase } from '../../../test/temporary-database.js';
import { zipOf } from '../../../testing/phone/zip-of.js';
import { Quotas } from '../../accounts/quotas/quotas.js';
import { openStores, type Stores } from '../../store/stores.js';
import { AppFolders } from '../uploads/app-folders.js';
import type { DevicesContext } from '../devices-context.js';
import { MAX_LIBRARY_APPS, UPLOADS_OF_ACCOUNT } from '../limits.js';
import { getLibraryApp } from './library-apps.js';
import { LibraryFolder } from './library-folder.js';
import { putLibraryApp } from './put-app.js';

const fixture = (name: string): Promise<Buffer> =>
  readFile(fileURLToPath(new URL(`../../../../phone/apk/fixtures/${name}`, import.meta.url)));

const shaOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

describe('an upload to the app library', () => {
  let opened: TemporaryDatabase;
  let stores: Stores;
  let directory: string;
  let context: DevicesContext;
  let reader: AppReader;
  let apk: Buffer;
  let other: Buffer;
  let freeBytes: number;
  const caller = create(CallerSchema, { accountId: 'acc_1', keyId: 'key_1' });

  before(async () => {
    [apk, other] = [await fixture('fixture-v2.apk'), await fixture('fixture-v1.apk')];
    reader = new AppReader({ clock: systemClock });
  });
  after(() => reader.close());
  beforeEach(async () => {
    opened = await openTemporaryDatabase();
    stores = await openStores(opened.database, { clock: systemClock, log: silentLog });
    directory = await mkdtemp(join(tmpdir(), 'put-app-'));
    freeBytes = 2 ** 40;
    await account('acc_1');
    context = contextWith(stores);
  });
  afterEach(async () => {
    await opened.close();
    await rm(directory, { recursive: true });
  });

  const account = (_id: string): Promise<unknown> =>
    stores.accounts.insert({
      ...{ _id, email: `${_id}@example.com`, passwordHash: '', createdAt: new Date(0), trial: { state: 'unused' } },
    });

  function contextWith(used: Stores, storageBytes = 0): DevicesContext {
    const appFolders = new AppFolders(directory);
    const parts = {
      ...used,
      ...{ appFolders, appReader: reader, libraryFolder: new LibraryFolder(appFolders.library) },
      ...{
        uploads: new UnderWay(),
        storingApps: new KeyedLock(),
        hostId: 'host-1',
        clock: systemClock,
        log: silentLog,
      },
      uploadSpace: new HostSpace({ measure: async () => ({ freeBytes }), clock: systemClock }),
      quotas: new Quotas(used, systemClock, { devices: 0, storageBytes }),
    };
    return parts as unknown as DevicesContext;
  }

  async function* messages(name: string, bytes: Buffer, contentType?: string) {
    yield create(PutLibraryAppRequestSchema, { name, ...(contentType !== undefined && { contentType }) });
    for (let at = 0; at < bytes.length; at += 4_096)
      yield create(PutLibraryAppRequestSchema, { data: bytes.subarray(at, at + 4_096) });
  }
  const put = (name: string, bytes: Buffer, maxBytes?: number): Promise<LibraryApp> =>
    putLibraryApp(context, caller, messages(name, bytes), { signal: new AbortController().signal }, maxBytes);
  async function refusal(work: Promise<unknown>): Promise<ApiError> {
    const error: unknown = await work.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).to.be.instanceOf(ApiError);
    return error as ApiError;
  }
  /** The folders of uploads, beside that of the library. */
  const uploads = async (): Promise<string[]> => (await readdir(directory)).filter((name) => name !== 'library');
  const files = (): Promise<string[]> => context.libraryFolder.list();

  it('is stored by its checksum, with what its manifest says, and noted as a copy of this host', async () => {
    const app = await put('shop', apk);
    expect(app).to.deep.include({ name: 'shop', package: 'com.example.fixture', version: '1.2.3', size: apk.length });
    expect(app.sha256).to.equal(shaOf(apk));
    expect(app.lastUsedAt).to.equal(undefined);
    expect(await readFile(context.libraryFolder.path(app.sha256))).to.deep.equal(apk);
    expect(await stores.libraryCopies.find(app.sha256)).to.deep.equal([
      { _id: `${app.sha256}/host-1`, sha256: app.sha256, hostId: 'host-1', sizeBytes: apk.length },
    ]);
    expect(await uploads()).to.deep.equal([]);
    expect(await getLibraryApp(context, caller, 'shop')).to.deep.equal(app);
  });

  it('replaces the app of its name, and keeps when that was last used', async () => {
    await put('shop', apk);
    await stores.library.noteUse('acc_1', 'shop', shaOf(apk), new Date(1_000));
    const app = await put('shop', other);
    expect(app.sha256).to.equal(shaOf(other));
    expect(Number(app.lastUsedAt?.seconds)).to.equal(1);
    expect(await stores.library.count('acc_1', 10)).to.equal(1);
    // Installs that began with the former file still have it.
    expect(await files()).to.have.members([shaOf(apk), shaOf(other)]);
    await stores.library.noteUse('acc_1', 'shop', shaOf(apk), new Date(5_000));
    expect((await stores.library.find('acc_1', 'shop'))?.lastUsedAt?.getTime()).to.equal(1_000);
  });

  it('is counted once for several names, and less what it replaces', async () => {
    await put('one', apk);
    await put('two', apk);
    expect(await context.quotas.use('acc_1')).to.include({ libraryBytes: apk.length });
    expect(await files()).to.have.length(1);
    context = contextWith(stores, apk.length + other.length - 1);
    const full = await refusal(put('three', other));
    expect(full).to.include({ kind: 'forbidden' });
    expect(full.message).to.contain('by the app library');
    expect(await uploads()).to.deep.equal([]);
    // One of two names of a file frees nothing. The last one frees all.
    expect(await refusal(put('one', other))).to.include({ kind: 'forbidden' });
    await stores.library.delete('acc_1', 'two');
    await put('one', other);
    expect(await context.quotas.use('acc_1')).to.include({ libraryBytes: other.length });
    expect((await stores.accounts.find('acc_1'))?.claims).to.deep.equal({});
  });

  it('is refused before it is received when its name is none', async () => {
    for (const name of [
      ...['', 'Shop', 'sh op', '.shop', '-shop', '_shop', '../shop', 'my/shop', 'shop\n', 'shöp', 'a'.repeat(65)],
      ...['..', '.', 'shop%2f..', 'shop\u0000', 'a'.repeat(100_000)],
    ]) {
      const refused = await refusal(put(name, apk));
      expect(refused.kind, JSON.stringify(name.slice(0, 70))).to.equal('bad_request');
      expect(refused.message).to.match(/^name: "/);
      expect(refused.message.length).to.be.at.most(300);
    }
    expect(await readdir(directory)).to.deep.equal([]);
    for (const name of ['a', '0', 'a'.repeat(64), 'shop-4.2_beta']) expect(await put(name, apk)).to.include({ name });
  });

  it('is refused when it is no app, and leaves nothing', async () => {
    const bundle = zipOf([{ name: 'BundleConfig.pb', bytes: Buffer.from('x') }]);
    for (const [what, bytes, words] of [
      ['nothing', Buffer.alloc(0), 'empty'],
      ['text', Buffer.from('hello'), 'not an app'],
      ['an .aab', bundle, 'bundletool build-apks'],
      ['an APK that is cut off', apk.subarray(0, 5_000), 'not an app'],
    ] as const) {
      const refused = await refusal(put('shop', bytes));
      expect([what, refused.kind]).to.deep.equal([what, 'bad_request']);
      expect(refused.message).to.contain(words);
    }
    expect([await uploads(), await files()]).to.deep.equal([[], []]);
  });

  it('ends at its bound, of which it has ten times as much, and where the disk has no room', async () => {
    const large = Buffer.alloc(10 * 8_192, 'x');
    expect(await refusal(put('shop', large, 8_192))).to.include({ kind: 'too_large' });
    freeBytes = MIN_HOST_FREE_BYTES + 1;
    context = contextWith(stores);
    expect(await refusal(put('shop', apk))).to.include({ kind: 'unavailable' });
    expect([await uploads(), await files()]).to.deep.equal([[], []]);
  });

  it('takes four at the same time of an account, and leaves the others of it out', async () => {
    let goOn = (): void => undefined;
    const waiting = new Promise<void>((resolve) => (goOn = resolve));
    async function* slow(name: string) {
      yield create(PutLibraryAppRequestSchema, { name });
      await waiting;
      yield create(PutLibraryAppRequestSchema, { data: apk });
    }
    const signal = new AbortController().signal;
    const begun = Array.from({ length: UPLOADS_OF_ACCOUNT * 10 }, (_, at) =>
      putLibraryApp(context, caller, slow(`app${at}`), { signal }).then(
        () => 'stored',
        (error: unknown) => (error as ApiError).kind,
      ),
    );
    const refused = await Promise.all(
      Array.from({ length: 3 }, async () => {
        while (context.uploads.of('acc_1') < UPLOADS_OF_ACCOUNT) await systemClock.sleep(1);
        return (await refusal(put('more', apk))).kind;
      }),
    );
    expect(new Set(refused)).to.deep.equal(new Set(['rate_limited']));
    await account('acc_2');
    const another = create(CallerSchema, { accountId: 'acc_2', keyId: 'key_2' });
    expect(await putLibraryApp(context, another, messages('shop', apk), { signal })).to.include({ name: 'shop' });
    goOn();
    const outcomes = await Promise.all(begun);
    expect(outcomes.filter((one) => one === 'stored')).to.have.length(UPLOADS_OF_ACCOUNT);
    expect(outcomes.filter((one) => one === 'rate_limited')).to.have.length(UPLOADS_OF_ACCOUNT * 9);
  });

  it(`is refused for a new name when the account has ${MAX_LIBRARY_APPS} apps, and replaces one`, async () => {
    const facts = { accountId: 'acc_1', package: 'a.b', version: '', sizeBytes: 1, sha256: 'a'.repeat(64) };
    for (let at = 1; at < MAX_LIBRARY_APPS; at++)
      await stores.library.put({ ...facts, name: `app${at}`, uploadedAt: new Date() });
    const both = await Promise.all(
      ['new1', 'new2'].map((name) =>
        put(name, apk).then(
          () => 'stored',
          (error: unknown) => (error as ApiError).kind,
        ),
      ),
    );
    expect(both.sort()).to.deep.equal(['rate_limited', 'stored']);
    const refused = await refusal(put('new3', apk));
    expect(refused).to.include({ kind: 'rate_limited' });
    expect(refused.message).to.contain('DELETE /v1/library/apps/{name}');
    expect(await put('app1', apk)).to.include({ name: 'app1' });
  });

  it('is refused in an account that was disabled meanwhile', async () => {
    await stores.accounts.setDisabled('acc_1', new Date());
    expect(await refusal(put('shop', apk))).to.be.instanceOf(ApiError);
    expect(await stores.library.count('acc_1', 1)).to.equal(0);
  });

  it('leaves the former app whole, wherever its process ends', async () => {
    await put('shop', apk);
    let calls = 0;
    for (let most = 0; ; most++) {
      calls = 0;
      const dying = (store: object): object =>
        new Proxy(store, {
          get: (target, name: string) => {
            const method: unknown = Reflect.get(target, name);
            if (typeof method !== 'function') return method;
            return (...given: unknown[]): unknown => {
              if (++calls > most) throw new Error('the process has ended');
              return (method as (...all: unknown[]) => unknown).apply(target, given);
            };
          },
        });
      const { accounts, library, libraryCopies } = stores;
      context = contextWith({
        ...stores,
        ...({ accounts: dying(accounts), library: dying(library), libraryCopies: dying(libraryCopies) } as object),
      });
      const ended = await put('shop', other).then(
        () => true,
        () => false,
      );
      const stored = (await stores.library.find('acc_1', 'shop'))?.sha256 ?? '';
      expect(stored, `after ${most} calls`).to.equal(ended ? shaOf(other) : stored);
      expect(await readFile(context.libraryFolder.path(stored)), `after ${most} calls`).to.deep.equal(
        stored === shaOf(apk) ? apk : other,
      );
      expect((await stores.libraryCopies.find(stored)).length, `after ${most} calls`).to.equal(1);
      if (ended) break;
    }
    expect(calls).to.be.greaterThan(5);
  });
});
