import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { runScript } from '../../../testing/phone/run-script.js';
import { sharedDrawing } from '../../../testing/phone/screen-world.js';
import { startPhone, TEST_IDENTITY } from '../../../testing/phone/start-phone.js';
import type { SimulatedPhoneOptions } from '../../phone/phone-options.js';
import { builtInApps } from '../../host/built-in-apps.js';
import { createScreen } from '../../screen/simulated-screen.js';

const fixture = (name: string): Promise<Buffer> =>
  readFile(fileURLToPath(new URL(`../../../../phone/apk/fixtures/${name}`, import.meta.url)));
const PHONE: Partial<SimulatedPhoneOptions> = {
  identity: { ...TEST_IDENTITY, model: { ...TEST_IDENTITY.model, screen: { width: 720, height: 1280, density: 320 } } },
  createScreen: (system) => createScreen(system, { drawing: sharedDrawing, apps: builtInApps }),
};
const VIEW = 'android.intent.action.VIEW';

describe('intents for installed apps', () => {
  let world: Awaited<ReturnType<typeof startPhone>>;
  before(async () => {
    world = await startPhone(PHONE);
    await install('links-shop.apk');
    await install('links-map.apk');
  });
  after(() => world.stop());

  const run = (script: string, stdin?: Buffer): ReturnType<typeof runScript> =>
    runScript(world.phone.machine, script, { ...(stdin && { stdin }) });
  const install = async (name: string): Promise<void> => {
    const bytes = await fixture(name);
    expect((await run(`cmd package install -S ${bytes.length}`, bytes)).stdout).to.equal('Success\n');
  };
  const front = (): string => {
    const { package: name, activity } = world.phone.machine.screen.foreground;
    return `${name}/${activity}`;
  };
  const shown = async (): Promise<string> => (await run('uiautomator dump /dev/tty')).stdout;
  const open = async (data: string): Promise<string> => {
    const { stdout, stderr, status } = await run(`am start -a ${VIEW} -d '${data}'`);
    return status === 0 ? front() : stdout + stderr;
  };

  it('are opened with the whole address by the app that takes them', async () => {
    expect(await open('shop://x?a=b&c=d%20e&f=g#h')).to.equal('com.example.shop/.Open');
    expect(await shown()).to.contain('text="shop://x?a=b&amp;c=d%20e&amp;f=g#h"');
  });

  it('are opened by no app where none takes them, or one keeps its activity to itself', async () => {
    expect(await open('hidden://x')).to.match(/Error: Activity not started, unable to resolve Intent/);
    expect(await open('nobody://x')).to.match(/Error: Activity not started, unable to resolve Intent/);
    const { stderr, status } = await run('am start -n com.example.shop/.Hidden');
    expect(stderr).to.contain('Permission Denial').and.contain('not exported from uid');
    expect(status).to.equal(255);
  });

  it('of web addresses are opened by the app of the site, or else by the browser', async () => {
    expect(await open('https://shop.example.com/item/7')).to.equal('com.example.shop/.Open');
    expect(await open('https://shop.example.com/about')).to.equal('com.cloudphone.browser/.Main');
    // The site does not confirm the app.
    expect(await open('https://map.example.com/')).to.equal('com.cloudphone.browser/.Main');
    await run(`am start -a ${VIEW} -d https://map.example.com/ com.example.map`);
    expect(front()).to.equal('com.example.map/.Map');
  });

  it('that several apps take are opened by the one that is chosen', async () => {
    expect(await open('geo:52.5,13.4')).to.equal('android/com.android.internal.app.ResolverActivity');
    const [, left, top, right, bottom] =
      /text="Map"[^>]*bounds="\[(\d+),(\d+)\]\[(\d+),(\d+)\]"/.exec(await shown()) ?? [];
    await run(`input tap ${(Number(left) + Number(right)) / 2} ${(Number(top) + Number(bottom)) / 2}`);
    expect(front()).to.equal('com.example.map/.Map');
    expect(await shown()).to.contain('text="geo:52.5,13.4"');
    await run('input keyevent BACK');
    expect(front()).to.not.contain('ResolverActivity');
    await run(`am start -a ${VIEW} -d geo:1,2 -p com.example.shop`);
    expect(front()).to.equal('com.example.shop/.Open');
  });

  it('are looked up', async () => {
    const resolved = async (words: string): Promise<string> =>
      (await run(`cmd package resolve-activity --brief ${words}`)).stdout.split('\n').at(-2) ?? '';
    expect(await resolved(`-a ${VIEW} -d shop://x`)).to.equal('com.example.shop/.Open');
    expect(await resolved(`-a ${VIEW} -d geo:1,2`)).to.equal('android/com.android.internal.app.ResolverActivity');
    expect(await resolved(`-a ${VIEW} -d nobody:x`)).to.equal('No activity found');
    expect(await resolved(`-a ${VIEW} -t image/png`)).to.equal('com.example.shop/.Picture');
    expect(await resolved('com.example.notes')).to.equal('com.example.notes/.MainActivity');
    const { stdout } = await run(`pm query-activities --components -a ${VIEW} -d geo:1,2`);
    expect(stdout).to.equal('com.example.map/.Map\ncom.example.shop/.Open\n');
    expect((await run(`pm query-activities -a ${VIEW} -d nobody:x`)).stdout).to.equal('No activities found\n');
  });

  it('with options that Android does not have are refused', async () => {
    for (const command of [
      `am start --nosuch -a ${VIEW}`,
      'am broadcast -Q',
      'pm resolve-activity --nosuch x',
      'pm install --nosuch x',
    ]) {
      const { stderr, status } = await run(command);
      expect({ command, status }).to.deep.equal({ command, status: 255 });
      expect(stderr).to.match(/java\.lang\.IllegalArgumentException: Unknown option:? -/);
    }
  });

  it('keep their filters over a restart', async () => {
    await world.phone.shutdown();
    const { directory } = world;
    const again = await startPhone({ ...PHONE, directory });
    const { stdout } = await runScript(again.phone.machine, `pm query-activities --components -a ${VIEW} -d shop:x`);
    expect(stdout).to.equal('com.example.shop/.Open\n');
    await again.stop();
  });
});
