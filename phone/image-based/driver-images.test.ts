import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import pLimit from 'p-limit';
import { systemClock } from '../../kit/async/clock.js';
import { silentLog } from '../../kit/log/log.js';
import type { PhoneSpec } from '../driver.js';
import { ImageBasedDriver } from './driver.js';
import type { EngineImages, FoundPhones, PhoneEngine } from './engine.js';
import { FolderStorage } from './folder-storage.js';
import type { ImageBasedModel } from './model.js';
import { PhoneFolders } from './phone-folders.js';
import { STAND_IN } from './testing/image-based-world.js';

/** The image of the next phone. */
let digest = 'sha256:1';

/** An engine of phones that are off, whose images are compared with the phones. */
class OffEngine implements PhoneEngine {
  readonly kind = 'container' as const;
  found: FoundPhones[] = [];
  readonly images: EngineImages = {
    problems: [],
    ready: () => Promise.resolve(undefined),
    keep: async (find) => void this.found.push(await find()),
  };
  obstacle = (): Promise<undefined> => Promise.resolve(undefined);
  fetchImage = (): Promise<{ digest: string }> => Promise.resolve({ digest });
  forgetIdentity = (): Promise<void> => Promise.resolve();
  powerOn = (): Promise<void> => Promise.resolve();
  powerOff = (): Promise<void> => Promise.resolve();
  power = (): Promise<{ on: false }> => Promise.resolve({ on: false });
  remove = (): Promise<void> => Promise.resolve();
  list = (): Promise<string[]> => Promise.resolve([]);
  openExit = (): Promise<never> => Promise.reject(new Error('the phone is off'));
  lastLines = (): Promise<string> => Promise.resolve('');
  watch = (): void => undefined;
  close = (): Promise<void> => Promise.resolve();

  get kept(): string[] {
    return (this.found.at(-1)?.phones ?? []).map((phone) => phone.digest).sort();
  }
}

describe('the images of phones of a driver', () => {
  let directory: string;
  let engine: OffEngine;
  let driver: ImageBasedDriver;
  /** Holds up the making of a phone. */
  let filling: Promise<void> | undefined;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'driver-images-'));
    engine = new OffEngine();
    filling = undefined;
    digest = 'sha256:1';
    const model: ImageBasedModel = { ...STAND_IN, driver: 'container', image: 'phone:14', pids: 64, binder: false };
    const folders = new PhoneFolders(join(directory, 'phones'));
    const storage = new FolderStorage({ engine, directory, folders });
    const make = storage.make.bind(storage);
    storage.make = async (...words) => (await filling, make(...words));
    driver = new ImageBasedDriver({
      ...{ engine, storage, directory, boots: pLimit(1), clock: systemClock, log: silentLog },
      models: { value: [model], close: () => undefined },
      connectSocket: (host, port) => connect({ host, port }),
    });
    await driver.open();
  });

  afterEach(async () => {
    await driver.close();
    await rm(directory, { recursive: true, force: true });
  });

  const spec = (phoneId: string): PhoneSpec => ({
    ...{ phoneId, name: phoneId, model: STAND_IN.model, android: '14' },
    exit: { type: 'direct', country: 'us', timezone: 'UTC' },
  });

  it('include that of a phone that is being made while another is deleted', async () => {
    await driver.create(spec('ph_1'));
    digest = 'sha256:2';
    let fill = (): void => undefined;
    filling = new Promise((resolve) => (fill = resolve));
    const creating = driver.create(spec('ph_2'));
    await driver.delete('ph_1');
    expect(engine.kept).to.deep.equal(['sha256:2']);
    fill();
    await creating;
    await driver.create(spec('ph_3'));
    await driver.delete('ph_3');
    expect(engine.found.at(-1)).to.have.property('complete', true);
    expect(engine.kept).to.deep.equal(['sha256:2']);
  });

  it('are kept where the description of one phone is damaged, and none is given up then', async () => {
    for (const phoneId of ['ph_1', 'ph_2', 'ph_3']) await driver.create(spec(phoneId));
    await writeFile(join(directory, 'phones', 'ph_2', 'phone.json'), '{');
    await driver.delete('ph_3');
    expect(engine.found.at(-1)).to.have.property('complete', false);
    expect(engine.kept).to.deep.equal(['sha256:1']);
  });
});
