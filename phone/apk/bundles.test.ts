import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { binaryXml, endTag, shortStrings, startTag } from '../../testing/phone/apk-builder.js';
import { refusalOf } from '../../testing/phone/apk-refusal.js';
import { STRING } from '../../testing/phone/hostile-apk.js';
import { traitsOf } from '../../testing/phone/traits.js';
import { zipOf, type ZipEntry } from '../../testing/phone/zip-of.js';
import type { PhoneTraits } from '../splits/phone-traits.js';
import { type AppPackage, readAppPackage } from './app-package.js';

const fixture = (name: string): string =>
  fileURLToPath(new URL(`../../../phone/apk/fixtures/${name}`, import.meta.url));
const json = (name: string, value: unknown): ZipEntry => ({ name, bytes: Buffer.from(JSON.stringify(value)) });
const apk = async (name: string, file: string): Promise<ZipEntry> => ({
  name,
  bytes: await readFile(fixture(file)),
  stored: true,
});

/** An APK of com.example.many, which is the base APK where no split is named. */
function built(split?: string): ZipEntry {
  const texts = ['manifest', 'package', 'com.example.many', 'split', split ?? ''];
  const attributes = [{ name: 1, type: STRING, data: 2 }, ...(split === undefined ? [] : [{ name: 3, type: STRING, data: 4 }])]; // prettier-ignore
  const bytes = binaryXml(shortStrings(texts), [], [startTag(0, attributes), endTag()]);
  return { name: `${split ?? 'base'}.apk`, bytes: zipOf([{ name: 'AndroidManifest.xml', bytes }]), stored: true };
}

