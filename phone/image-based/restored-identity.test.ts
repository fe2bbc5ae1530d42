import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { systemClock } from '../../kit/async/clock.js';
import { pathExists } from '../files/path-exists.js';
import type { ImageBasedDriver } from './driver.js';
import { failureOf } from './testing/image-based-world.js';
import { driverOf, specOf, TestEngine } from './testing/test-engine.js';

/** The file with the key from which Android computes the ANDROID_ID of each app. */
const KEY = 'data/system/users/0/settings_ssaid.xml';

describe('the identity of an image-based phone that is restored', () => {
  let directory: string;
  let driver: ImageBasedDriver;
  const pathOf = (path: string): string => join(directory, 'phones', path);
  /** Returns what the phone has of the source: the key, and an ANDROID_ID that its next start replaces. */
  const stateOf = async (phoneId: string): Promise<{ key: boolean; cloned: boolean; mark: string }> => {
    const { cloned = false } = JSON.parse(await readFile(pathOf(`${phoneId}/phone.json`), 'utf8')) as {
      cloned?: boolean;
    };
    const mark = await readFile(pathOf(`${phoneId}/data/mark`), 'utf8');
    return { key: await pathExists(pathOf(`${phoneId}/${KEY}`)), cloned, mark };
  };

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'restored-'));
    driver = driverOf({ engine: new TestEngine(), directory, clock: systemClock });
    await driver.open();
    for (const phoneId of ['ph_source', 'ph_of_pool']) {
      await driver.create(specOf(phoneId));
      await mkdir(join(pathOf(`${phoneId}/${KEY}`), '..'), { recursive: true });
      await writeFile(pathOf(`${phoneId}/${KEY}`), phoneId);
      await writeFile(pathOf(`${phoneId}/data/mark`), phoneId);
    }
    await driver.snapshots.take('ph_source', 'tpl_1');
  });
  afterEach(async () => {
    await driver.close();
    await rm(directory, { recursive: true, force: true });
  });

  it('is its own after a restore to the snapshot of another phone, also when that is repeated', async () => {
    for (let times = 0; times < 2; times++) {
      await driver.snapshots.restore('ph_of_pool', 'tpl_1', { forgetIdentity: true });
      expect(await stateOf('ph_of_pool')).to.deep.equal({ key: false, cloned: true, mark: 'ph_source' });
    }
  });

  it('is to be replaced as soon as the data may be that of another phone', async () => {
    const aborted = AbortSignal.abort(new Error('the service closes'));
    const options = { forgetIdentity: true, signal: aborted };
    expect(await failureOf(driver.snapshots.restore('ph_of_pool', 'tpl_1', options))).not.to.equal('no failure');
    expect(await stateOf('ph_of_pool')).to.deep.equal({ key: true, cloned: true, mark: 'ph_of_pool' });
  });

  it('stays after a restore to a snapshot of its own', async () => {
    await driver.snapshots.restore('ph_source', 'tpl_1');
    expect(await stateOf('ph_source')).to.deep.equal({ key: true, cloned: false, mark: 'ph_source' });
  });
});
