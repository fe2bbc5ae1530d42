import { create, toBinary } from '@bufbuild/protobuf';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { systemClock } from '../../kit/async/clock.js';
import { type Toc, TocSchema } from '../../proto/gen/cloudphone/bundle/v1/toc_pb.js';
import { refusalOf } from '../../testing/phone/apk-refusal.js';
import { master, tocOf } from '../../testing/phone/toc-builder.js';
import { traitsOf } from '../../testing/phone/traits.js';
import { zipOf, type ZipEntry } from '../../testing/phone/zip-of.js';
import { type ApkLimits, DEFAULT_APK_LIMITS } from './apk-limits.js';
import { readAppPackage } from './app-package.js';
import { AppReader } from './app-reader.js';

const fixture = (name: string): string =>
  fileURLToPath(new URL(`../../../phone/apk/fixtures/${name}`, import.meta.url));
const many = <T>(count: number, of: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => of(at));
const tocFile = (toc: Toc): ZipEntry => ({ name: 'toc.pb', bytes: Buffer.from(toBinary(TocSchema, toc)) });

/** Bundles whose own descriptions are false, or exceed a limit ten times. */
describe('a hostile bundle', () => {
  let folder: string;
  let base: ZipEntry;
  before(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'hostile-bundles-'));
    base = { name: 'splits/base-master.apk', bytes: await readFile(fixture('fixture-v2.apk')), stored: true };
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const written = async (entries: readonly ZipEntry[]): Promise<string> => {
    await writeFile(path.join(folder, 'file'), zipOf(entries));
    return path.join(folder, 'file');
  };
  const refusal = async (entries: readonly ZipEntry[], limits: Partial<ApkLimits> = {}): Promise<string> => {
    const options = { phone: traitsOf(), limits: { ...DEFAULT_APK_LIMITS, ...limits } };
    const unpackTo = path.join(folder, 'unpacked');
    return (await refusalOf(readAppPackage(await written(entries), { unpackTo, ...options }))).message;
  };

  it('whose toc.pb has ten times the variants, modules or APKs of an app is refused', async () => {
    const apks = [master(base.name)];
    const [variant] = tocOf({ 21: { base: { apks } } }).variants;
    const variants = create(TocSchema, { variants: many(2_000, () => variant ?? {}) });
    expect(await refusal([base, tocFile(variants)])).to.contain('its toc.pb has over 200 variants');
    const modules = tocOf({ 21: Object.fromEntries(many(20_000, (at) => [`m${at}`, { apks: [] }])) });
    expect(await refusal([base, tocFile(modules)])).to.contain('its toc.pb has over 2000 modules');
    const full = tocOf({ 21: { base: { apks: many(100_000, () => ({})) } } });
    expect(await refusal([base, tocFile(full)])).to.contain('its toc.pb has over 10000 APKs');
  });

  it('whose toc.pb is ten times as large as those of apps, or a bomb, is refused before it is decoded', async () => {
    const large = tocFile(create(TocSchema, { packageName: 'x'.repeat(10 * 1024 ** 2) }));
    expect(await refusal([base, { ...large, stored: true }])).to.contain('toc.pb is over 1048576 bytes');
    expect(await refusal([base, large])).to.contain('times its size');
    expect(await refusal([base, { ...large, claimedBytes: 100 }])).to.contain('Failed to parse APK: toc.pb');
  });

  it('whose toc.pb is as full of empty messages as it can be is read within the memory and time of a thread', async () => {
    // Each message takes two bytes. The first ones are values in one targeting, and the second ones are APKs of one module.
    const nested = (tag: number, content: Buffer): Buffer => Buffer.concat([Buffer.from([tag]), lengthOf(content), content]); // prettier-ignore
    const empty = Buffer.from('0a00'.repeat(1024 ** 2 / 2 - 20), 'hex');
    const values = nested(0x0a, nested(0x12, nested(0x12, nested(0x0a, nested(0x0a, empty)))));
    const reader = new AppReader({ clock: systemClock });
    try {
      for (const bytes of [
        values,
        empty,
        nested(0x0a, nested(0x12, empty)),
        nested(0x0a, Buffer.from('1200'.repeat(500_000), 'hex')),
      ]) {
        // prettier-ignore
        const file = await written([base, { name: 'toc.pb', bytes, stored: true }]);
        const work = reader.readPackage(file, { unpackTo: path.join(folder, 'unpacked'), phone: traitsOf(), leavesRoom: false }); // prettier-ignore
        expect((await refusalOf(work)).message).to.match(
          /its toc\.pb (has over|names no|has no)|native code is for number 0/,
        );
      }
    } finally {
      await reader.close();
    }
  });

  it('whose toc.pb is broken or cut off is refused', async () => {
    const { bytes } = tocFile(tocOf({ 21: { base: { apks: [master(base.name)] } } }));
    for (const wrong of [bytes.subarray(0, -3), Buffer.from('hello'), Buffer.alloc(1_000, 0xff)])
      expect(await refusal([base, { name: 'toc.pb', bytes: wrong }])).to.contain('its toc.pb is broken');
    expect(await refusal([base, { name: 'toc.pb', bytes: Buffer.alloc(0) }])).to.contain(
      'has no APKs that are installed',
    );
  });

  it('whose toc.pb names files outside, files that are no APKs, or too many is refused', async () => {
    const outside = path.join(folder, 'outside');
    await writeFile(outside, 'x');
    for (const name of ['../outside', outside, 'splits/../../outside', '', 'splits/none.apk']) {
      const toc = tocOf({ 21: { base: { apks: [master(name)] } } });
      expect(await refusal([base, tocFile(toc)]), name).to.contain('which is not in it');
    }
    const itself = tocOf({ 21: { base: { apks: [master('toc.pb')] } } });
    expect(await refusal([base, tocFile(itself)])).to.contain('Failed to parse APK');
    const twice = tocOf({ 21: { base: { apks: [master(base.name), master('a.apk')] } } });
    expect(await refusal([base, { ...base, name: 'a.apk' }, tocFile(twice)])).to.contain('two APKs of one split');
    const names = many(1_000, (at) => `${at}.apk`);
    const full = tocOf({ 21: { base: { apks: names.map(master) } } });
    const entries = names.map((name) => ({ name, bytes: Buffer.from('x') }));
    expect(await refusal([...entries, tocFile(full)])).to.contain('over 100 APKs');
    expect(await readdir(folder)).to.include('outside');
  });

  it('whose toc.pb is of another app is refused', async () => {
    const { variants } = tocOf({ 21: { base: { apks: [master(base.name)] } } });
    const toc = create(TocSchema, { variants, packageName: 'com.other' });
    expect(await refusal([base, tocFile(toc)])).to.contain('it says that it is com.other');
  });

  it('whose manifest.json is ten times as large, or has ten times the names, is refused', async () => {
    const described = (fields: unknown): ZipEntry => ({ name: 'manifest.json', bytes: Buffer.from(JSON.stringify(fields)), stored: true }); // prettier-ignore
    const app = { package_name: 'com.example.fixture' };
    expect(await refusal([base, described({ ...app, name: 'x'.repeat(10 * 1024 ** 2) })])).to.contain('manifest.json is over'); // prettier-ignore
    const files = many(10_000, (at) => ({ file: `${at}.apk`, install_path: 'x' }));
    expect(await refusal([base, described({ ...app, split_apks: files })])).to.contain('over 1000 split_apks');
    expect(await refusal([base, described({ ...app, expansions: files })])).to.contain('over 1000 expansions');
    const deep = Buffer.from('['.repeat(1024 ** 2));
    expect(await refusal([base, { name: 'manifest.json', bytes: deep, stored: true }])).to.contain('is not JSON');
  });

  it('whose expansion files are larger than a file may be, or bombs, is refused', async () => {
    const name = 'main.42.com.example.fixture.obb';
    const fileBytes = 20_000;
    // The zip file itself is within the bound, and what it unpacks to is not.
    const packed = { name, bytes: Buffer.alloc(10 * fileBytes, 'level') };
    const tight = { ...base, stored: false };
    expect(await refusal([tight, packed], { fileBytes })).to.contain(`${name} is over`);
    expect(await refusal([base, { name, bytes: Buffer.alloc(30 * 1024 ** 2) }])).to.contain('times its size');
    const claimed = { name, bytes: Buffer.from('x'), claimedBytes: 0xffff_fff0 };
    expect(await refusal([base, claimed])).to.match(/over|times its size/);
  });
});

/** The length of a message in the encoding of protobuf, always in four bytes. */
function lengthOf({ length }: Buffer): Buffer {
  return Buffer.from([0, 7, 14, 21].map((bits, at) => ((length >> bits) & 0x7f) | (at < 3 ? 0x80 : 0)));
}
