import { expect } from 'chai';
import { ScreenWorld } from '../../testing/phone/screen-world.js';
import type { HeldFrames } from '../memory/held-frames.js';
import type { Machine } from '../machine/machine.js';
import { ElementCommands } from './element-commands.js';

const ID = 'element-6066-11e4-a52e-4f735466cecf';

describe('elements of the UiAutomator2 server', () => {
  let world: ScreenWorld;
  let commands: ElementCommands;
  beforeEach(async () => {
    world = new ScreenWorld();
    world.screen.home();
    world.screen.launch({ component: 'com.cloudphone.notes/.Main', extras: {} });
    await world.settle(1_500);
    const frames: Pick<HeldFrames, 'hold'> = { hold: (_, use) => use() };
    const machine = { screen: world.screen, clock: world.clock, faults: { captureDelayMs: 0 }, frames };
    const seen = () => world.screen.elements() ?? [];
    commands = new ElementCommands(machine as unknown as Machine, seen, new AbortController().signal);
  });

  const ask = (method: string, path: string, body: object = {}): Promise<unknown> =>
    commands.handle(method, path.split('/'), body as Record<string, unknown>);
  const find = async (strategy: string, selector: string, context?: string): Promise<string> =>
    ((await ask('POST', 'element', { strategy, selector, context })) as Record<string, string>)[ID] ?? '';
  const refused = (call: Promise<unknown>): Promise<unknown> =>
    call.then(
      () => 'done',
      (error: unknown) => (error as { code: unknown }).code,
    );
  const click = async (strategy: string, selector: string): Promise<void> => {
    await ask('POST', `element/${await find(strategy, selector)}/click`);
    await world.settle(1_500);
  };

  it('are found by id, description, class and UiSelector, in the order of the screen and inside of others', async () => {
    await click('accessibility id', 'New note');
    const title = await find('id', 'com.cloudphone.notes:id/title');
    expect(await find('id', 'title')).to.equal(title);
    expect(await find('-android uiautomator', 'new UiSelector().resourceId("com.cloudphone.notes:id/title")')).to.equal(
      title,
    );
    expect(await find('class name', 'android.widget.EditText')).to.equal(title);
    const fields = (await ask('POST', 'elements', {
      strategy: 'class name',
      selector: 'android.widget.EditText',
    })) as object[];
    expect(fields).to.have.length(2);
    const second = 'new UiSelector().className("android.widget.EditText").enabled(true).instance(1);';
    expect(await find('-android uiautomator', second)).to.equal(await find('id', 'body'));
    expect(await refused(find('id', 'title', title))).to.equal('no such element');
    const all = 'new UiSelector().descriptionContains("")';
    const root = await find('-android uiautomator', all);
    expect(await find('id', 'title', root)).to.equal(title);
    expect(await refused(find('id', 'none'))).to.equal('no such element');
    expect(await ask('POST', 'elements', { strategy: 'id', selector: 'none' })).to.deep.equal([]);
  });

  it('are tapped, typed into, replaced, cleared and read', async () => {
    await click('accessibility id', 'New note');
    const body = await find('id', 'body');
    await ask('POST', `element/${body}/value`, { text: 'Milk ü' });
    await ask('POST', `element/${body}/value`, { text: ['!'] });
    expect(await ask('GET', `element/${body}/text`)).to.equal('Milk ü!');
    expect(await ask('GET', 'element/active')).to.include({ [ID]: body });
    await ask('POST', `element/${body}/value`, { text: 'Bread', replace: true });
    expect(await ask('GET', `element/${body}/attribute/text`)).to.equal('Bread');
    await ask('POST', `element/${body}/clear`);
    expect(await ask('GET', `element/${body}/text`)).not.to.contain('Bread');
    for (const name of ['displayed', 'enabled', 'focused'])
      expect(await ask('GET', `element/${body}/attribute/${name}`), name).to.equal('true');
    expect(await ask('GET', `element/${body}/attribute/className`)).to.equal('android.widget.EditText');
    expect(await refused(ask('GET', `element/${body}/attribute/colour`))).to.equal('unknown command');
    const rect = (await ask('GET', `element/${body}/rect`)) as { x: number; width: number };
    expect(rect.x + rect.width).to.be.within(1, 720);
    expect(await ask('GET', `element/${body}/size`)).to.include({ width: rect.width });
    const save = await find('id', 'save');
    expect(await refused(ask('POST', `element/${save}/value`, { text: 'x' }))).to.equal('invalid element state');
  });

  it('are stale once their view is not seen any more', async () => {
    const button = await find('accessibility id', 'New note');
    await click('accessibility id', 'New note');
    expect(await refused(ask('POST', `element/${button}/click`))).to.equal('stale element reference');
    expect(await refused(ask('POST', 'element/none/click'))).to.equal('no such element');
  });

  it('are dragged by pointers, of which none stays down after a refusal', async () => {
    const phases: string[] = [];
    const touch = world.screen.touch.bind(world.screen);
    world.screen.touch = (event) => {
      phases.push(`${event.phase} ${event.pointer}`);
      touch(event);
    };
    const button = await find('accessibility id', 'New note');
    const drag = [
      { type: 'pointerMove', duration: 0, x: 0, y: 0, origin: { [ID]: button } },
      { type: 'pointerDown', button: 0 },
      { type: 'pause', duration: 100 },
      { type: 'pointerMove', duration: 200, x: 0, y: -300, origin: 'pointer' },
      { type: 'pointerUp', button: 0 },
    ];
    const dragged = ask('POST', 'actions', { actions: [{ type: 'pointer', id: 'finger', actions: drag }] });
    await world.clock.pass(400, 8);
    await dragged;
    expect(phases[0]).to.equal('down 0');
    expect(phases.at(-1)).to.equal('up 0');
    expect(phases.filter((phase) => phase === 'move 0').length).to.be.within(5, 30);
    phases.length = 0;
    const broken = [...drag.slice(0, 2), { type: 'pointerMove', x: 'left', y: 0 }];
    expect(await refused(ask('POST', 'actions', { actions: [{ type: 'pointer', actions: broken }] }))).to.equal(
      'invalid argument',
    );
    expect(phases).to.deep.equal(['down 0', 'cancel 0']);
  });

  it('are refused in time and size by bounds, and by ways that there are not', async () => {
    const pause = { type: 'pause', duration: 60_001 };
    const halves = [{ type: 'pause', duration: 0 }, pause];
    for (const actions of [
      [],
      {},
      [{ type: 'pointer', actions: halves }],
      [{ type: 'pointer', actions: Array(1_001).fill(pause) }],
      Array(10).fill({ type: 'pointer', actions: Array(101).fill({ type: 'pause', duration: 0 }) }),
      Array(11).fill({ type: 'pointer', actions: [] }),
    ])
      expect(await refused(ask('POST', 'actions', { actions }))).to.equal('invalid argument');
    for (const [strategy, selector] of [
      ['xpath', '//*'],
      ['-android uiautomator', 'new UiScrollable(new UiSelector()).scrollIntoView("x")'],
      ['-android uiautomator', 'new UiSelector().text(x)'],
      ['-android uiautomator', `new UiSelector()${' '.repeat(100_000)}x`],
      ['id', 'x'.repeat(10_000)],
    ] as const)
      expect(await refused(find(strategy, selector)), selector.slice(0, 60)).to.equal('invalid selector');
    expect(await refused(ask('POST', 'element', { strategy: 1 }))).to.equal('invalid argument');
    const field = await find('accessibility id', 'New note');
    expect(await refused(ask('POST', `element/${field}/value`, { text: 'x'.repeat(100_000) }))).to.equal(
      'invalid argument',
    );
    for (const path of ['element/toString', 'constructor', 'element/1/__proto__', 'appium/gestures/fling'])
      expect(await refused(ask('POST', path)), path).to.equal('unknown command');
  });

  it('of which a picture is taken as a PNG', async () => {
    const png = Buffer.from((await ask('GET', 'screenshot')) as string, 'base64');
    expect(png.subarray(1, 4).toString()).to.equal('PNG');
  });
});