/** Bundles as tools make them. The app of the fixtures is com.example.fixture 42, with a German split. */
describe('a bundle', () => {
  let folder: string;
  before(async () => (folder = await mkdtemp(path.join(os.tmpdir(), 'bundles-'))));
  after(() => rm(folder, { recursive: true, force: true }));

  const unpackTo = (): string => path.join(folder, 'unpacked');
  const read = async (entries: readonly ZipEntry[], traits: Partial<PhoneTraits> = {}): Promise<AppPackage> => {
    await writeFile(path.join(folder, 'file'), zipOf(entries));
    return readAppPackage(path.join(folder, 'file'), { unpackTo: unpackTo(), phone: traitsOf(traits) });
  };
  const refusal = async (entries: readonly ZipEntry[], traits: Partial<PhoneTraits> = {}): Promise<string> =>
    (await refusalOf(read(entries, traits))).message;

  describe("of bundletool's default", () => {
    const set = (traits: Partial<PhoneTraits> = {}): Promise<AppPackage> =>
      readAppPackage(fixture('app.apks'), { unpackTo: unpackTo(), phone: traitsOf(traits) });
    const installed = async (traits: Partial<PhoneTraits>): Promise<string[]> =>
      (await set(traits)).parts.map(({ file }) => file.replace('splits/base-', '')).toSorted();

    it('has the APKs that bundletool extracts for a phone', async () => {
      // The first line is what "bundletool extract-apks" 1.18.1 extracts.
      expect(await installed({})).to.deep.equal(['master_3.apk', 'x86_64_2.apk', 'xhdpi.apk']);
      expect(await installed({ sdk: 21 })).to.deep.equal(['master.apk', 'x86_64.apk', 'xhdpi.apk']);
      expect(await installed({ sdk: 28 })).to.deep.equal(['master_2.apk', 'x86_64_2.apk', 'xhdpi.apk']);
      expect(await installed({ densityDpi: 420 })).to.deep.equal(['master_3.apk', 'x86_64_2.apk', 'xxhdpi.apk']);
      expect(await installed({ languages: ['he', 'de'] })).to.deep.equal(['de.apk', 'he.apk', 'master_3.apk', 'x86_64_2.apk', 'xhdpi.apk']); // prettier-ignore
      expect(await installed({ abis: ['arm64-v8a'] })).to.deep.equal(['arm64_v8a_2.apk', 'master_3.apk', 'xhdpi.apk']);
    });

    it('names what is left out, by name, and unpacks none of it', async () => {
      const { base, parts, leftOut } = await set();
      expect(base).to.include({ package: 'org.example.bundled', versionCode: 7 });
      expect(parts.map(({ name }) => name)).to.have.members(['base.apk', 'split_config.x86_64.apk', 'split_config.xhdpi.apk']); // prettier-ignore
      expect(await readdir(unpackTo())).to.have.length(3);
      expect(leftOut).to.have.length(13);
      expect(leftOut.slice(0, 4)).to.deep.equal([
        { file: 'splits/base-arm64_v8a.apk', reason: 'for other versions of Android' },
        { file: 'splits/base-arm64_v8a_2.apk', reason: 'for other processors (arm64-v8a)' },
        { file: 'splits/base-de.apk', reason: 'for other languages (de)' },
        { file: 'splits/base-hdpi.apk', reason: 'for other screen densities (240 dpi)' },
      ]);
    });

    it('is refused in the words of Android when it has nothing for the phone', async () => {
      const old = await refusalOf(set({ sdk: 20 }));
      expect([old.code, old.message]).to.deep.equal([
        'INSTALL_FAILED_OLDER_SDK',
        'This bundle cannot be installed: it is for Android from API level 21 on, and the phone has API level 20',
      ]);
      expect((await refusalOf(set({ abis: ['armeabi-v7a'] }))).code).to.equal('INSTALL_FAILED_NO_MATCHING_ABIS');
    });

    it('is described by its base APK where there is no phone', async () => {
      const { base, parts } = await readAppPackage(fixture('app.apks'), { unpackTo: unpackTo() });
      expect(base.package).to.equal('org.example.bundled');
      expect(parts.map(({ file }) => file)).to.deep.equal(['splits/base-master_3.apk']);
      expect(await readdir(unpackTo())).to.deep.equal(['0.apk']);
    });
  });

  describe('with a manifest.json', () => {
    const app = 'com.example.fixture';
    const obb = { name: 'Android/obb/level.obb', bytes: Buffer.from('level'), stored: true };
    const place = (name: string) => ({ file: obb.name, install_location: 'EXTERNAL_STORAGE', install_path: name });
    const described = (fields: Record<string, unknown>): ZipEntry =>
      json('manifest.json', { xapk_version: 2, package_name: app, ...fields });

    it('has the APKs that it names', async () => {
      const entries = [
        await apk('base.apk', 'fixture-v2.apk'),
        await apk('other.apk', 'fixture-v1.apk'),
        await apk('config.de.apk', 'fixture-split_de.apk'),
        described({ split_apks: [{ file: 'base.apk', id: 'base' }, { file: 'config.de.apk', id: 'config.de' }] }), // prettier-ignore
      ];
      const { parts, leftOut } = await read(entries, { languages: ['de'] });
      expect(parts.map(({ file }) => file)).to.deep.equal(['base.apk', 'config.de.apk']);
      expect(leftOut.map(({ file }) => file)).to.deep.equal(['other.apk']);
      expect((await read(entries)).leftOut).to.deep.include({ file: 'config.de.apk', reason: 'for other languages (de)' }); // prettier-ignore
    });

    it('has the expansion files that it names, under any name, in the folder of the app alone', async () => {
      const base = await apk('a.apk', 'fixture-v2.apk');
      const { expansions } = await read([
        base,
        obb,
        described({ expansions: [place(`Android/obb/${app}/level.obb`)] }),
      ]);
      expect(expansions.map(({ name, sizeBytes }) => [name, sizeBytes])).to.deep.equal([['level.obb', 5]]);
      for (const wrong of [
        `Android/obb/${app}/../level.obb`,
        'Android/obb/com.other/level.obb',
        `/Android/obb/${app}/x.obb`,
        `Android/obb/${app}/a/b.obb`,
        `Android/obb/${app}/.hidden`,
        `Android/obb/${app}/..`,
        `Android/obb/${app}/a\nb`,
        'DCIM/x.jpg',
      ]) {
        // prettier-ignore
        const found = await read([base, obb, described({ expansions: [place(wrong)] })]);
        expect(found.expansions, wrong).to.deep.equal([]);
        expect(found.leftOut[0]?.reason, wrong).to.contain(`installed in Android/obb/${app}/ alone`);
      }
    });

    it('is refused when it names what is not there, or another app', async () => {
      const base = await apk('a.apk', 'fixture-v2.apk');
      const wrong: [Record<string, unknown>, string][] = [
        [{ split_apks: [{ file: 'none.apk' }] }, 'its manifest.json names none.apk, which is not in it'],
        [{ expansions: [{ file: 'none.obb', install_path: 'x' }] }, 'names none.obb, which is not in it'],
        [{ package_name: 'com.other' }, 'it says that it is com.other, and its base APK is com.example.fixture'],
        [{ split_apks: 'a.apk' }, 'split_apks in its manifest.json is no list'],
        [{ split_apks: [{ id: 'base' }] }, 'has an entry without file'],
      ];
      for (const [fields, words] of wrong) expect(await refusal([base, described(fields)])).to.contain(words);
      expect(await refusal([base, { name: 'manifest.json', bytes: Buffer.from('{') }])).to.contain('is not JSON');
    });
  });

  it('with an info.json is of the app that it names', async () => {
    const base = await apk('base.apk', 'fixture-v2.apk');
    const german = await apk('split_config.de.apk', 'fixture-split_de.apk');
    const info = (pname: string): ZipEntry => json('info.json', { apkm_version: 5, pname, arches: ['x86_64'] });
    const { parts } = await read([base, german, info('com.example.fixture')], { languages: ['de'] });
    expect(parts.map(({ name }) => name)).to.deep.equal(['base.apk', 'split_config.de.apk']);
    expect(await refusal([base, info('com.other')])).to.contain('it says that it is com.other');
  });

  describe('with the APKs of a large app, and no toc.pb', () => {
    const letters = 'a b c d e f g h i j'.split(' ');
    // The languages of the phone are not among them.
    const languages = letters.flatMap((one) => letters.slice(0, 8).map((other) => `z${one}${other}`));
    const densities = ['ldpi', 'mdpi', 'tvdpi', 'hdpi', 'xhdpi', 'xxhdpi', 'xxxhdpi'];
    const abis = ['armeabi_v7a', 'arm64_v8a', 'x86', 'x86_64'];
    const kinds = ['en', ...languages, ...densities, ...abis];
    const modules = ['map', 'shop', 'game', 'video'];

    it('is installed with those for the phone', async () => {
      const splits = ['', ...modules.map((name) => `${name}.`)].flatMap((module) =>
        kinds.map((kind) => `${module}config.${kind}`),
      );
      const all = [built(), ...[...modules, ...splits].map(built)];
      expect(all.length).to.be.within(400, 500);
      const { parts, leftOut } = await read(all);
      const own = ['en', 'xhdpi', 'x86_64'];
      const wanted = ['base.apk'];
      for (const kind of own) wanted.push(`config.${kind}.apk`);
      for (const name of modules) wanted.push(`${name}.apk`, ...own.map((kind) => `${name}.config.${kind}.apk`));
      expect(parts.map(({ file }) => file)).to.have.members(wanted);
      expect(leftOut).to.have.length(all.length - wanted.length);
    });

    it('is refused where over 100 of them are for the phone, or over 500 are in it', async () => {
      const unknown = (count: number): ZipEntry[] => Array.from({ length: count }, (_, at) => built(`module${at}`));
      expect((await read([built(), ...unknown(99)])).parts).to.have.length(100);
      expect(await refusal([built(), ...unknown(100)])).to.contain('it has over 100 APKs for one phone');
      // Ten times the bound. They are refused by their number, before one is unpacked.
      const many = Array.from({ length: 5_000 }, (_, at) => ({ name: `${at}.apk`, bytes: Buffer.from('x') }));
      expect(await refusal(many)).to.contain('it has over 500 APKs');
      expect(await readdir(unpackTo())).to.deep.equal([]);
    });
  });

  it('with JSON files of other things is read without them', async () => {
    const others = ['[]', 'null', '3', '{"package_name": 3}'].map((text) => Buffer.from(text));
    for (const bytes of others) {
      const entries = [await apk('a.apk', 'fixture-v2.apk'), { name: 'manifest.json', bytes }, { name: 'info.json', bytes }]; // prettier-ignore
      expect((await read(entries)).parts).to.have.length(1);
    }
  });

  it('of the format .aab is refused with the command that makes APKs of it', async () => {
    const entries = ['BundleConfig.pb', 'base/manifest/AndroidManifest.xml', 'base/dex/classes.dex'];
    const words = await refusal(entries.map((name) => ({ name, bytes: Buffer.from('x') })));
    expect(words).to.contain('Run "bundletool build-apks --bundle=app.aab --output=app.apks"');
  });
});
