import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import {
  binaryXml,
  type BuiltAttribute,
  endTag,
  pngHeader,
  resourceTable,
  shortStrings,
  startTag,
  stringPool,
} from '../../testing/phone/apk-builder.js';
import { refusalOf } from '../../testing/phone/apk-refusal.js';
import { app, LABEL, manifest, permission, REFERENCE, STRING } from '../../testing/phone/hostile-apk.js';
import { zipOf, type ZipEntry } from '../../testing/phone/zip-of.js';
import { Attribute } from './android-attribute.js';
import { type ApkLimits, DEFAULT_APK_LIMITS } from './apk-limits.js';
import { type AppPackage, readAppPackage } from './app-package.js';
import { type ApkDescription, readApk } from './read-apk.js';

/** Files that would take hours of work or gigabytes of memory without a limit. Most exceed a limit ten times. */
describe('a hostile APK', () => {
  let folder: string;
  before(async () => (folder = await mkdtemp(path.join(os.tmpdir(), 'hostile-'))));
  after(() => rm(folder, { recursive: true, force: true }));

  const file = async (entries: readonly ZipEntry[]): Promise<string> => {
    const name = path.join(folder, 'file.apk');
    await writeFile(name, zipOf(entries));
    return name;
  };
  const read = async (entries: readonly ZipEntry[]): Promise<ApkDescription> => readApk(await file(entries));
  const refusal = async (work: Promise<unknown>): Promise<string> => (await refusalOf(work)).message;

  it('that refers to itself from every chunk of a type is read once', async () => {
    const loops = Array.from({ length: 160 }, () => ({ type: REFERENCE, data: LABEL }));
    expect((await read(app({ label: loops }, []))).label).to.equal('com.example.hostile');
    const entries = app({ label: [...loops, { type: STRING, data: 0 }] }, ['A label']);
    expect((await read(entries)).label).to.equal('A label');
  });

  it('whose resources refer to one another in a long chain is read to its end', async () => {
    const chain = Array.from({ length: 200 }, (_, at) => [{ type: REFERENCE, data: LABEL + at + 1 }]);
    const table = resourceTable(shortStrings(['The end']), [...chain, [{ type: STRING, data: 0 }]]);
    const entries = [manifest(), { name: 'resources.arsc', bytes: table }];
    expect((await read(entries)).label).to.equal('The end');
  });

  it('that looks up a large table again for each of its permissions is given up', async () => {
    const values = Array.from({ length: 20_000 }, () => ({ type: STRING, data: 0 }));
    const asked = Array.from({ length: 10_000 }, () => [permission({ type: REFERENCE, data: LABEL }), endTag()]);
    const table = resourceTable(shortStrings(['x']), [values]);
    const entries = [manifest({ inside: asked.flat() }), { name: 'resources.arsc', bytes: table }];
    expect(await refusal(read(entries))).to.contain('more work');
  });

  it('with 65,535 attributes of long strings is read without them, or given up', async () => {
    // Each string begins one byte after the string before it, and is 32 KiB long.
    const count = 65_535;
    const offsets = Array.from({ length: count }, (_, at) => at);
    const long = stringPool(offsets, Buffer.alloc(count + 40_000, 0xff));
    const attributes = (type: number): BuiltAttribute[] => offsets.map((at) => ({ name: at, type, data: at }));
    const xml = binaryXml(long, [], [startTag(0, attributes(STRING)), endTag()]);
    expect(await refusal(read([{ name: 'AndroidManifest.xml', bytes: xml }]))).to.contain('manifest');
    const many = Array.from({ length: 20 }, () => [startTag(0, attributes(STRING)), endTag()]);
    const more = binaryXml(long, [], many.flat());
    expect(await refusal(read([{ name: 'AndroidManifest.xml', bytes: more, stored: true }]))).to.contain('more work');
  });

  it('with ten times the activities or filters that an app may have is refused', async () => {
    const texts = ['manifest', 'package', 'com.example.hostile', 'application', 'activity', 'name', '.A', 'intent-filter', 'data', 'scheme', 'x'.repeat(100)]; // prettier-ignore
    const ids = [0, 0, 0, 0, 0, Attribute.name, 0, 0, 0, Attribute.scheme];
    const read50 = (inside: readonly Buffer[]): Promise<ApkDescription> =>
      read([
        {
          name: 'AndroidManifest.xml',
          bytes: binaryXml(shortStrings(texts), ids, [startTag(0, [{ name: 1, type: STRING, data: 2 }]), startTag(3), ...inside, endTag(), endTag()]), // prettier-ignore
        },
      ]);
    const activity = [startTag(4, [{ name: 5, type: STRING, data: 6 }]), endTag()];
    const data = [startTag(8, [{ name: 9, type: STRING, data: 10 }]), endTag()];
    const [open = endTag(), close = endTag()] = activity;
    const many = (tags: readonly Buffer[], count: number): Buffer[] => Array.from({ length: count }, () => tags).flat();
    expect((await read50(many(activity, 3_000))).activities).to.have.length(3_000);
    expect(await refusal(read50(many(activity, 30_000)))).to.match(/too many names|over 3000 activities/);
    const filter = [open, startTag(7), ...many(data, 26_000), endTag(), close];
    expect(await refusal(read50(filter))).to.contain('too many names and filters');
  });

  it('with more text in its permissions than any app has is given up', async () => {
    const count = 10_000;
    const offsets = Array.from({ length: count }, (_, at) => at + 200);
    const texts = ['manifest', 'package', 'com.example.hostile', 'uses-permission', 'name'];
    const bytes = Buffer.concat([shortTexts(texts), Buffer.alloc(200 + count + 40_000, 0xff)]);
    const strings = stringPool([...starts(texts), ...offsets], bytes);
    const tags = offsets.flatMap((_, at) => [
      startTag(3, [{ name: 4, type: STRING, data: texts.length + at }]),
      endTag(),
    ]);
    const ids = [0, 0, 0, 0, Attribute.name];
    const xml = binaryXml(strings, ids, [startTag(0, [{ name: 1, type: STRING, data: 2 }]), ...tags, endTag()]);
    expect(await refusal(read([{ name: 'AndroidManifest.xml', bytes: xml }]))).to.match(/more (work|text)|too long/);
  });

  it('with an icon of 30,000 x 30,000 pixels is shown with its next icon, or without any', async () => {
    const icons = [
      { type: STRING, data: 1, density: 640 },
      { type: STRING, data: 2, density: 320 },
    ];
    const entries = app({ icon: icons }, ['', 'res/huge.png', 'res/good.png']);
    const huge = { name: 'res/huge.png', bytes: pngHeader(30_000, 30_000) };
    expect(await read([...entries, huge])).not.to.have.property('icon');
    const good = { name: 'res/good.png', bytes: pngHeader(192, 192) };
    expect((await read([...entries, huge, good])).icon?.equals(good.bytes)).to.equal(true);
    const webp = { name: 'res/huge.png', bytes: webpHeader(16_000, 16_000) };
    expect((await read([...entries, webp, good])).icon?.equals(good.bytes)).to.equal(true);
    expect((await read([...entries, { ...webp, bytes: webpHeader(100, 100) }])).icon).to.have.length(30);
  });

  it('whose icon is a drawing of drawings of drawings is read without it', async () => {
    // Twenty drawings, each of which leads to all of them: 20^5 files of up to 4 MiB without a bound.
    const names = Array.from({ length: 20 }, (_, at) => `res/${at}.xml`);
    const icon = names.map((_, at) => ({ type: STRING, data: at, density: 100 + at }));
    const padding = randomBytes(3 * 1024 ** 2);
    const leadsOn = binaryXml(
      shortStrings(['drawable']),
      [Attribute.drawable],
      [startTag(0, [{ name: 0, type: REFERENCE, data: LABEL + 1 }]), endTag()],
    );
    const drawing = Buffer.concat([leadsOn, padding]);
    const drawings = names.map((name) => ({ name, bytes: drawing, stored: true }));
    expect(await read([...app({ icon }, names), ...drawings])).not.to.have.property('icon');
  });

  it('with a list of entries that is too long for memory is refused before it is read', async () => {
    const names = Array.from({ length: 20 }, (_, at) => String.fromCharCode(97 + at).repeat(60_000));
    const bytes = await file([manifest(), ...names.map((name) => ({ name, bytes: Buffer.alloc(0) }))]);
    const refused = refusal(readApk(bytes, { ...DEFAULT_APK_LIMITS, directoryBytes: 120_000 }));
    expect(await refused).to.contain('list of entries');
  });

  it('shares the bounds of one APK with the other 99 of its bundle', async () => {
    const loops = Array.from({ length: 5_000 }, () => ({ type: STRING, data: 0 }));
    const asked = Array.from({ length: 100 }, () => [permission({ type: REFERENCE, data: LABEL }), endTag()]).flat();
    const table = resourceTable(shortStrings(['x']), [loops]);
    const bytes = zipOf([manifest({ inside: asked }), { name: 'resources.arsc', bytes: table }]);
    const bundle = await file(Array.from({ length: 100 }, (_, at) => ({ name: `${at}.apk`, bytes, stored: true })));
    const unpackTo = path.join(folder, 'unpacked');
    expect(await refusal(readAppPackage(bundle, { unpackTo }))).to.contain('more work');
  });

  it('shares the bound of entries with the other APKs of its bundle', async () => {
    const empty = Array.from({ length: 9 }, (_, at) => ({
      name: `assets/${at}`,
      bytes: Buffer.alloc(0),
      stored: true,
    }));
    const bytes = zipOf([manifest(), ...empty]);
    const bundle = await file(Array.from({ length: 5 }, (_, at) => ({ name: `${at}.apk`, bytes, stored: true })));
    const within = (limits: Partial<ApkLimits>): Promise<AppPackage> =>
      readAppPackage(bundle, { unpackTo: path.join(folder, 'unpacked'), limits: { ...DEFAULT_APK_LIMITS, ...limits } });
    // The bundle has five entries, and each APK in it has ten.
    expect(await refusal(within({ entries: 54 }))).to.contain('over 54 entries');
    expect(await refusal(within({ directoryBytes: 2_000 }))).to.contain('list of entries is over 2000 bytes');
    expect(await refusal(within({ entries: 55 }))).to.contain('more than one base APK');
  });
});

function shortTexts(texts: readonly string[]): Buffer {
  return Buffer.concat(texts.map((text) => Buffer.from(`${String.fromCharCode(text.length, text.length)}${text}\0`)));
}

function starts(texts: readonly string[]): number[] {
  let at = 0;
  return texts.map((text) => (at += text.length + 3) - text.length - 3);
}

/** Returns the header of an extended WebP file (`VP8X`). */
function webpHeader(width: number, height: number): Buffer {
  const header = Buffer.alloc(30);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(22, 4);
  header.write('WEBPVP8X', 8, 'latin1');
  header.writeUInt32LE(10, 16);
  header.writeUIntLE(width - 1, 24, 3);
  header.writeUIntLE(height - 1, 27, 3);
  return header;
}
