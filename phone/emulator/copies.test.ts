import { expect } from 'chai';
import { EmulatorWorld, needsNamespaces } from './testing/emulator-world.js';

describe('copies of phones in the emulator', () => {
  let world: EmulatorWorld;

  before(async function () {
    await needsNamespaces(this);
  });
  beforeEach(async () => {
    world = new EmulatorWorld();
    await world.driver.open();
  });
  afterEach(() => world.close());

  const ANDROID_ID = 'settings get secure android_id';

  it('bring a phone back to a snapshot', async () => {
    const { driver } = world;
    await driver.create(world.spec('ph_a'));
    await world.shell(await driver.start('ph_a'), 'echo before > /sdcard/file');
    await driver.stop('ph_a', 'save');
    expect((await driver.snapshots.take('ph_a', 'sn_a')).sizeBytes).to.be.greaterThan(0);
    await world.shell(await driver.start('ph_a'), 'echo after > /sdcard/file');
    await driver.stop('ph_a', 'save');
    await driver.snapshots.check('sn_a');
    await driver.snapshots.restore('ph_a', 'sn_a');
    expect(await world.shell(await driver.start('ph_a'), 'cat /sdcard/file')).to.equal('before');
  });

  it('have an identity and an Android id of their own, at each start the same, beside the running source', async () => {
    const { driver } = world;
    await driver.create(world.spec('ph_a'));
    const first = await driver.start('ph_a');
    await world.shell(first, 'echo mine > /sdcard/file');
    const idOfSource = await world.shell(first, ANDROID_ID);
    await driver.stop('ph_a', 'save');
    await driver.snapshots.take('ph_a', 'sn_a');
    const source = await driver.start('ph_a');
    // The disk images of the copy name each other by the path of the source, which is where the copy sees its own.
    await driver.snapshots.clone('sn_a', world.spec('ph_b'));
    const clone = await driver.start('ph_b');
    expect(await world.shell(clone, 'cat /sdcard/file')).to.equal('mine');
    expect(clone.identity.split('/')[0]).not.to.equal(source.identity.split('/')[0]);
    const id = await world.shell(clone, ANDROID_ID);
    expect(id).to.match(/^[0-9a-f]{16}$/);
    expect(id).not.to.equal(idOfSource);
    expect(await world.shell(source, ANDROID_ID)).to.equal(idOfSource);
    await driver.stop('ph_b', 'save');
    expect(await world.shell(await driver.start('ph_b'), ANDROID_ID)).to.equal(id);
  });
});
