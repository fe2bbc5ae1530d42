import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import yauzl from 'yauzl';
import { ApkError } from './apk-error.js';
import { DEFAULT_APK_LIMITS } from './apk-limits.js';
import { readApk } from './read-apk.js';
import { zipOf } from '../../testing/phone/zip-of.js';

const fixture = (name: string): string =>
  fileURLToPath(new URL(`../../../phone/apk/fixtures/${name}`, import.meta.url));

describe('readApk', () => {
  let folder: string;
  before(async () => (folder = await mkdtemp(path.join(os.tmpdir(), 'apk-'))));
  after(() => rm(folder, { recursive: true, force: true }));

  const refusal = async (file: string, limits = DEFAULT_APK_LIMITS): Promise<ApkError> => {
    const error: unknown = await readApk(file, limits).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).to.be.instanceOf(ApkError);
    return error as ApkError;
  };
  const written = async (name: string, bytes: Buffer): Promise<string> => {
    await writeFile(path.join(folder, name), bytes);
    return path.join(folder, name);
  };

  it('reads manifest, default label and the densest icon', async () => {
    const { icon, signer, ...apk } = await readApk(fixture('fixture-v2.apk'));
    expect(apk).to.deep.equal({
      package: 'com.example.fixture',
      versionCode: 42,
      versionName: '1.2.3',
      minSdk: 21,
      targetSdk: 29,
      label: 'Pröbe 例',
      launcherActivity: 'com.example.fixture/.MainActivity',
      activities: [
        {
          component: 'com.example.fixture/.MainActivity',
          exported: true,
          filters: [
            {
              actions: ['android.intent.action.MAIN'],
              categories: ['android.intent.category.LAUNCHER'],
              autoVerify: false,
              schemes: [],
              hosts: [],
              paths: [],
              mimeTypes: [],
            },
          ],
        },
      ],
      permissions: ['android.permission.INTERNET'],
      abis: [],
      testOnly: false,
    });
    expect(signer).to.match(/^[0-9a-f]{64}$/);
    expect(icon?.readUInt32BE(16), 'width in the PNG header').to.equal(4);
  });

  it('reads the same signer from every scheme, and another one of another maker', async () => {
    const signer = async (name: string): Promise<string | undefined> => (await readApk(fixture(name))).signer;
    const own = await signer('fixture-v2.apk');
    expect(await signer('fixture-v1.apk')).to.equal(own);
    expect(await signer('fixture-split_de.apk')).to.equal(own);
    expect(await signer('fixture-jar-signed.apk')).to.equal(own);
    expect(await signer('fixture-other-key.apk'))
      .to.match(/^[0-9a-f]{64}$/)
      .and.not.to.equal(own);
  });

  it('reads no signer from a signature that is broken', async () => {
    const bytes = await readFile(fixture('fixture-v2.apk'));
    const end = bytes.lastIndexOf('APK Sig Block 42');
    for (const [at, value] of [
      [end - 8, 0xff],
      [end - 4, 0xff],
      [end - 8, 3],
    ] as const) {
      const broken = Buffer.from(bytes);
      broken[at] = value;
      const jar = (await readApk(fixture('fixture-jar-signed.apk'))).signer;
      // The jar scheme is left then.
      expect((await readApk(await written('broken', broken))).signer).to.equal(jar);
    }
  });

  it('recognizes unsigned and test-only apps', async () => {
    expect(await readApk(fixture('fixture-unsigned.apk'))).not.to.have.property('signer');
    expect((await readApk(fixture('fixture-test-only.apk'))).testOnly).to.equal(true);
  });

  it('knows an icon by its first bytes, not by its file’s name', async () => {
    const renamed = (await entriesOf(fixture('fixture-v2.apk'))).map(({ name, bytes }) => ({
      name: name.replace('icon.png', 'icon_png'),
      bytes: name === 'resources.arsc' ? replaced(bytes, 'icon.png', 'icon_png') : bytes,
    }));
    const { icon } = await readApk(await written('renamed', zipOf(renamed)));
    expect(icon?.readUInt32BE(16), 'width in the PNG header').to.equal(4);
  });

  it('does not mind the names of entries that are never unpacked', async () => {
    const odd = ['../assets/x', '/etc/y', 'a\\b', 'C:/z'].map((name) => ({ name, bytes: Buffer.from('x') }));
    const file = await written('odd', zipOf([...(await entriesOf(fixture('fixture-v1.apk'))), ...odd]));
    expect((await readApk(file)).package).to.equal('com.example.fixture');
  });

  it('counts a signature of the jar scheme alone only below target SDK 30', async () => {
    const entries = await entriesOf(fixture('fixture-v1.apk'));
    expect(await readApk(await written('v1', zipOf(entries))))
      .to.include({ targetSdk: 29 })
      .and.to.have.property('signer');
    // A typed value: 8 bytes long, a decimal number, 29.
    const target = (sdk: number): string => `\x08\0\0\x10${String.fromCharCode(sdk)}\0\0\0`;
    const newer = entries.map(({ name, bytes }) => ({
      name,
      bytes: name === 'AndroidManifest.xml' ? replaced(bytes, target(29), target(30)) : bytes,
    }));
    expect(await readApk(await written('v1-30', zipOf(newer))))
      .to.include({ targetSdk: 30 })
      .and.not.to.have.property('signer');
  });

  it('refuses a file that is no zip or no APK, and a zip without a manifest', async () => {
    expect((await refusal(await written('text', Buffer.from('hello')))).code).to.equal('INSTALL_PARSE_FAILED_NOT_APK');
    expect((await refusal(await written('empty', zipOf([])))).message).to.contain('AndroidManifest.xml is missing');
    expect((await refusal(await written('fake', zipOf([{ name: 'AndroidManifest.xml', bytes: Buffer.from('<manifest/>') }])))).message).to.contain('binary XML'); // prettier-ignore
  });

  it('refuses a manifest that unpacks to more than the cap without unpacking it', async () => {
    const bomb = zipOf([{ name: 'AndroidManifest.xml', bytes: Buffer.alloc(80 * 1024 ** 2) }]);
    expect((await refusal(await written('bomb', bomb))).message).to.contain('over');
  });

  it('refuses a manifest that is packed too tightly', async () => {
    const bomb = zipOf([{ name: 'AndroidManifest.xml', bytes: Buffer.alloc(20 * 1024 ** 2) }]);
    expect((await refusal(await written('tight', bomb))).message).to.contain('times its size');
  });

  it('refuses a forged size', async () => {
    const forged = zipOf([{ name: 'AndroidManifest.xml', bytes: Buffer.alloc(100_000), claimedBytes: 1_000 }]);
    expect((await refusal(await written('forged', forged))).code).to.equal('INSTALL_PARSE_FAILED_NOT_APK');
  });

  it('refuses too many entries and two of one name', async () => {
    const many = zipOf(Array.from({ length: 50 }, (_, at) => ({ name: `f${at}`, bytes: Buffer.alloc(0) })));
    expect((await refusal(await written('many', many), { ...DEFAULT_APK_LIMITS, entries: 49 })).message).to.contain(
      '49 entries',
    );
    const twins = zipOf([1, 2].map(() => ({ name: 'AndroidManifest.xml', bytes: Buffer.alloc(1) })));
    expect((await refusal(await written('twins', twins))).message).to.contain('two entries');
  });

  it('returns a package or throws ApkError for any wrong byte of the file', async () => {
    const bytes = await readFile(fixture('fixture-unsigned.apk'));
    for (let at = 0; at < bytes.length; at += 7) {
      const broken = Buffer.from(bytes);
      broken[at] = (broken[at] ?? 0) ^ 0xff;
      const file = await written('flipped', broken);
      await readApk(file).catch((error: unknown) => expect(error, `byte ${at}`).to.be.instanceOf(ApkError));
    }
  });
});

async function entriesOf(file: string): Promise<{ name: string; bytes: Buffer }[]> {
  const zip = await yauzl.openPromise(file, { lazyEntries: true, autoClose: false });
  const entries: { name: string; bytes: Buffer }[] = [];
  for await (const entry of zip.eachEntry()) {
    const parts: Buffer[] = [];
    for await (const part of await zip.openReadStreamPromise(entry)) parts.push(part as Buffer);
    entries.push({ name: entry.fileName, bytes: Buffer.concat(parts) });
  }
  zip.close();
  return entries;
}

/** Replaces a text by another one of the same length, so that nothing moves. */
function replaced(bytes: Buffer, old: string, by: string): Buffer {
  const text = bytes.toString('latin1');
  expect(text, 'is there').to.contain(old);
  return Buffer.from(text.replaceAll(old, by), 'latin1');
}
