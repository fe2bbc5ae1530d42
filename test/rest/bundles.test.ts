import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { randomBytes } from 'node:crypto';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { DEFAULT_APK_LIMITS } from '../../phone/apk/apk-limits.js';
import { ReadBudget } from '../../phone/apk/read-budget.js';
import { ZipFile } from '../../phone/apk/zip-file.js';
import { AbiName, type Toc, TocSchema } from '../../proto/gen/cloudphone/bundle/v1/toc_pb.js';
import { zipOf, type ZipEntry } from '../../testing/phone/zip-of.js';
import { RawAdb } from '../relay/raw-adb.js';
import type { Answer } from '../rest-client.js';
import { startWorld, type World } from '../world.js';

const source = (name: string): string => fileURLToPath(new URL(`../../../${name}`, import.meta.url));
const SET = source('phone/apk/fixtures/app.apks');
const TRAILS = source('device-service/devices/apps/demo/catalogue/trails.apk');
const APP = 'org.example.bundled';

/** Bundles as tools make them, on phones of two densities, two languages and two versions of Android. */
describe('bundles of apps', () => {
  let world: World;
  let folder: string;

  before(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'bundles-'));
    const catalogue = path.join(folder, 'offered');
    await mkdir(catalogue);
    await copyFile(SET, path.join(catalogue, 'bundled.apks'));
    await writeFile(path.join(catalogue, 'trails.xapk'), await xapk(randomBytes(300_000)));
    world = await startWorld({ apps: { catalogue, folder: path.join(folder, 'own') } });
    await world.api.createPhone({ name: 'phone' });
    await world.api.createPhone({ name: 'dense', model: 'phone-1080p' });
    const older = await world.api.post('/v1/devices', { name: 'older', model: 'phone-720p', android: '11', network: { type: 'direct', country: 'us' }, plan: 'minute' }); // prettier-ignore
    await world.api.done(older);
  });
  after(async () => {
    await world.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function upload(bytes: Buffer, device = 'phone'): Promise<Answer['body']> {
    const headers = { authorization: `Bearer ${world.key}`, 'content-type': 'application/octet-stream' };
    const url = `${world.mesh.url}/v1/devices/${device}/apk`;
    const response = await fetch(url, { method: 'POST', headers, body: new Uint8Array(bytes) });
    return { status: response.status, ...((await response.json()) as object) };
  }

  async function resultOf(accepted: Answer['body']): Promise<Answer['body']> {
    expect(accepted.status, JSON.stringify(accepted)).to.equal(202);
    const { job } = (await world.api.get(`/v1/jobs/${accepted.job.id}?wait_s=60`)).body;
    expect(job, JSON.stringify(job)).to.include({ kind: 'install', state: 'done' });
    return job.result;
  }

  async function shell(device: string, command: string): Promise<string> {
    const { adb } = (await world.api.post(`/v1/devices/${device}/adb`, { allow: ['127.0.0.1'] })).body;
    const client = await RawAdb.loggedIn(adb);
    try {
      return (await client.shell(command)).stdout;
    } finally {
      client.end();
    }
  }

  const short = (names: readonly string[]): string[] => names.map((name) => name.replace('splits/base-', '')).sort();
  /** The APKs of the app on a phone, by adb. */
  const onPhone = async (device: string): Promise<string[]> =>
    (await shell(device, `pm path ${APP}`)).trim().split('\n').map((line) => line.slice(line.lastIndexOf('/') + 1)).sort(); // prettier-ignore

  it("of bundletool's default are installed with the members for the phone's density", async () => {
    const set = await readFile(SET);
    const result = await resultOf(await upload(set));
    expect(result).to.include({ package: APP, version: '1.7' });
    expect(short(result.installed)).to.deep.equal(['master_3.apk', 'x86_64_2.apk', 'xhdpi.apk']);
    expect(result.left_out).to.have.length(13);
    expect(result.left_out).to.deep.include({
      file: 'splits/base-xxhdpi.apk',
      reason: 'for other screen densities (480 dpi)',
    });
    expect(await onPhone('phone')).to.deep.equal(['base.apk', 'split_config.x86_64.apk', 'split_config.xhdpi.apk']);
    expect(short((await resultOf(await upload(set, 'dense'))).installed)).to.include('xxhdpi.apk');
    expect(await onPhone('dense')).to.include('split_config.xxhdpi.apk');
  });

  it("are installed with the members for the phone's version of Android", async () => {
    // The set is for the API levels 21, 23 and 29, which no model is between.
    const levels = new Map([[21, 21], [23, 31], [29, 33]]); // prettier-ignore
    const moved = await withToc((toc) => {
      for (const { targeting } of toc.variants)
        for (const sdk of [...(targeting?.sdk?.values ?? []), ...(targeting?.sdk?.alternatives ?? [])])
          sdk.min = levels.get(sdk.min ?? 0);
      for (const apk of toc.variants.flatMap(({ modules }) => modules).flatMap(({ apks }) => apks))
        if (apk.targeting) delete apk.targeting.sdk;
    });
    expect(short((await resultOf(await upload(moved))).installed)).to.include('master_3.apk');
    const older = await resultOf(await upload(moved, 'older'));
    expect(short(older.installed)).to.deep.equal(['master.apk', 'x86_64.apk', 'xhdpi.apk']);
    expect(older.left_out).to.deep.include({
      file: 'splits/base-master_3.apk',
      reason: 'for other versions of Android',
    });
  });

  it("of the catalogue are installed with the members for the phone's languages, also by a group", async () => {
    const { apps } = (await world.api.get('/v1/apps')).body;
    expect(apps.map(({ app, package: name }: Record<string, string>) => [app, name])).to.deep.equal([
      ['bundled', APP],
      ['trails', 'org.cloudphone.demo.trails'],
    ]);
    await shell('dense', 'settings put system system_locales de-DE,iw-IL');
    const install = async (device: string): Promise<Answer['body']> => {
      const { status, body } = await world.api.post(`/v1/devices/${device}/apps`, { app: 'bundled' });
      return (await resultOf({ status, ...body })).installed;
    };
    expect(short(await install('phone'))).to.deep.equal(['master_3.apk', 'x86_64_2.apk', 'xhdpi.apk']);
    expect(short(await install('dense'))).to.include.members(['de.apk', 'he.apk', 'xxhdpi.apk']);
    expect(await onPhone('dense')).to.include.members(['split_config.de.apk', 'split_config.he.apk']);
    await shell('phone', 'settings put system system_locales de-DE');
    const steps = [{ install: { app: 'bundled' } }];
    await world.api.done(await world.api.post('/v1/groups', { devices: ['phone'], steps, on_error: 'stop' }));
    expect(await onPhone('phone')).to.include('split_config.de.apk');
  });

  it('of the format .xapk are installed with their expansion file, which adb and the files of the phone have', async () => {
    const obb = randomBytes(300_000);
    const result = await resultOf(await upload(await xapk(obb)));
    const written = '/sdcard/Android/obb/org.cloudphone.demo.trails/main.1.org.cloudphone.demo.trails.obb';
    expect(result).to.deep.include({ installed: ['org.cloudphone.demo.trails.apk'], obb: [written] });
    expect(result).not.to.have.property('left_out');
    expect(await shell('phone', `wc -c < ${written}`)).to.match(/^\s*300000\s*$/);
    const read = await world.api.get(`/v1/devices/phone/files/content?path=${written}`);
    expect(read.bytes.equals(obb)).to.equal(true);
    const offered = await world.api.post('/v1/devices/older/apps', { app: 'trails' });
    expect((await resultOf({ status: offered.status, ...offered.body })).obb).to.deep.equal([written]);
  });

  it('that have nothing for the phone, and App Bundles, are refused before there is a job', async () => {
    const before = (await world.api.get('/v1/jobs')).body.jobs;
    const foreign = await withToc((toc) => {
      for (const { abi } of toc.variants
        .flatMap(({ modules }) => modules)
        .flatMap(({ apks }) => apks.flatMap(({ targeting }) => targeting ?? [])))
        // prettier-ignore
        for (const one of [...(abi?.values ?? []), ...(abi?.alternatives ?? [])]) one.name = AbiName.RISCV64;
    });
    const refused = await upload(foreign);
    expect([refused.status, refused.error]).to.deep.equal([400, 'bad_request']);
    expect(refused.message).to.match(
      /INSTALL_FAILED_NO_MATCHING_ABIS: .+ for riscv64, and the phone's processors are x86_64/,
    );
    const aab = zipOf(['BundleConfig.pb', 'base/manifest/AndroidManifest.xml'].map((name) => ({ name, bytes: Buffer.from('x') }))); // prettier-ignore
    const { status, message } = await upload(aab);
    expect(status).to.equal(400);
    expect(message).to.contain('bundletool build-apks --bundle=app.aab --output=app.apks');
    expect((await world.api.get('/v1/jobs')).body.jobs).to.deep.equal(before);
  });
});

