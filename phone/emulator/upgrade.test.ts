import { expect } from 'chai';
import { AndroidHome } from '../../testing/emulator/android-home.js';
import { failureOf } from '../image-based/testing/image-based-world.js';
import { failedCheck } from '../upgrades/compare-facts.js';
import type { PhoneUpgrades } from '../upgrades/phone-upgrades.js';
import { EmulatorWorld, MODEL, needsNamespaces } from './testing/emulator-world.js';

const NEWER = AndroidHome.image.replace('android-34', 'android-35');

describe('phones in the emulator that get another system image', () => {
  let world: EmulatorWorld;
  let upgrades: PhoneUpgrades;

  before(async function () {
    await needsNamespaces(this);
  });
  beforeEach(async () => {
    world = new EmulatorWorld();
    await world.driver.open();
    upgrades = world.driver.upgrades!;
    await world.driver.create(world.spec('ph_a'));
    await world.shell(await world.driver.start('ph_a'), 'echo before > /sdcard/file');
  });
  afterEach(() => world.close());

  it('boot with it and their data, or go back to the old one', async () => {
    const { driver } = world;
    const before = await upgrades.survey('ph_a');
    await driver.stop('ph_a', 'save');
    world.sdk.addImage(NEWER, { android: '15', level: 35 });
    world.models.value = [{ ...MODEL, android: ['15'], systemImage: NEWER }];
    expect(await upgrades.fetch('ph_a')).to.equal(true);
    await upgrades.keep('ph_a', 'job_1');
    expect(await upgrades.change('ph_a')).to.equal('15');
    const at = await driver.start('ph_a');
    expect(failedCheck(before, await upgrades.survey('ph_a'), '15')).to.equal(undefined);
    expect(await world.shell(at, 'cat /sdcard/file; echo after > /sdcard/file')).to.equal('before');
    await driver.stop('ph_a', 'save');
    await upgrades.back('ph_a');
    expect(await world.shell(await driver.start('ph_a'), 'cat /sdcard/file')).to.equal('before');
    expect(await upgrades.survey('ph_a')).to.deep.equal(before);
  });

  it('are refused where it was put in the place of the old one', async () => {
    expect(await upgrades.fetch('ph_a')).to.equal(false);
    world.sdk.addImage(AndroidHome.image, { android: '15', level: 34 });
    expect(await failureOf(upgrades.fetch('ph_a'))).to.contain(
      'PhoneFailure: The system image of the phone was replaced',
    );
  });
});
