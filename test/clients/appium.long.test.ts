import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { freePort } from '../../testing/free-port.js';
import { NEEDS_ADB, skip } from '../../testing/skip.js';
import { until } from '../../testing/until.js';
import { ToolFolder } from '../generators/tool-folder.js';
import { AdbClient } from '../relay/adb-client.js';
import { startWorld, type World } from '../world.js';
import { ROOT } from './mcp-world.js';

/** The packages of the guide. The driver is the newest one that installs the server that the service itself uses. */
const PACKAGES = ['appium@3.8.0', 'appium-uiautomator2-driver@8.7.0', 'webdriver@9.33.1'];
/** Scripts of packages are not run: one fetches a browser's driver. */
const QUIET = ['--no-audit', '--no-fund', '--no-package-lock', '--ignore-scripts', '--loglevel=error'];

describe('Appium, with its UiAutomator2 driver, through the relay', function () {
  // The test installs a few hundred packages, on machines that do other things too.
  this.timeout(600_000);
  let world: World;
  let folder: ToolFolder;
  let adb: AdbClient | undefined;
  let appium: ChildProcess | undefined;
  let url: string;
  let environment: NodeJS.ProcessEnv;
  before(async function () {
    if (!AdbClient.isThere()) skip(this, NEEDS_ADB);
    folder = new ToolFolder();
    folder.write('package.json', '{"private": true, "type": "module"}');
    await folder.needs(this, "npm's registry", 'npm', ['install', ...QUIET, ...PACKAGES]);
    // The folder stands for an SDK of which only adb is used.
    mkdirSync(folder.at('sdk', 'platform-tools'), { recursive: true });
    const { printed: path } = await folder.run('sh', ['-c', 'command -v adb']);
    symlinkSync(path.trim(), folder.at('sdk', 'platform-tools', 'adb'));
    cpSync(join(ROOT, 'docs', 'samples', 'appium-note.mjs'), folder.at('appium-note.mjs'));

    world = await startWorld();
    await world.api.createPhone({ name: 'demo' });
    adb = await AdbClient.start();
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    environment = {
      ...process.env,
      HOME: folder.path,
      ANDROID_HOME: folder.at('sdk'),
      ANDROID_ADB_SERVER_PORT: String(adb.serverPort),
      APPIUM_HOME: folder.path,
    };
    const words = ['server', '--address', '127.0.0.1', '--port', String(port), '--log-level', 'error'];
    appium = spawn(process.execPath, [folder.at('node_modules', 'appium', 'index.js'), ...words], {
      cwd: folder.path,
      env: environment,
      stdio: 'ignore',
    });
    await until(() => fetch(`${url}/status`).then(({ ok }) => ok, () => false), 60_000); // prettier-ignore
  });
  after(async () => {
    appium?.kill('SIGKILL');
    await adb?.close();
    await (world as World | undefined)?.close();
    (folder as ToolFolder | undefined)?.remove();
  });

  it('writes a note by the program of the guide, and leaves the relay off', async () => {
    const own = { CLOUDPHONE_URL: `${world.mesh.url}/v1`, CLOUDPHONE_KEY: world.key, CLOUDPHONE_DEVICE: 'demo' };
    const { status, printed } = await folder.run('node', ['appium-note.mjs'], {
      env: { ...environment, ...own, APPIUM_URL: url },
    });
    expect(status, printed).to.equal(0);
    expect(printed)
      .to.match(/^login ok$/m)
      .and.match(/^saved: By Appium$/m);
    const { body } = await world.api.get('/v1/devices/demo/observe?screenshot=none');
    expect(JSON.stringify(body.observation.elements)).to.contain('By Appium');
    expect((await world.api.get('/v1/devices/demo/adb')).body.adb.enabled).to.equal(false);
  });

  it('reads the source and a picture, and says which ways to find elements there are', async () => {
    const { body } = await world.api.post('/v1/devices/demo/adb', { allow: ['127.0.0.1'] });
    const serial = await adb?.login(body.adb);
    const ask = async (method: string, path: string, sent?: object): Promise<{ value: unknown }> => {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: { 'content-type': 'application/json' },
        ...(sent && { body: JSON.stringify(sent) }),
      });
      return (await response.json()) as { value: unknown };
    };
    const capabilities = {
      alwaysMatch: {
        platformName: 'Android',
        ...{ 'appium:automationName': 'UiAutomator2', 'appium:udid': serial, 'appium:adbPort': adb?.serverPort },
        ...{ 'appium:noReset': true, 'appium:skipDeviceInitialization': true },
      },
    };
    const { value: begun } = await ask('POST', '/session', { capabilities });
    const session = `/session/${(begun as { sessionId: string }).sessionId}`;
    expect((await ask('GET', `${session}/source`)).value).to.contain('By Appium');
    const png = Buffer.from((await ask('GET', `${session}/screenshot`)).value as string, 'base64');
    expect(png.subarray(1, 4).toString()).to.equal('PNG');
    const refused = await ask('POST', `${session}/element`, { using: 'xpath', value: '//*' });
    expect(refused.value).to.include({ error: 'invalid selector' });
    await ask('DELETE', session);
  });
});
