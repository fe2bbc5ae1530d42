import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { MIN_HOST_FREE_BYTES, HostSpace } from '../../kit/files/host-space.js';
import { ApkError } from './apk-error.js';
import { readAppPackage } from './app-package.js';
import { DEFAULT_APK_LIMITS } from './apk-limits.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { traitsOf } from '../../testing/phone/traits.js';
import { zipOf, type ZipEntry } from '../../testing/phone/zip-of.js';

const fixture = (name: string): string =>
  fileURLToPath(new URL(`../../../phone/apk/fixtures/${name}`, import.meta.url));
const stored = async (name: string, file: string): Promise<ZipEntry> => ({
  name,
  bytes: await readFile(fixture(file)),
  stored: true,
});

const phone = traitsOf({ languages: ['en', 'de'] });

describe('readAppPackage', () => {
  let folder: string;
  let unpackTo: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'apks-'));
    unpackTo = path.join(folder, 'unpacked');
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const written = async (bytes: Buffer): Promise<string> => {
    await writeFile(path.join(folder, 'file'), bytes);
    return path.join(folder, 'file');
  };
  const refusal = async (bytes: Buffer, limits = DEFAULT_APK_LIMITS): Promise<string> => {
    const error: unknown = await readAppPackage(await written(bytes), { unpackTo, phone, limits }).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).to.be.instanceOf(ApkError);
    return (error as ApkError).message;
  };

  it('takes a lone APK as it is', async () => {
    const file = fixture('fixture-v2.apk');
    const { base, parts } = await readAppPackage(file, { unpackTo });
    expect(base).to.include({ package: 'com.example.fixture', versionCode: 42 });
    expect(parts).to.deep.equal([
      { name: 'base.apk', file: 'base.apk', path: file, sizeBytes: (await readFile(file)).length },
    ]);
  });

  it('unpacks no more of a bundle than the disk has room for', async () => {
    const names = ['fixture-v2.apk', 'fixture-split_de.apk'];
    const bundle = await written(zipOf(await Promise.all(names.map((name) => stored(name, name)))));
    const sizes = await Promise.all(names.map(async (name) => (await readFile(fixture(name))).length));
    const room = sizes.reduce((sum, size) => sum + size, 0);
    const hostSpace = (more: number): HostSpace =>
      new HostSpace({ measure: async () => ({ freeBytes: MIN_HOST_FREE_BYTES + more }), clock: new FakeClock() });
    const full: unknown = await readAppPackage(bundle, { unpackTo, phone, hostSpace: hostSpace(room - 1) }).catch(
      (error: unknown) => error,
    );
    expect(full).to.include({ code: 'ENOSPC' }).and.not.instanceOf(ApkError);
    const { parts } = await readAppPackage(bundle, { unpackTo, phone, hostSpace: hostSpace(room) });
    expect(parts.map(({ sizeBytes }) => sizeBytes)).to.deep.equal(sizes);
  });

  it('unpacks a base APK and its splits, and no other file of the bundle', async () => {
    const bundle = zipOf([
      { name: 'manifest.json', bytes: Buffer.from('{}') },
      await stored('com.example.fixture.apk', 'fixture-v2.apk'),
      { ...(await stored('config.de.apk', 'fixture-split_de.apk')), stored: false },
      { name: 'icon.png', bytes: Buffer.from('x') },
    ]);
    const { base, parts, leftOut } = await readAppPackage(await written(bundle), { unpackTo, phone });
    expect(leftOut).to.deep.equal([]);
    expect(base).to.include({ package: 'com.example.fixture', label: 'Pröbe 例' });
    expect(parts.map(({ name }) => name)).to.deep.equal(['base.apk', 'split_config.de.apk']);
    for (const [at, name] of ['fixture-v2.apk', 'fixture-split_de.apk'].entries()) {
      expect((await readFile(parts[at]?.path ?? '')).equals(await readFile(fixture(name)))).to.equal(true);
    }
    // The bundle is unpacked once more into the same folder, as after a crash.
    await readAppPackage(await written(bundle), { unpackTo, phone });
    expect(await readdir(unpackTo)).to.have.length(2);
  });

  it("takes bundletool's splits, or else its one APK for all phones, and not those for old phones", async () => {
    const standalone = await stored('standalones/standalone-hdpi.apk', 'fixture-v1.apk');
    const splits = [
      standalone,
      await stored('splits/base-master.apk', 'fixture-v2.apk'),
      await stored('splits/base-de.apk', 'fixture-split_de.apk'),
    ];
    const found = await readAppPackage(await written(zipOf(splits)), { unpackTo, phone });
    expect(found.parts.map(({ name, file }) => [name, file])).to.deep.equal([
      ['base.apk', 'splits/base-master.apk'],
      ['split_config.de.apk', 'splits/base-de.apk'],
    ]);
    expect(found.leftOut.map(({ file }) => file)).to.deep.equal(['standalones/standalone-hdpi.apk']);
    const universal = [standalone, await stored('universal.apk', 'fixture-v2.apk')];
    expect((await readAppPackage(await written(zipOf(universal)), { unpackTo, phone })).base.versionCode).to.equal(42);
  });

  it('unpacks the expansion files of the app, and names every other file with a reason', async () => {
    const small = { bytes: Buffer.from('obb'), stored: true };
    const folder = 'Android/obb/com.example.fixture';
    const bundle = zipOf([
      await stored('com.example.fixture.apk', 'fixture-v2.apk'),
      { name: `${folder}/main.42.com.example.fixture.obb`, ...small },
      { name: 'patch.43.com.example.fixture.obb', ...small },
      { name: 'other/patch.43.com.example.fixture.obb', ...small },
      { name: `${folder}/main.42.com.example.obb`, ...small },
      { name: `${folder}/main.1.x.42.com.example.fixture.obb`, ...small },
      { name: `${folder}/main.obb`, ...small },
      { name: 'Android/data/', bytes: Buffer.alloc(0) },
      { name: 'Android/data/level', ...small },
      ...['manifest.json', 'info.json'].map((name) => ({ name, bytes: Buffer.from('{}') })),
      ...['icon.png', 'META-INF/MANIFEST.MF', 'APKM_installer.url'].map((name) => ({ name, ...small })),
    ]);
    const { expansions, leftOut } = await readAppPackage(await written(bundle), { unpackTo, phone });
    expect(expansions.map(({ name }) => name)).to.have.members([
      'main.42.com.example.fixture.obb',
      'patch.43.com.example.fixture.obb',
    ]);
    for (const { path: file, sizeBytes } of expansions) {
      expect(await readFile(file, 'utf8')).to.equal('obb');
      expect(sizeBytes).to.equal(3);
    }
    expect(leftOut.map(({ file, reason }) => [file, reason.slice(0, 20)])).to.deep.equal([
      ['Android/data/level', 'only APKs and expans'],
      [`${folder}/main.1.x.42.com.example.fixture.obb`, 'expansion files of t'],
      [`${folder}/main.42.com.example.obb`, 'expansion files of t'],
      [`${folder}/main.obb`, 'expansion files of t'],
      ['patch.43.com.example.fixture.obb', 'the bundle has anoth'],
    ]);
  });

  it('takes at most ten expansion files', async () => {
    const names = Array.from({ length: 100 }, (_, at) => `main.${at}.com.example.fixture.obb`);
    const bundle = zipOf([
      await stored('a.apk', 'fixture-v2.apk'),
      ...names.map((name) => ({ name, bytes: Buffer.from('x'), stored: true })),
    ]);
    const { expansions, leftOut } = await readAppPackage(await written(bundle), { unpackTo, phone });
    expect([expansions.length, leftOut.length]).to.deep.equal([10, 90]);
    expect(leftOut[0]?.reason).to.equal('at most 10 expansion files are installed');
  });

  it('refuses a bundle that is none of one app', async () => {
    const [v1, v2, another, split] = [
      await stored('a.apk', 'fixture-v1.apk'),
      await stored('b.apk', 'fixture-v2.apk'),
      await stored('e.apk', 'fixture-test-only.apk'),
      await stored('c.apk', 'fixture-split_de.apk'),
    ];
    expect(await refusal(zipOf([{ name: 'readme.txt', bytes: Buffer.from('x') }]))).to.contain('no APKs in it');
    expect(await refusal(zipOf([split]))).to.contain('its base APK is missing');
    expect(await refusal(await readFile(fixture('fixture-split_de.apk')))).to.contain('only the split config.de');
    expect(await refusal(zipOf([another, v2]))).to.contain('more than one base APK');
    expect(await refusal(zipOf([v1, split]))).to.contain('different apps or versions');
    expect(await refusal(zipOf([v2, split, { ...split, name: 'd.apk' }]))).to.contain('two APKs of one split');
    const many = Array.from({ length: 501 }, (_, at) => ({ name: `${at}.apk`, bytes: Buffer.from('x') }));
    expect(await refusal(zipOf(many))).to.contain('over 500 APKs');
    expect(await refusal(zipOf([{ name: 'a.apk', bytes: Buffer.from('not one') }]))).to.contain('Failed to parse APK');
  });

  it('refuses entries that lead out of a folder', async () => {
    const manifest = { name: 'AndroidManifest.xml', bytes: Buffer.from('x') };
    for (const name of ['../evil.so', 'assets/../../evil', '/etc/passwd', 'a\\..\\b', 'C:/evil', 'a\0b']) {
      expect(await refusal(zipOf([manifest, { name, bytes: Buffer.from('x') }])), name).to.contain('leads out');
    }
    expect(await refusal(zipOf([{ name: '../a.apk', bytes: Buffer.from('x') }]))).to.contain('leads out');
    expect(await readdir(folder)).to.deep.equal(['file']);
  });

  it('refuses entries that lie over one another', async () => {
    const manifest = { name: 'AndroidManifest.xml', bytes: Buffer.alloc(1_000) };
    const same = Array.from({ length: 10 }, (_, at) => ({ name: `a${at}`, bytes: Buffer.alloc(0), claimedOffset: 0 }));
    expect(await refusal(zipOf([manifest, ...same]))).to.contain('over one another');
    const whole = zipOf([manifest, { name: 'b', bytes: Buffer.alloc(0), claimedOffset: 10 }]);
    expect(await refusal(whole)).to.contain('over one another');
  });

  it('refuses bombs of every shape without unpacking them', async () => {
    const zeros = Buffer.alloc(30 * 1024 ** 2);
    const manifest = { name: 'AndroidManifest.xml', bytes: Buffer.from('x') };
    expect(await refusal(zipOf([manifest, { name: 'classes.dex', bytes: zeros }]))).to.contain('times its size');
    expect(await refusal(zipOf([{ name: 'a.apk', bytes: zeros }]))).to.contain('times its size');
    const claims = { name: 'assets/x', bytes: Buffer.from('x'), claimedBytes: 0xffff_fff0 };
    const claimed = [1, 2, 3].map((at) => ({ ...claims, name: `assets/${at}` }));
    expect(await refusal(zipOf([manifest, ...claimed]))).to.contain('over 8589934592 bytes');
    const small = { ...DEFAULT_APK_LIMITS, fileBytes: 12_000 };
    const bundle = zipOf([await stored('a.apk', 'fixture-v2.apk'), await stored('b.apk', 'fixture-split_de.apk')]);
    expect(await refusal(bundle, { ...small, fileBytes: bundle.length - 1 })).to.contain('over');
    const packed = [await stored('a.apk', 'fixture-v2.apk'), await stored('b.apk', 'fixture-split_de.apk')];
    const tight = zipOf(packed.map((entry) => ({ ...entry, stored: false })));
    expect(await refusal(tight, { ...small, fileBytes: Math.max(tight.length, 10_000) })).to.contain('b.apk is over');
    expect(await readdir(unpackTo)).to.deep.equal(['0.apk']);
  });

  it('refuses one that declares less of an APK than there is, and one that is cut off', async () => {
    const split = await stored('b.apk', 'fixture-split_de.apk');
    const lying = { ...split, stored: false, claimedBytes: 100 };
    expect(await refusal(zipOf([await stored('a.apk', 'fixture-v2.apk'), lying]))).to.contain('Failed to parse APK');
    const whole = zipOf([await stored('a.apk', 'fixture-v2.apk'), split]);
    for (const length of [0, 4, 100, 9_000, whole.length - 30, whole.length - 1]) {
      await refusal(whole.subarray(0, length));
    }
  });
});