/** An .xapk of the demo app Trails with an expansion file. */
async function xapk(obb: Buffer): Promise<Buffer> {
  const app = 'org.cloudphone.demo.trails';
  const file = `Android/obb/${app}/main.1.${app}.obb`;
  const manifest = {
    xapk_version: 2,
    package_name: app,
    expansions: [{ file, install_location: 'EXTERNAL_STORAGE', install_path: file }],
    split_apks: [{ file: `${app}.apk`, id: 'base' }],
  };
  return zipOf([
    { name: `${app}.apk`, bytes: await readFile(TRAILS), stored: true },
    { name: 'manifest.json', bytes: Buffer.from(JSON.stringify(manifest)) },
    { name: file, bytes: obb, stored: true },
  ]);
}

/** The set of APKs with a changed `toc.pb`. */
async function withToc(change: (toc: Toc) => void): Promise<Buffer> {
  const zip = await ZipFile.open(SET, DEFAULT_APK_LIMITS, new ReadBudget(DEFAULT_APK_LIMITS));
  try {
    const entries: ZipEntry[] = [];
    for (const name of zip.names()) {
      const bytes = await zip.read(name, 1024 ** 2, new ReadBudget(DEFAULT_APK_LIMITS));
      entries.push({ name, bytes: bytes ?? Buffer.alloc(0) });
    }
    const toc = fromBinary(TocSchema, entries.find(({ name }) => name === 'toc.pb')?.bytes ?? Buffer.alloc(0));
    change(toc);
    const changed = Buffer.from(toBinary(TocSchema, create(TocSchema, toc)));
    return zipOf(entries.map((entry) => (entry.name === 'toc.pb' ? { ...entry, bytes: changed } : entry)));
  } finally {
    await zip.close();
  }
}
