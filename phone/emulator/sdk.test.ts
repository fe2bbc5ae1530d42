import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { AndroidHome } from '../../testing/emulator/android-home.js';
import { skip } from '../../testing/skip.js';
import { whyNoNamespace } from './namespace.js';
import { EmulatorSdk } from './sdk.js';
import { parseSystemImage } from './system-image.js';

describe('an Android SDK on a host', () => {
  let directory: string;
  let home: AndroidHome;
  const sdk = (kvm = '/dev/null'): EmulatorSdk =>
    new EmulatorSdk({
      home: home.path,
      environment: { PATH: process.env['PATH'] ?? '', ANDROID_HOME: home.path },
      kvm,
    });

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'sdk-'));
    home = new AndroidHome(join(directory, 'sdk'));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  it('has no obstacle where the emulator says that it can run', async () => {
    expect(await sdk().hostObstacle()).to.equal(undefined);
    expect(await sdk().imageObstacle(AndroidHome.image)).to.equal(undefined);
  });

  it('has one line for each obstacle', async () => {
    expect(await sdk(join(directory, 'kvm')).hostObstacle()).to.match(/\/kvm is missing: turn virtualization on/);
    home.behave({
      accel: { status: 8, reason: '/dev/kvm is not found: VT disabled in BIOS or KVM kernel module not loaded' },
    });
    expect(await sdk().hostObstacle()).to.equal(
      '/dev/null cannot be used: "emulator -accel-check" ends with status 8 (/dev/kvm is not found: VT disabled in BIOS or KVM kernel module not loaded)',
    );
    home.behave({ lacks: ['-android-serialno'] });
    expect(await sdk().hostObstacle()).to.equal(
      'the emulator has no option -android-serialno: update it with "sdkmanager emulator"',
    );
    rmSync(join(home.path, 'emulator', 'emulator'));
    expect(await sdk().hostObstacle()).to.match(/emulator is missing: install it with "sdkmanager emulator"/);
  });

  it('has an obstacle where the device may not be opened', async function () {
    if (process.getuid?.() === 0) skip(this, 'root may open every file');
    const kvm = join(directory, 'kvm');
    writeFileSync(kvm, '');
    chmodSync(kvm, 0o000);
    expect(await sdk(kvm).hostObstacle()).to.match(/may not be opened by this user: add it to the group kvm/);
  });

  it('has an obstacle for an image that is not there, or of another processor', async () => {
    const missing = AndroidHome.image.replace('34', '35');
    expect(await sdk().imageObstacle(missing)).to.equal(
      `${home.path}/${missing.replaceAll(';', '/')}/ has no system.img: install it with "sdkmanager '${missing}'"`,
    );
    expect(await sdk().imageObstacle('system-images;android-34;google_apis;mips')).to.match(/is not for this machine/);
    expect(await sdk().imageObstacle('system-images;..;x;x86_64')).to.match(/is not of the form/);
  });

  it('has another digest for another version of an image', async () => {
    const image = sdk().image(AndroidHome.image);
    const digest = await sdk().digest(image);
    expect(digest).to.match(/^sha256:[0-9a-f]{64}$/);
    expect(await sdk().digest(image)).to.equal(digest);
    writeFileSync(join(home.path, image.folder, 'source.properties'), 'Pkg.Revision=15\nAndroidVersion.ApiLevel=34\n');
    expect(await sdk().digest(image)).not.to.equal(digest);
  });

  it('finds the folder of an image by its package', () => {
    expect(parseSystemImage('system-images;android-34-ext8;google_apis_playstore;arm64-v8a')).to.deep.equal({
      platform: 'android-34-ext8',
      tag: 'google_apis_playstore',
      abi: 'arm64-v8a',
      folder: 'system-images/android-34-ext8/google_apis_playstore/arm64-v8a/',
    });
    for (const name of ['', 'android-34', 'system-images;a;b', 'system-images;a;b;../c', 'system-images;a;b;c;d'])
      expect(parseSystemImage(name), name).to.equal(undefined);
  });

  it('has one line where no namespace can be made', async () => {
    expect(await whyNoNamespace({ folder: join(directory, 'none'), seen: directory, isRoot: true })).to.match(
      /^a network namespace cannot be made: run the service as root.*\)$/,
    );
  });
});
