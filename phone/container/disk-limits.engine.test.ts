import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { QUOTA_DISK_KINDS, QuotaDisk } from '../../testing/quota-disk.js';
import { skip } from '../../testing/skip.js';
import { containerOf, ContainerWorld } from './testing/container-world.js';

const MIB = 1024 ** 2;
/** The disk of the tests has room for several such phones, and not for ten times one of them. */
const MAX_MIB = 48;
/** The text of a write without room: ext4 names the quota, XFS the disk. */
const NO_ROOM = /No space left on device|Disk quota exceeded/;

for (const kind of QUOTA_DISK_KINDS) {
  describe(`phones in containers on ${kind} with project quotas`, function () {
    let world: ContainerWorld;
    let disk: QuotaDisk;

    before(async function () {
      const model = { diskMb: MAX_MIB, privileged: false, capabilities: ['NET_ADMIN'] };
      const started = await ContainerWorld.start(model, async (folder) => {
        const mounted = await QuotaDisk.mount(kind, join(folder, 'data'));
        if (typeof mounted === 'string') throw new Error(mounted);
        disk = mounted;
      }).catch(String);
      if (typeof started !== 'string') world = started;
      else skip(this, started);
    });
    // The engine's end takes all mounts below its folder away.
    after(() => (world as ContainerWorld | undefined)?.close());

    /** Writes a file as the user of the shell, who has no rights of root. Returns what the program says. */
    const write = (phoneId: string, mib: number, name = 'file'): Promise<string> =>
      world.engine
        .cli(
          'exec',
          '--user',
          '2000',
          containerOf(phoneId),
          ...words(`dd if=/dev/zero of=/data/own/${name} bs=1M count=${mib} 2>&1 | cat`),
        )
        .catch(String);
    const words = (command: string): string[] => ['busybox', 'sh', '-c', command];
    const startOwn = async (phoneId: string): Promise<void> => {
      await world.driver.start(phoneId);
      await world.inside(phoneId, 'mkdir -p /data/own && chmod 777 /data/own');
    };
    const sizeMib = async (phoneId: string): Promise<number> => {
      const { blocks, bsize } = await statfs(world.dataOf(phoneId));
      return (blocks * bsize) / MIB;
    };

    it('have no more room than their models have, and do not notice each other', async () => {
      const [one, other] = [await world.create(), await world.create()];
      await startOwn(one.phoneId);
      await startOwn(other.phoneId);
      expect(await write(one.phoneId, 10 * MAX_MIB)).to.match(NO_ROOM);
      expect(await world.driver.usedBytes?.(one.phoneId)).to.be.at.most((MAX_MIB + 1) * MIB);
      // The phone sees a disk of its size that is full.
      expect(await world.inside(one.phoneId, 'df -m /data | tail -n 1')).to.match(new RegExp(`\\s${MAX_MIB}\\s.*100%`));
      expect(await write(other.phoneId, 16)).not.to.match(NO_ROOM);
      expect((await world.driver.inspect(one.phoneId)).state).to.equal('running');
      expect((await world.driver.inspect(other.phoneId)).state).to.equal('running');
      await world.inside(one.phoneId, 'rm /data/own/file');
      expect(await write(one.phoneId, 8)).not.to.match(NO_ROOM);
      for (const { phoneId } of [one, other]) await world.driver.delete(phoneId);
    });

    it('keep the limit through snapshots, restores, clones and moves, and free it when they are deleted', async () => {
      const { driver } = world;
      const { phoneId } = await world.create();
      await startOwn(phoneId);
      await write(phoneId, 24);
      await driver.stop(phoneId, 'save');
      await driver.snapshots?.take(phoneId, 'snap_1');
      const clone = world.spec('clone');
      await driver.snapshots?.clone('snap_1', clone);
      // Old and new data are there together for a while, and are more than the size of the phone.
      await driver.snapshots?.restore(phoneId, 'snap_1');
      for (const id of [phoneId, clone.phoneId]) {
        await startOwn(id);
        expect(await sizeMib(id)).to.equal(MAX_MIB);
        expect(await write(id, MAX_MIB, 'more')).to.match(NO_ROOM);
        await driver.stop(id, 'save');
      }
      expect((await disk.projects()).used).to.have.length(2);

      const { moves } = driver;
      await driver.delete(clone.phoneId);
      const moved = { phoneId, snapshotIds: [] };
      await moves?.unpack('job_1', moves.pack(moved));
      await driver.delete(phoneId);
      await moves?.arrive('job_1');
      await startOwn(phoneId);
      expect(await sizeMib(phoneId)).to.equal(MAX_MIB);
      expect(await write(phoneId, MAX_MIB, 'more')).to.match(NO_ROOM);
      await driver.stop(phoneId, 'save');

      await driver.delete(phoneId);
      await driver.snapshots?.delete('snap_1');
      expect(await disk.projects()).to.deep.equal({ used: [], limited: [] });
    });
  });
}
