import { expect } from 'chai';
import { until } from '../../testing/until.js';
import { shellOf } from '../network/phone-shell.js';
import { AdbClient } from '../relay/adb-client.js';
import { startWorld, type World } from '../world.js';
import { NEEDS_ADB, skip } from '../../testing/skip.js';

describe('the UiAutomator2 server on a device', () => {
  let world: World;
  let adb: AdbClient | undefined;

  before(async () => {
    world = await startWorld({ residentHelpers: true });
    await world.api.createPhone({ name: 'phone' });
  });
  after(async () => {
    await adb?.close();
    await world.close();
  });

  const shell = (script: string): Promise<string> => shellOf(world.database, 'phone', script);
  const pid = () => shell('pidof io.appium.uiautomator2.server || true');
  const observe = async () => (await world.api.get('/v1/devices/phone/observe')).body.observation;
  async function running(): Promise<number> {
    const metric = world.metrics.getSingleMetric('screen_resident_servers');
    return (await metric?.get())?.values[0]?.value ?? 0;
  }
  async function run(): Promise<void> {
    await until(async () => {
      await observe();
      return (await running()) === 1;
    });
  }

  it('reads trees, and is no app of the device', async () => {
    // Without the clock of the launcher, which may go on meanwhile.
    const elements = async () =>
      (await observe()).elements.filter(({ resource_id: id }: { resource_id?: string }) => !id?.endsWith('/clock'));
    const dumped = await elements();
    await run();
    expect(await elements()).to.deep.equal(dumped);
    const { apps } = (await world.api.get('/v1/devices/phone/apps?limit=100')).body;
    expect(apps.map((app: { package: string }) => app.package).join()).not.to.contain('appium');
    expect(await shell('pm list packages appium')).to.contain('io.appium.uiautomator2.server');
  });

  it('does not run while a snapshot is taken, and not in its clone', async () => {
    await run();
    const accepted = await world.api.post('/v1/devices/phone/snapshots', {});
    const job = (await world.api.get(`/v1/jobs/${accepted.body.job.id as string}?wait_s=60`)).body.job;
    expect(job).to.include({ state: 'done' });
    expect((await pid()).trim()).to.equal('');
    await run();
  });

  it('ends before a customer gets the phone over adb, and stays away', async function () {
    if (!AdbClient.isThere()) skip(this, NEEDS_ADB);
    await run();
    const { adb: relay } = (await world.api.post('/v1/devices/phone/adb', { allow: ['127.0.0.1'] })).body;
    const serial = `${relay.host as string}:${relay.port as string}`;
    adb = await AdbClient.start();
    await adb.run('connect', serial);
    const login = await adb.run('-s', serial, 'shell', 'service-login', relay.code as string);
    expect(login.stdout).to.equal('login ok\n');
    expect((await pid()).trim()).to.equal('');
    // The customer's own run of a server goes on while the service observes.
    const theirs = adb.run('-s', serial, 'shell', 'am', 'instrument', '-w', COMPONENT);
    await until(async () => (await pid()).trim() !== '');
    expect(await running()).to.equal(0);
    await shell('am force-stop io.appium.uiautomator2.server');
    await theirs;
    expect((await observe()).elements).not.to.equal(undefined);
    expect(await running()).to.equal(0);
  });
});

const COMPONENT = 'io.appium.uiautomator2.server.test/androidx.test.runner.AndroidJUnitRunner';
