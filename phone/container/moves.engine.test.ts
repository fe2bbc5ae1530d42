import { expect } from 'chai';
import { skip } from '../../testing/skip.js';
import { failureOf } from '../image-based/testing/image-based-world.js';
import type { PhoneMoves } from '../moves/phone-moves.js';
import { buildImage, ContainerWorld, NEWER_ENTRYPOINT } from './testing/container-world.js';

describe('phones in containers that move from one real engine to another', function () {
  let from: ContainerWorld;
  let to: ContainerWorld;

  before(async function () {
    const started = [await ContainerWorld.start(), await ContainerWorld.start()];
    const [one, other] = started;
    for (const world of started) if (typeof world === 'string') skip(this, world);
    from = one as ContainerWorld;
    to = other as ContainerWorld;
  });
  after(async () => {
    for (const world of [from, to] as (ContainerWorld | undefined)[]) await world?.close();
  });

  const movesOf = (world: ContainerWorld): PhoneMoves => world.driver.moves!;

  it('have their data with its owners, their snapshots and their identity there', async () => {
    const { phoneId } = await from.create();
    const before = await from.driver.start(phoneId);
    await from.inside(phoneId, 'echo precious > /data/kept; chown 1013:1023 /data/kept; chmod 640 /data/kept');
    const android = await from.shell(before, 'settings get secure android_id');
    await from.driver.stop(phoneId, 'save');
    await from.driver.snapshots!.take(phoneId, 'snap_1');
    const moved = { phoneId, snapshotIds: ['snap_1'] };
    await movesOf(to).prepare(await movesOf(from).needs(phoneId));
    const { checksum } = await movesOf(from).describe(moved);
    expect(await movesOf(to).unpack('job_1', movesOf(from).pack(moved))).to.equal(checksum);
    expect([...(await to.driver.list()).keys()]).not.to.include(phoneId);
    await movesOf(to).arrive('job_1');
    await from.driver.delete(phoneId);
    const after = await to.driver.start(phoneId);
    expect(await to.shell(after, 'settings get secure android_id')).to.equal(android);
    expect(await to.inside(phoneId, 'cat /data/kept; busybox stat -c "%u:%g %a" /data/kept')).to.equal(
      'precious\n1013:1023 640\n',
    );
    await to.inside(phoneId, 'rm /data/kept');
    await to.driver.stop(phoneId, 'save');
    await to.driver.snapshots!.check('snap_1');
    await to.driver.snapshots!.restore(phoneId, 'snap_1');
    await to.driver.start(phoneId);
    expect(await to.inside(phoneId, 'cat /data/kept')).to.equal('precious\n');
    await to.driver.delete(phoneId);
  });

  it('are refused by a host that cannot have their image', async () => {
    await buildImage(from.engine, from.folder, {
      from: from.model.image,
      to: 'localhost/other:latest',
      entrypoint: NEWER_ENTRYPOINT,
    });
    from.model = { ...from.model, image: 'localhost/other:latest' };
    await from.reopen();
    const { phoneId } = await from.create();
    const needs = await movesOf(from).needs(phoneId);
    expect(await failureOf(movesOf(to).prepare(needs))).to.match(/image/);
    await from.driver.delete(phoneId);
  });
});
