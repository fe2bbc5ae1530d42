import { expect } from 'chai';
import { phoneApps } from '../host/built-in-apps.js';
import { EXTRA_APPS } from '../../testing/phone/extra-apps.js';
import { createDrawing } from '../ui/drawing.js';
import { KEY } from '../ui/key-codes.js';
import { ScreenWorld } from '../../testing/phone/screen-world.js';

async function home(options: ConstructorParameters<typeof ScreenWorld>[0] = {}): Promise<ScreenWorld> {
  const world = new ScreenWorld(options);
  world.screen.home();
  await world.settle(1000);
  return world;
}

async function opened(component: string, extras: Record<string, string> = {}): Promise<ScreenWorld> {
  const world = await home();
  world.screen.launch({ component, extras });
  await world.settle(1500);
  return world;
}

/** Returns how many different colours a picture has, and its pixels. */
function colors(world: ScreenWorld): { count: number; at: (x: number, y: number) => string } {
  const { data, width } = world.screen.capture();
  const found = new Set<number>();
  for (let at = 0; at < data.length; at += 4) found.add(data.readUInt32LE(at));
  const at = (x: number, y: number): string =>
    `#${data.subarray((y * width + x) * 4, (y * width + x) * 4 + 3).toString('hex')}`;
  return { count: found.size, at };
}

const components = phoneApps(EXTRA_APPS).flatMap((app) =>
  Object.keys(app.activities).map((name) => `${app.package}/${name}`),
);

