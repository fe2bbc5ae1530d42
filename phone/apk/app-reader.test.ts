import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { systemClock } from '../../kit/async/clock.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { refusalOf } from '../../testing/phone/apk-refusal.js';
import { until } from '../../testing/until.js';
import { AppReader, READ_LIMIT_MS } from './app-reader.js';
import { readApk } from './read-apk.js';

const fixture = (name: string): string =>
  fileURLToPath(new URL(`../../../phone/apk/fixtures/${name}`, import.meta.url));
const stuck = new URL('../../testing/phone/stuck-reader.js', import.meta.url);

describe('AppReader', () => {
  const readers: AppReader[] = [];
  const opened = (reader: AppReader): AppReader => {
    readers.push(reader);
    return reader;
  };
  afterEach(async () => {
    for (const reader of readers.splice(0)) await reader.close();
  });

  it('reads the same as the reader without a thread, and refuses in the same words', async () => {
    const reader = opened(new AppReader({ clock: systemClock }));
    const file = fixture('fixture-v2.apk');
    const apk = await readApk(file);
    expect(await reader.readVerified(file)).to.deep.equal(apk);
    const { base, parts } = await reader.readPackage(file, { unpackTo: '/nonexistent', leavesRoom: true });
    expect(base).to.deep.equal(apk);
    expect(parts.map(({ name }) => name)).to.deep.equal(['base.apk']);
    const split = reader.readPackage(fixture('fixture-split_de.apk'), { unpackTo: '/nonexistent', leavesRoom: true });
    const refusal = await refusalOf(split);
    expect(refusal.code).to.equal('INSTALL_FAILED_INVALID_APK');
    expect(refusal.message).to.contain('only the split config.de');
    expect([await reader.isBundle(file), await reader.isBundle(fixture('app.apks'))]).to.deep.equal([false, true]);
    expect((await refusalOf(reader.isBundle(fixture('make-fixtures.sh')))).message).to.contain('zip');
  });

  it('reports the code of an error that is not of the file', async () => {
    const missing: unknown = await opened(new AppReader({ clock: systemClock }))
      .readVerified(fileURLToPath(new URL('no-such.apk', import.meta.url)))
      .catch((error: unknown) => error);
    expect(missing).to.include({ code: 'ENOENT' });
  });

  it('ends a thread that does not come back in time, and goes on with other files meanwhile and after', async () => {
    const clock = new FakeClock();
    const reader = opened(new AppReader({ clock, program: stuck }));
    const loop = refusalOf(reader.readVerified('loop'));
    // Beside the first one, which holds its thread.
    const other: unknown = await reader.readVerified('other').catch((error: unknown) => error);
    expect(other).to.include({ message: 'no room', code: 'ENOSPC' });
    clock.turn(READ_LIMIT_MS);
    expect((await loop).message).to.contain('could not be read within 120 s');
    const after: unknown = await reader.readVerified('other').catch((error: unknown) => error);
    expect(after).to.include({ code: 'ENOSPC' });
  });

  it('reads the uploads of an account one at a time, and other files beside them', async () => {
    const clock = new FakeClock();
    const reader = opened(new AppReader({ clock, program: stuck }));
    const upload = (file: string, uploadOf: string): Promise<unknown> =>
      reader.readPackage(file, { unpackTo: '/nonexistent', leavesRoom: true, uploadOf });
    // These are as many as are read at the same time, of all accounts.
    const loops = [1, 2, 3].map(() => refusalOf(upload('loop', 'acc_1')));
    const other: unknown = await upload('other', 'acc_2').catch((error: unknown) => error);
    expect(other).to.include({ code: 'ENOSPC' });
    for (const loop of loops) {
      // The time of this one alone.
      await until(() => clock.timers === 1);
      clock.turn(READ_LIMIT_MS);
      expect((await loop).message).to.contain('could not be read within 120 s');
    }
  });

  it('survives a thread that takes all the memory that it may have', async () => {
    const reader = opened(new AppReader({ clock: new FakeClock(), program: stuck }));
    expect((await refusalOf(reader.readVerified('hunger'))).message).to.contain('more memory');
    const after: unknown = await reader.readVerified('other').catch((error: unknown) => error);
    expect(after).to.include({ code: 'ENOSPC' });
  });
});
