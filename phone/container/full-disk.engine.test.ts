import { execFile } from 'node:child_process';
import { statfsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { skip } from '../../testing/skip.js';
import { NoRoom } from '../files/no-room.js';
import { ContainerWorld } from './testing/container-world.js';

const run = promisify(execFile);
const MIB = 1024 ** 2;

describe('phones in containers whose engine has a full disk', function () {
  let world: ContainerWorld;
  let store: string;
  const mount = (options: string): Promise<unknown> => run('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', store]);
  const resize = (bytes: number): Promise<unknown> => mount(`remount,size=${bytes}`);

  before(async function () {
    const started = await ContainerWorld.start({}, async (folder) => {
      store = join(folder, 'store');
      await mkdir(store);
      await mount('size=4g');
    }).catch((error: unknown) => `needs the right to mount a small disk: ${String(error)}`);
    if (typeof started === 'string') skip(this, started);
    if (started.engine.kind !== 'podman') {
      await started.close();
      skip(this, 'needs podman, whose store is in a folder of the test');
    }
    world = started;
  });
  after(() => (world as ContainerWorld | undefined)?.close());

  it('are not lost, are refused with the reason, and start once there is room', async () => {
    const { phoneId } = await world.create();
    const { freeDiskMb, disks = [] } = await world.driver.capacity();
    expect(disks.map(({ name }) => name)).to.deep.equal(['DATA_DIR', `the container engine (${store})`]);
    expect(freeDiskMb)
      .to.equal(Math.min(...disks.map((disk) => disk.freeDiskMb)))
      .and.to.be.at.most(4_096);

    const { blocks, bfree, bsize } = statfsSync(store);
    await resize((blocks - bfree) * bsize);
    expect((await world.driver.capacity()).freeDiskMb).to.equal(0);
    const failure: unknown = await world.driver.start(phoneId).catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(NoRoom);

    await resize(4_096 * MIB);
    const endpoint = await world.driver.start(phoneId);
    expect(await world.driver.inspect(phoneId)).to.deep.equal({ state: 'running', endpoint });
    await world.driver.delete(phoneId);
  });
});