describe('a simulated screen', () => {
  it('is black until it boots, and shows something at each stage', async () => {
    const world = new ScreenWorld();
    expect(colors(world).count).to.equal(1);
    const seen: Buffer[] = [];
    for (const stage of ['kernel', 'system', 'apps'] as const) {
      world.screen.showBoot(stage);
      expect(colors(world).count).to.be.greaterThan(10);
      seen.push(world.screen.capture().data);
    }
    world.screen.home();
    await world.settle(1000);
    seen.push(world.screen.capture().data);
    for (const [at, picture] of seen.entries()) {
      expect(seen.findIndex((other) => other.equals(picture))).to.equal(at);
    }
  });

  it('has another window in focus for each activity and dialog, and the same one after the dialog', async () => {
    const world = await home();
    const launcher = world.screen.focusedWindow;
    expect(launcher).to.match(/^[0-9a-f]{7}$/);
    world.screen.launch({ component: 'com.cloudphone.lab/.Dialogs', extras: {} });
    await world.settle(1500);
    const activity = world.screen.focusedWindow;
    await world.tapOn('alert');
    await world.settle(1500);
    const dialog = world.screen.focusedWindow;
    expect(new Set([launcher, activity, dialog]).size).to.equal(3);
    world.press(KEY.BACK);
    await world.settle(1500);
    expect(world.screen.focusedWindow).to.equal(activity);
  });

  it('draws the launcher at both sizes, of few colours apart from edges', async () => {
    for (const [width, height, density] of [
      [720, 1280, 320],
      [1080, 2400, 420],
    ] as const) {
      const world = await home({ width, height, density });
      const frame = world.screen.capture();
      expect([frame.width, frame.height, frame.data.length]).to.deep.equal([width, height, width * height * 4]);
      const { count, at } = colors(world);
      expect(count).to.be.within(50, 5000);
      expect(at(2, Math.round(height * 0.3))).to.equal('#1d3f66');
    }
  });

  it('draws again at another scale instead of shrinking', async () => {
    const world = await home();
    const half = world.screen.capture({ scale: 0.5 });
    expect([half.width, half.height, half.data.length]).to.deep.equal([360, 640, 360 * 640 * 4]);
    const jpeg = await world.screen.captureJpeg({ width: 360, height: 640, quality: 70 });
    expect(jpeg.subarray(0, 3).toString('hex')).to.equal('ffd8ff');
  });

  it('opens an app from a tap on its icon and comes back by each of the bar’s buttons', async () => {
    const world = await home();
    await world.tapOn('Lab');
    expect(world.screen.foreground).to.deep.equal({ package: 'com.cloudphone.lab', activity: '.Main' });
    world.tap(158, 1236);
    await world.settle(500);
    expect(world.screen.foreground.package).to.equal('com.cloudphone.launcher');
    await world.tapOn('Notes');
    world.tap(360, 1236);
    await world.settle(500);
    expect(world.screen.foreground.activity).to.equal('.Home');
    world.tap(562, 1236);
    await world.settle(500);
    expect(world.screen.foreground.activity).to.equal('.Recents');
    await world.tapOn('Notes');
    expect(world.screen.foreground.package).to.equal('com.cloudphone.notes');
  });

  it('reports launches as am does', async () => {
    const world = await home();
    const { screen } = world;
    expect(screen.launch({ component: 'com.cloudphone.lab/.Nothing' })).to.deep.equal({ kind: 'no-such-activity' });
    expect(screen.launch({ package: 'com.nobody' })).to.deep.equal({ kind: 'unresolved' });
    expect(screen.launch({ action: 'android.intent.action.DANCE' })).to.deep.equal({ kind: 'unresolved' });
    const started = screen.launch({ component: 'com.cloudphone.lab/com.cloudphone.lab.Form' });
    expect(started).to.deep.equal({ kind: 'started', component: 'com.cloudphone.lab/.Form', waitMs: 250 });
    expect(screen.launch({ component: 'com.cloudphone.lab/.Form' }).kind).to.equal('brought-to-front');
    screen.launch({ action: 'android.settings.WIFI_SETTINGS' });
    expect(screen.foreground).to.deep.equal({ package: 'com.cloudphone.settings', activity: '.Network' });
    screen.forceStop('com.cloudphone.settings');
    expect(screen.foreground.package).to.equal('com.cloudphone.lab');
    screen.forceStop('com.cloudphone.lab');
    expect(screen.foreground.activity).to.equal('.Home');
  });

  it('brings an app that is opened by its icon to the front as it was left', async () => {
    const { screen } = await home();
    screen.launch({ component: 'com.cloudphone.notes/.Main' });
    screen.launch({ component: 'com.cloudphone.notes/.Edit' });
    screen.launch({ component: 'com.cloudphone.launcher/.Home' });
    const opened = screen.launch({ component: 'com.cloudphone.notes/.Main', byIcon: true });
    expect(opened).to.deep.equal({ kind: 'brought-to-front', component: 'com.cloudphone.notes/.Edit' });
    screen.launch({ component: 'com.cloudphone.notes/.Main' });
    expect(screen.foreground.activity).to.equal('.Main');
  });

  it('logs an app that is opened by a tap', async () => {
    const world = await home();
    await world.tapOn('Lab');
    expect(world.logged).to.include.members([
      'I ActivityTaskManager: START u0 {cmp=com.cloudphone.lab/.Main} from uid 10085',
      'I ActivityTaskManager: Displayed com.cloudphone.lab/.Main for user 0: +250ms',
    ]);
  });

  it('opens every activity of every app', async () => {
    const world = await home();
    for (const component of components) {
      expect(world.screen.launch({ component }).kind, component).to.be.oneOf(['started', 'brought-to-front']);
      await world.settle(100);
      world.screen.capture();
    }
  });

  it('shows nothing of a secure window in pictures, and everything in the dump', async () => {
    const world = await opened('com.cloudphone.lab/.Secure');
    expect(world.screen.secure).to.equal(true);
    expect(colors(world).count).to.equal(1);
    expect((await world.find('secure_note')).attributes['text']).to.contain('secure');
    const { revision } = world.screen;
    await world.tapOn('pin');
    expect(world.screen.revision).to.equal(revision);
    await world.tapOn('leave');
    expect(colors(world).count).to.be.greaterThan(50);
  });

  it('goes dark and comes back with the power key', async () => {
    const world = await home();
    const before = world.screen.capture().data;
    world.press(KEY.POWER);
    expect(world.screen.awake).to.equal(false);
    expect(colors(world).count).to.equal(1);
    world.tap(360, 1100);
    world.press(KEY.WAKEUP);
    expect(world.screen.awake).to.equal(true);
    expect(world.screen.capture().data.equals(before)).to.equal(true);
    world.press(KEY.SLEEP, KEY.SLEEP);
    expect(world.screen.awake).to.equal(false);
  });

  it('turns and lays out anew', async () => {
    const world = await opened('com.cloudphone.lab/.Form');
    world.settings.put('system', 'accelerometer_rotation', '0');
    world.settings.put('system', 'user_rotation', '1');
    await world.settle(1500);
    const { screen } = world;
    expect([screen.rotation, screen.width, screen.height]).to.deep.equal([1, 1280, 720]);
    const frame = screen.capture();
    expect([frame.width, frame.height]).to.deep.equal([1280, 720]);
    const xml = await world.xml();
    expect(xml).to.contain('<hierarchy rotation="1">');
    const field = await world.find('name');
    expect(field.bounds.right).to.be.within(1200, 1280);
    world.settings.put('system', 'user_rotation', '0');
    expect([screen.rotation, screen.width]).to.deep.equal([0, 720]);
  });

  it('takes another size and density from wm', async () => {
    const world = await opened('com.cloudphone.lab/.Form');
    const { right } = (await world.find('name')).bounds;
    world.screen.setSizeOverride({ width: 480, height: 800 });
    world.screen.setDensityOverride(160);
    const frame = world.screen.capture();
    expect([frame.width, frame.height]).to.deep.equal([480, 800]);
    expect((await world.find('name')).bounds.right).to.equal(460);
    world.screen.setSizeOverride(undefined);
    world.screen.setDensityOverride(undefined);
    expect((await world.find('name')).bounds.right).to.equal(right);
  });

  it('grows text with the font scale', async () => {
    const world = await opened('com.cloudphone.settings/.Main');
    const before = (await world.find('Display')).bounds;
    world.settings.put('system', 'font_scale', '1.3');
    const after = (await world.find('Display')).bounds;
    expect(after.bottom - after.top).to.be.greaterThan(before.bottom - before.top);
  });

  it('shows the time of the exit’s zone', async () => {
    const world = await opened('com.cloudphone.clock/.Main');
    expect((await world.find('clock')).attributes['text']).to.equal('10:30, Thursday, January 15');
    expect((await world.find('time_zone')).attributes['text']).to.equal('Europe/Berlin');
  });

  it('opens an installed package with its name and icon, and closes it when it is removed', async () => {
    const world = await home();
    world.install({
      package: 'org.example.weather',
      label: 'Weather',
      versionName: '2.1',
      versionCode: 21,
      system: false,
      launcherActivity: 'org.example.weather/.ui.Main',
      firstInstallTimeMs: 0,
      lastUpdateTimeMs: 0,
    });
    await world.tapOn('Weather');
    expect(world.screen.foreground).to.deep.equal({ package: 'org.example.weather', activity: '.ui.Main' });
    expect((await world.find('version')).attributes['text']).to.equal('Version 2.1 (21)');
    world.uninstall('org.example.weather');
    await world.settle(500);
    expect(world.screen.foreground.package).to.equal('com.cloudphone.launcher');
    expect((await world.nodes()).some(({ attributes }) => attributes['text'] === 'Weather')).to.equal(false);
  });

  it('keeps no canvas of its own', async () => {
    const drawing = createDrawing();
    for (let at = 0; at < 5; at++) (await home({ drawing })).screen.capture();
    expect(drawing.pool.keptCount).to.equal(1);
  });

  it('lets go of everything when it is switched off', async () => {
    const world = await opened('com.cloudphone.clock/.Main', { tab: 'stopwatch' });
    world.screen.onChange(() => undefined);
    world.tap(360, 600);
    world.screen.dispose();
    expect(world.clock.timers).to.equal(0);
    expect(colors(world).count).to.equal(1);
  });
});
