import { existsSync } from 'node:fs';
import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { skip } from '../../testing/skip.js';
import { failedCheck } from '../upgrades/compare-facts.js';
import type { PhoneUpgrades } from '../upgrades/phone-upgrades.js';
import { failureOf } from '../image-based/testing/image-based-world.js';
import {
  buildImage,
  ContainerWorld,
  NEWER_ENTRYPOINT,
  OLD_ENTRYPOINT,
  SPOILING_ENTRYPOINT,
} from './testing/container-world.js';

describe('phones in containers of a real engine that get another image', function () {
  let world: ContainerWorld;
  let old: string;

  before(async function () {
    const started = await ContainerWorld.start();
    if (typeof started === 'string') skip(this, started);
    world = started;
    old = world.model.image;
    await buildImage(world.engine, world.folder, {
      from: old,
      to: 'localhost/newer:latest',
      entrypoint: NEWER_ENTRYPOINT,
    });
    await buildImage(world.engine, world.folder, {
      from: old,
      to: 'localhost/bad:latest',
      entrypoint: SPOILING_ENTRYPOINT,
    });
  });
  after(() => (world as ContainerWorld | undefined)?.close());

  const upgrades = (): PhoneUpgrades => world.driver.upgrades!;
  async function offer(image: string, android: string): Promise<void> {
    world.model = { ...world.model, image, android: [android] };
    await world.reopen();
  }
  /** Makes a phone of the old image that has a file, and is off. */
  async function made(image = old): Promise<string> {
    await offer(image, '14');
    const { phoneId } = await world.create();
    const at = await world.driver.start(phoneId);
    await world.shell(at, 'echo kept > /sdcard/kept; sync');
    return phoneId;
  }
  const described = (phoneId: string): Promise<string> =>
    readFile(join(world.folder, 'data/phones', phoneId, 'phone.json'), 'utf8');
  const copies = async (): Promise<string[]> =>
    (await readdir(join(world.folder, 'data/kept'))).filter((name) => name !== '.scratch');
  const imageIds = (): Promise<string> => world.engine.cli('images', '--no-trunc', '--format', '{{.ID}}');

  it('boot with it, have their data and apps, and their snapshots of the old image fit', async () => {
    const older = 'localhost/older:latest';
    await buildImage(world.engine, world.folder, {
      from: old,
      to: older,
      entrypoint: [...OLD_ENTRYPOINT, 'ro.older=1'],
    });
    const phoneId = await made(older);
    expect(await upgrades().fetch(phoneId)).to.equal(false);
    const before = await upgrades().survey(phoneId);
    expect(before.android).to.equal('14');
    expect(before.entries).to.include('kept');
    await world.driver.stop(phoneId, 'save');
    await world.driver.snapshots?.take(phoneId, 'snap_old');
    const { digest } = JSON.parse(await described(phoneId)) as { digest: string };

    await offer('localhost/newer:latest', '15');
    expect(await upgrades().fetch(phoneId)).to.equal(true);
    for (let times = 0; times < 2; times++) await upgrades().keep(phoneId, 'job_1');
    for (let times = 0; times < 2; times++) expect(await upgrades().change(phoneId)).to.equal('15');
    expect(await upgrades().fetch(phoneId)).to.equal(false);
    // While there is a copy, the image of it is not given up, although no phone has it, and its own name is gone.
    await world.engine.cli('untag', older);
    const other = await world.create();
    await world.driver.delete(other.phoneId);
    expect(await imageIds()).to.contain(digest.replace('sha256:', ''));

    const at = await world.driver.start(phoneId);
    expect(await world.shell(at, 'cat /sdcard/kept')).to.equal('kept\n');
    const after = await upgrades().survey(phoneId);
    expect(failedCheck(before, after, '15')).to.equal(undefined);
    expect(failedCheck(before, after, '14')).to.contain('the check "version" failed');
    for (let times = 0; times < 2; times++) await upgrades().drop(phoneId);
    expect(await copies()).to.deep.equal([]);
    expect(await imageIds()).not.to.contain(digest.replace('sha256:', ''));

    await world.shell(at, 'echo changed > /sdcard/kept; sync');
    await world.driver.stop(phoneId, 'save');
    await world.driver.snapshots?.restore(phoneId, 'snap_old');
    expect(await world.shell(await world.driver.start(phoneId), 'cat /sdcard/kept')).to.equal('kept\n');
    await world.driver.snapshots?.delete('snap_old');
    await world.driver.delete(phoneId);
  });

  it('go back with their data where they do not boot with it, and nothing of that boot stays', async () => {
    const phoneId = await made();
    await world.driver.stop(phoneId, 'save');
    const before = await described(phoneId);
    await offer('localhost/bad:latest', '15');
    await upgrades().keep(phoneId, 'job_1');
    await upgrades().change(phoneId);
    expect(await failureOf(world.driver.start(phoneId))).to.match(/^PhoneFailure: The phone went off/);
    expect(existsSync(join(world.dataOf(phoneId), 'spoiled'))).to.equal(true);
    for (let times = 0; times < 2; times++) await upgrades().back(phoneId);
    expect(await described(phoneId)).to.equal(before);
    expect(existsSync(join(world.dataOf(phoneId), 'spoiled'))).to.equal(false);
    expect(await copies()).to.deep.equal([]);
    const at = await world.driver.start(phoneId);
    expect(await world.shell(at, 'cat /sdcard/kept; getprop ro.build.version.release')).to.equal('kept\n14\n');
    await world.driver.delete(phoneId);
  });

  it('go back after a crash at each line of the way back, and are never booted in between', async () => {
    const phoneId = await made();
    await world.driver.stop(phoneId, 'save');
    const before = await described(phoneId);
    await offer('localhost/newer:latest', '15');
    const kept = join(world.folder, 'data/kept', phoneId);
    const crashes: (() => Promise<void>)[] = [
      async () => undefined,
      // The new data is moved away.
      () => rename(world.dataOf(phoneId), join(world.folder, 'data/phones/.scratch', `${phoneId}.data`)),
      // The old data is in its place, and the description is not.
      async () => {
        await rename(world.dataOf(phoneId), join(world.folder, 'data/phones/.scratch', `${phoneId}.data`));
        await rename(join(kept, 'data'), world.dataOf(phoneId));
      },
      // All is in its place, and the copy is not removed.
      async () => {
        await rename(world.dataOf(phoneId), join(world.folder, 'data/phones/.scratch', `${phoneId}.data`));
        await rename(join(kept, 'data'), world.dataOf(phoneId));
        await writeFile(join(world.folder, 'data/phones', phoneId, 'phone.json'), before);
      },
    ];
    for (const crash of crashes) {
      await upgrades().keep(phoneId, 'job_1');
      await upgrades().change(phoneId);
      await writeFile(join(world.dataOf(phoneId), 'of-the-new-image'), '');
      await crash();
      await world.reopen();
      await upgrades().back(phoneId);
      expect(await described(phoneId)).to.equal(before);
      expect(existsSync(join(world.dataOf(phoneId), 'of-the-new-image'))).to.equal(false);
      expect(await copies()).to.deep.equal([]);
    }
    expect(await world.shell(await world.driver.start(phoneId), 'cat /sdcard/kept')).to.equal('kept\n');
    await upgrades()
      .keep(phoneId, 'job_1')
      .catch(() => undefined);
    await world.driver.delete(phoneId);
    expect(await copies()).to.deep.equal([]);
  });
});
