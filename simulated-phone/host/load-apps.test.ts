import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { systemClock } from '../../kit/async/clock.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { EXTRA_APPS_FOLDER } from '../../testing/phone/extra-apps.js';
import { ScreenWorld } from '../../testing/phone/screen-world.js';
import { phoneApps } from './built-in-apps.js';
import { loadApps } from './load-apps.js';

const GUIDE = fileURLToPath(new URL('../../../docs/phone.md', import.meta.url));

/** Returns the file of an app with an empty screen, whose parts can be replaced. */
const appFile = (parts: Record<string, string> = {}): string => {
  const app = { package: '"com.example.shop"', label: '"Shop"', activities: '{ ".Main": () => ({ content: ui.column({}, []) }) }', ...parts }; // prettier-ignore
  const properties = Object.entries(app).map(([name, value]) => `${name}: ${value}`);
  return `export default (ui) => ({ ${properties.join(', ')} });`;
};

describe('apps from a folder', () => {
  let folder: string;
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'apps-'))));
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const write = (name: string, text: string): Promise<void> => writeFile(join(folder, name), text);
  const failureOf = (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => 'no failure',
      (error: unknown) => (error as Error).message,
    );

  it('are each .js and .mjs file, in the order of their names; what these import is in folders', async () => {
    await mkdir(join(folder, 'parts.js'));
    await write('parts.js/label.mjs', 'export const label = "Second";');
    await write('b.mjs', `import { label } from './parts.js/label.mjs';\n${appFile({ package: '"com.example.b"', label: 'label' })}`); // prettier-ignore
    await write('a.mjs', appFile());
    await write('package.json', '{"type": "module"}');
    await write('c.js', appFile({ package: '"com.example.c"' }));
    for (const name of ['notes.txt', '.hidden.mjs', 'c.js.map', 'a.d.ts']) await write(name, 'nothing to run');
    const apps = await loadApps(folder, systemClock);
    expect(apps.map((app) => app.package)).to.deep.equal(['com.example.shop', 'com.example.b', 'com.example.c']);
    expect(apps[1]?.label).to.equal('Second');
  });

  it('are none where no folder is named', async () => {
    expect(await loadApps(undefined, systemClock)).to.deep.equal([]);
  });

  it('can do what the apps of the tests do', async () => {
    const [lab] = await loadApps(EXTRA_APPS_FOLDER, systemClock);
    expect(lab?.package).to.equal('com.cloudphone.lab');
  });

  it('of the guide shows a cart, fills it when it is due, and opens by its address', async () => {
    const [, sample = ''] = /```js\n([\s\S]*?)```/.exec(await readFile(GUIDE, 'utf8')) ?? [];
    await write('shop.mjs', sample);
    const world = new ScreenWorld({ apps: phoneApps(await loadApps(folder, systemClock)) });
    world.screen.home();
    await world.settle(1000);
    await world.tapOn('Shop');
    await world.settle(1000);
    await world.tapOn('Add to cart');
    expect((await world.find('cart')).attributes['text']).to.equal('Adding…');
    await world.settle(2000);
    expect((await world.find('cart')).attributes['text']).to.equal('1 in the cart');
    world.screen.launch({ action: 'android.intent.action.VIEW', data: 'shop://product/7' });
    await world.settle(1000);
    expect((await world.find('title')).attributes['text']).to.equal('shop://product/7');
  });

  describe('are refused in one line that names the file', () => {
    const faults: Record<string, [text: string, reason: string]> = {
      'without a default export': ['export const app = 1;', 'its default export is not a function'],
      'that cannot be parsed': ['export default (', 'Unexpected'],
      'that fail': ['export default () => { throw new Error("no\\nluck"); };', 'cannot be loaded: no'],
      'that import what is not there': ['import "../apps/none.mjs";', 'Cannot find module'],
      'that return nothing': ['export default () => undefined;', 'its function does not return an app'],
      'with a wrong package': [appFile({ package: '"shop"' }), 'its package is not a name such as com.example.shop'],
      'with a package without end': [appFile({ package: '"com." + "a".repeat(2230)' }), 'its package is not a name'],
      'without a label': [appFile({ label: '" "' }), 'its label is not one line of 1 to 100 characters'],
      'with a label of two lines': [appFile({ label: '"a\\nb"' }), 'its label is not one line'],
      'with a label without end': [appFile({ label: '"a".repeat(1000)' }), 'its label is not one line'],
      'without activities': [appFile({ activities: '{}' }), 'it has 0 activities'],
      'with activities without end': [
        appFile({ activities: 'Object.fromEntries(Array.from({ length: 2000 }, (_, n) => [`.A${n}`, () => 0]))' }),
        'it has 2000 activities. There are 1 to 200',
      ],
      'with an activity that is none': [appFile({ activities: '{ ".Main": 1 }' }), 'its activity .Main is not a function'], // prettier-ignore
      'with an activity without a point': [appFile({ activities: '{ Main: () => 0 }' }), 'its activity "Main" has no name such as ".Main"'], // prettier-ignore
      'whose launcher activity is missing': [appFile({ launcherActivity: '".Home"' }), 'its launcherActivity is none of its activities: .Main'], // prettier-ignore
      'with an icon that cannot be drawn': [appFile({ drawIcon: '"icon.png"' }), 'its drawIcon is not a function'],
      'with the package of the phone’s own': [
        appFile({ package: '"com.cloudphone.notes"' }),
        'as the phone itself has',
      ],
    };
    for (const [title, [text, reason]] of Object.entries(faults))
      it(title, async () => {
        await write('shop.mjs', text);
        const message = await failureOf(loadApps(folder, systemClock));
        expect(message).to.contain('shop.mjs').and.to.contain(reason).and.not.to.contain('\n');
      });

    it('of which two have one package', async () => {
      await write('a.mjs', appFile());
      await write('b.mjs', appFile());
      const message = await failureOf(loadApps(folder, systemClock));
      expect(message).to.contain('b.mjs has the package com.example.shop, as a.mjs has');
    });

    it('whose code does not end', async () => {
      await write('shop.mjs', 'await new Promise(() => undefined);');
      const clock = new FakeClock();
      const loading = failureOf(loadApps(folder, clock));
      while (clock.timers === 0) await new Promise((resolve) => setImmediate(resolve));
      clock.turn(10_000);
      expect(await loading)
        .to.contain('shop.mjs')
        .and.to.contain('its code takes longer than 10 s');
    });
  });

  it('are 30 at the most, and one at the least', async () => {
    expect(await failureOf(loadApps(folder, systemClock))).to.contain('has no .js or .mjs file');
    for (let at = 0; at < 300; at++)
      await write(`${at}.mjs`, 'export default () => { throw new Error("it was run"); };');
    expect(await failureOf(loadApps(folder, systemClock))).to.contain('300 files. A phone has room for 30 apps');
    await rm(folder, { recursive: true });
    expect(await failureOf(loadApps(folder, systemClock))).to.contain('cannot be read (ENOENT)');
  });
});
