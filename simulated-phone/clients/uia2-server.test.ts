import { expect } from 'chai';
import { SERVER_APK_PATH, TEST_APK_PATH } from 'appium-uiautomator2-server';
import { AdbCommand } from '../../testing/phone/adb-command.js';
import { startPhone } from '../../testing/phone/start-phone.js';
import { until } from '../../testing/until.js';
import { NEEDS_ADB, skip } from '../../testing/skip.js';

const COMPONENT = 'io.appium.uiautomator2.server.test/androidx.test.runner.AndroidJUnitRunner';

describe("the UiAutomator2 server on a simulated phone, through Debian's adb", () => {
  let world: Awaited<ReturnType<typeof startPhone>>;
  let adb: AdbCommand;
  let url: string;
  before(async function () {
    world = await startPhone();
    const started = await AdbCommand.start(world.port);
    if (started === undefined) skip(this, NEEDS_ADB);
    adb = started;
    url = `http://127.0.0.1:${(await adb.run('forward', 'tcp:0', 'tcp:6790')).stdout.trim()}`;
  });
  after(async () => {
    await (adb as AdbCommand | undefined)?.stop();
    await world.stop();
  });

  it('has no instrumentation before its APKs are installed', async () => {
    const { stdout, stderr } = await adb.run('shell', 'am', 'instrument', '-w', COMPONENT);
    expect(stdout + stderr).to.contain(`INSTRUMENTATION_FAILED: ${COMPONENT}`);
    expect((await adb.run('shell', 'pm', 'list', 'instrumentation')).stdout).to.equal('');
  });

  it('is installed from its package, and listed', async () => {
    for (const apk of [SERVER_APK_PATH, TEST_APK_PATH])
      expect((await adb.run('install', '-r', '-g', '-t', apk)).stdout).to.contain('Success');
    expect((await adb.run('shell', 'pm', 'list', 'instrumentation')).stdout).to.equal(
      `instrumentation:${COMPONENT} (target=io.appium.uiautomator2.server)\n`,
    );
  });

  it('opens a session, takes settings and returns the source, until the session is deleted', async () => {
    const running = start();
    await listening();
    const { sessionId } = (await call('POST', '/session', { capabilities: { alwaysMatch: { 'x:who': 'me' } } })).body;
    expect((await call('GET', '/sessions')).body.value).to.deep.equal([{ id: sessionId, capabilities: { 'x:who': 'me' } }]); // prettier-ignore
    const settings = { settings: { waitForIdleTimeout: 0 } };
    expect((await call('POST', `/session/${sessionId}/appium/settings`, settings)).status).to.equal(200);
    expect((await call('GET', `/session/${sessionId}/source`)).body.value).to.contain('<hierarchy');
    expect((await call('GET', '/session/other/source')).status).to.equal(404);
    expect((await call('GET', `/session/${sessionId}/element/1/click`)).status).to.equal(404);
    expect((await call('DELETE', `/session/${sessionId}`)).status).to.equal(200);
    expect((await running).stdout).to.contain('OK (1 test)');
    expect((await adb.run('shell', 'pidof', 'io.appium.uiautomator2.server')).stdout).to.equal('');
  });

  it('dies when uiautomator takes the automation connection', async () => {
    const running = start();
    await listening();
    expect((await adb.run('shell', 'uiautomator', 'dump', '/dev/tty')).stdout).to.contain('<hierarchy');
    expect((await running).stdout).to.contain('shortMsg=Process crashed');
  });

  it('fails to read the screen once its am has ended, and goes on until it is stopped by force', async () => {
    const am = adb.spawn('shell', 'am', 'instrument', '-w', COMPONENT);
    await listening();
    const { sessionId } = (await call('POST', '/session', { capabilities: {} })).body;
    am.kill('SIGKILL');
    await until(async () => (await call('GET', `/session/${sessionId}/source`)).status === 500);
    expect((await adb.run('shell', 'pidof', 'io.appium.uiautomator2.server')).stdout).not.to.equal('');
    await adb.run('shell', 'am', 'force-stop', 'io.appium.uiautomator2.server');
    expect((await adb.run('shell', 'pidof', 'io.appium.uiautomator2.server')).stdout).to.equal('');
  });

  function start(): ReturnType<AdbCommand['run']> {
    return adb.run('shell', 'am', 'instrument', '-w', '-e', 'disableAnalytics', 'true', COMPONENT);
  }

  /** Waits until the server listens. The phone itself is asked, as adb leaves a forwarded connection open that the phone refuses. */
  function listening(): Promise<void> {
    return until(() => world.phone.machine.sockets.find('tcp:6790') !== undefined);
  }

  interface Body {
    sessionId: string;
    value: unknown;
  }

  async function call(method: string, path: string, body?: object): Promise<{ status: number; body: Body }> {
    const response = await fetch(`${url}${path}`, { method, ...(body && { body: JSON.stringify(body) }) });
    return { status: response.status, body: (await response.json()) as Body };
  }
});
