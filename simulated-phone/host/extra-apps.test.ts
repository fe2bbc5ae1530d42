import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { systemClock } from '../../kit/async/clock.js';
import { silentLog } from '../../kit/log/log.js';
import { runScript } from '../../testing/phone/run-script.js';
import { until } from '../../testing/until.js';
import type { App } from '../apps/app.js';
import type { SimulatedPhone } from '../phone/phone.js';
import { column, text } from '../apps/toolkit.js';
import { phoneBuilder } from './build-phone.js';

const APK = fileURLToPath(new URL('../../../phone/apk/fixtures/fixture-v2.apk', import.meta.url));

/** An app with the package of the APK. It draws one of the APK's two activities. */
const FIXTURE: App = {
  package: 'com.example.fixture',
  label: 'Drawn',
  launcherActivity: '.Drawn',
  activities: { '.Drawn': ({ extras }) => ({ content: column({}, [text(`It is drawn${extras['how'] ?? ''}`, {})]) }) },
};

describe('apps that a phone has beside its own', () => {
  let directory: string;
  let phone: SimulatedPhone;
  beforeEach(async () => (directory = await mkdtemp(join(tmpdir(), 'extra-apps-'))));
  afterEach(async () => {
    await phone.shutdown();
    await rm(directory, { recursive: true, force: true });
  });

  const boot = async (extraApps: readonly App[]): Promise<void> => {
    const settings = { bootMs: 0, storageBytes: 2 ** 28, allowPrivateTargets: false };
    const build = phoneBuilder({ clock: systemClock, log: silentLog, random: Math.random, extraApps, ...settings });
    const exit = { type: 'direct', country: 'us', timezone: 'America/New_York' };
    phone = build({ phoneId: 'ph_1', name: 'one', model: 'phone-720p', android: '14', exit }, directory);
    await phone.boot();
  };
  const shell = async (script: string): Promise<string> => {
    const { stdout, stderr } = await runScript(phone.machine, script);
    return stdout + stderr;
  };
  const install = async (): Promise<string> => {
    await phone.machine.files.write('/data/local/tmp/x.apk', await readFile(APK));
    return shell('pm install /data/local/tmp/x.apk');
  };
  const shown = async (): Promise<string> => shell('uiautomator dump /dev/tty');

  it('are system apps, which are started and listed, and not uninstalled', async () => {
    await boot([FIXTURE]);
    expect(await shell('pm list packages -s com.example')).to.equal('package:com.example.fixture\n');
    await shell('am start -W -n com.example.fixture/.Drawn --es how " now"');
    expect(await shown()).to.contain('It is drawn now');
    expect(await shell('pm uninstall com.example.fixture')).to.contain('Failure');
  });

  it('draw the screens of an APK with their package, installed before or after, until they are gone', async () => {
    await boot([FIXTURE]);
    expect(await install()).to.contain('Success');
    expect(await shell('pm list packages com.example')).to.equal('package:com.example.fixture\n');
    expect(await shell('pm path com.example.fixture')).to.contain('package:/data/app/');
    await shell('monkey -p com.example.fixture 1');
    expect(await shown()).to.contain('It is drawn');
    await phone.shutdown();

    await boot([]);
    await shell('monkey -p com.example.fixture 1');
    expect(await shown())
      .to.contain('Its code does not run here')
      .and.not.to.contain('It is drawn');
    await phone.shutdown();

    await boot([FIXTURE]);
    await shell('monkey -p com.example.fixture 1');
    expect(await shown()).to.contain('It is drawn');
    expect(await shell('pm uninstall com.example.fixture')).to.contain('Success');
    expect(await shell('pm path com.example.fixture')).to.contain('package:/system/app/');
    await shell('am start -W -n com.example.fixture/.Drawn');
    expect(await shown()).to.contain('It is drawn');
  });

  it('leave the other activities of the APK to its placeholder', async () => {
    await boot([FIXTURE]);
    await install();
    const [, declared = ''] = /(com\.example\.fixture\/\S+)/.exec(await shell('dumpsys package com.example.fixture')) ?? []; // prettier-ignore
    await shell(`am start -W -n ${declared}`);
    expect(await shown()).to.contain('Its code does not run here');
  });

  it('are open again after a snapshot, and are passed over on a phone that does not have them', async () => {
    await boot([FIXTURE]);
    await shell('am start -W -n com.cloudphone.notes/.Main; am start -W -n com.example.fixture/.Drawn');
    // This is the state of a phone that is put back to a snapshot.
    await phone.still(() => Promise.resolve(), directory);
    await phone.shutdown();

    await boot([]);
    await until(() => phone.machine.screen.foreground.package === 'com.cloudphone.notes');
    expect(await shell('pm list packages com.example')).to.equal('');
  });

  it('have no activity by the name of what every object has', async () => {
    await boot([FIXTURE]);
    for (const name of ['constructor', 'toString', '__proto__'])
      expect(await shell(`am start -n com.example.fixture/${name}`)).to.contain('does not exist');
  });
});
