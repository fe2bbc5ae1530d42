import { expect } from 'chai';
import { KEY } from '../ui/key-codes.js';
import { keyboardKeys } from './keyboard-keys.js';
import { OnScreenKeyboard } from './on-screen-keyboard.js';
import { NAVIGATION_HEIGHT } from './system-bars.js';
import { ScreenWorld } from '../../testing/phone/screen-world.js';

async function opened(component: string, extras: Record<string, string> = {}): Promise<ScreenWorld> {
  const world = new ScreenWorld();
  world.screen.home();
  world.screen.launch({ component, extras });
  await world.settle(1500);
  return world;
}

const textOf = async (world: ScreenWorld, id: string): Promise<string | undefined> =>
  (await world.find(id)).attributes['text'];

/** Taps the key with this label on the keyboard, wherever it is drawn. */
function tapKey(world: ScreenWorld, label: string, page: 'letters' | 'signs' | 'more' = 'letters'): void {
  const height = 640;
  const tall = OnScreenKeyboard.heightFor(height);
  const area = { left: 0, top: height - NAVIGATION_HEIGHT - tall, width: 360, height: tall };
  const key = keyboardKeys(area, page, 'off', 'check').find((known) => known.label === label);
  if (!key) throw new Error(`no key ${label}`);
  world.tap((key.box.left + key.box.width / 2) * 2, (key.box.top + key.box.height / 2) * 2);
}

describe('input', () => {
  it('brings the keyboard up for a field and types the tapped keys', async () => {
    const world = await opened('com.cloudphone.lab/.Form');
    expect(world.screen.keyboardShown).to.equal(false);
    await world.tapOn('name');
    expect(world.screen.keyboardShown).to.equal(true);
    for (const letter of ['a', 'd', 'a']) tapKey(world, letter);
    tapKey(world, '?123');
    tapKey(world, '4', 'signs');
    tapKey(world, 'ABC', 'signs');
    tapKey(world, 'space');
    tapKey(world, 'x');
    tapKey(world, 'delete');
    expect(world.screen.focusedField).to.include({ package: 'com.cloudphone.lab', text: 'Ada4 ', password: false });
  });

  it('keeps the keyboard out of the dump, and the app above it', async () => {
    const world = await opened('com.cloudphone.lab/.Form');
    await world.tapOn('name');
    const nodes = await world.nodes();
    expect(nodes.every(({ attributes }) => attributes['package'] === 'com.cloudphone.lab')).to.equal(true);
    const scroll = await world.find('scroll');
    expect(scroll.bounds.bottom).to.be.below(800);
  });

  it('scrolls a field that would be covered to above the keyboard', async () => {
    const world = await opened('com.cloudphone.lab/.Form');
    await world.tapOn('about');
    const { bounds, attributes } = await world.find('about');
    expect(attributes['focused']).to.equal('true');
    expect(bounds.bottom).to.be.at.most((await world.find('scroll')).bounds.bottom);
    expect(bounds.bottom - bounds.top).to.be.greaterThan(40);
  });

  it('puts the keyboard away with BACK before it leaves the screen', async () => {
    const world = await opened('com.cloudphone.lab/.Form');
    await world.tapOn('name');
    world.press(KEY.BACK);
    expect(world.screen.keyboardShown).to.equal(false);
    expect(world.screen.foreground.activity).to.equal('.Form');
    world.press(KEY.BACK);
    expect(world.screen.foreground.package).to.equal('com.cloudphone.launcher');
  });

  it('takes hardware keys: letters, shift, moving, deleting, cut and paste', async () => {
    const world = await opened('com.cloudphone.lab/.Form');
    await world.tapOn('name');
    world.screen.key({ code: KEY.SHIFT_LEFT, phase: 'down' });
    world.press(36);
    world.screen.key({ code: KEY.SHIFT_LEFT, phase: 'up' });
    world.press(37, KEY.SPACE, 8, 77);
    expect(await textOf(world, 'name')).to.equal('Hi 1@');
    world.press(KEY.DEL, KEY.MOVE_HOME, KEY.FORWARD_DEL, KEY.MOVE_END, KEY.DPAD_LEFT, 30);
    expect(await textOf(world, 'name')).to.equal('i b1');
    world.screen.key({ code: KEY.CTRL_LEFT, phase: 'down' });
    world.press(29, 52);
    world.screen.key({ code: KEY.CTRL_LEFT, phase: 'up' });
    expect(world.screen.focusedField?.text).to.equal('');
    expect(world.screen.clipboard).to.equal('i b1');
    world.press(KEY.PASTE, KEY.PASTE);
    expect(world.screen.focusedField?.text).to.equal('i b1i b1');
  });

  it('commits and clears text as an input method does', async () => {
    const world = await opened('com.cloudphone.lab/.Form');
    expect(world.screen.commitText('nobody listens')).to.equal(false);
    await world.tapOn('name');
    expect(world.screen.commitText('Zoë 😀 李')).to.equal(true);
    expect(await textOf(world, 'name')).to.equal('Zoë 😀 李');
    world.press(KEY.DEL, KEY.DEL, KEY.DEL);
    expect(world.screen.focusedField?.text).to.equal('Zoë ');
    expect(world.screen.clearText()).to.equal(true);
    expect(await textOf(world, 'name')).to.equal('Name');
  });

  it('hides a password in the dump and knows it is one', async () => {
    const world = await opened('com.cloudphone.lab/.Form');
    await world.tapOn('password');
    world.screen.commitText('secret');
    const { attributes } = await world.find('password');
    expect([attributes['text'], attributes['password']]).to.deep.equal(['••••••', 'true']);
    expect(world.screen.focusedField).to.include({ package: 'com.cloudphone.lab', text: 'secret', password: true });
  });

  it('walks from field to field with ENTER and TAB', async () => {
    const world = await opened('com.cloudphone.lab/.Form');
    await world.tapOn('name');
    world.press(KEY.ENTER);
    expect((await world.find('email')).attributes['focused']).to.equal('true');
    world.press(KEY.TAB);
    expect((await world.find('password')).attributes['focused']).to.equal('true');
  });

  it('presses the focused view with the direction pad', async () => {
    const world = await opened('com.cloudphone.lab/.Main');
    world.press(KEY.DPAD_DOWN, KEY.DPAD_CENTER);
    await world.settle(500);
    expect(world.screen.foreground.activity).to.equal('.Animation');
  });

  it('presses long after half a second, and then does not tap', async () => {
    const world = await opened('com.cloudphone.lab/.List');
    world.screen.touch({ phase: 'down', x: 300, y: 400, pointer: 0 });
    world.clock.turn(499);
    expect(await Promise.resolve(world.screen.settlesAtMs)).to.equal(undefined);
    world.clock.turn(2);
    world.screen.touch({ phase: 'up', x: 300, y: 400, pointer: 0 });
    expect(await textOf(world, 'tapped')).to.match(/^Row \d+ held$/);
  });

  it('does not tap when the finger slides away or the touch is cancelled', async () => {
    const world = await opened('com.cloudphone.lab/.Spinner');
    const { bounds } = await world.find('tap');
    const [x, y] = [(bounds.left + bounds.right) / 2, (bounds.top + bounds.bottom) / 2];
    world.screen.touch({ phase: 'down', x, y, pointer: 0 });
    world.screen.touch({ phase: 'cancel', x, y, pointer: 0 });
    world.screen.touch({ phase: 'down', x, y, pointer: 0 });
    world.screen.touch({ phase: 'move', x, y: y - 300, pointer: 0 });
    world.screen.touch({ phase: 'up', x, y: y - 300, pointer: 0 });
    expect(await textOf(world, 'count')).to.equal('Taps: 0');
    world.tap(x, y);
    expect(await textOf(world, 'count')).to.equal('Taps: 1');
  });

  it('scrolls 500 rows with a fling and makes only the rows in view', async () => {
    const world = await opened('com.cloudphone.lab/.List');
    const rows = async (): Promise<number[]> =>
      (await world.nodes()).flatMap(({ attributes }) => {
        const match = /^Row (\d+)$/.exec(attributes['text'] ?? '');
        return match ? [Number(match[1])] : [];
      });
    expect((await rows())[0]).to.equal(1);
    world.swipe([360, 1000], [360, 400], 100);
    const coastingAt = world.screen.revision;
    await world.settle(100);
    expect(world.screen.revision).to.be.greaterThan(coastingAt);
    await world.settle(4000);
    const after = await rows();
    expect(after[0]).to.be.greaterThan(12);
    expect(after.length).to.be.below(20);
    for (let at = 0; at < 200; at++) world.swipe([360, 1000], [360, 300], 40);
    await world.settle(4000);
    expect((await rows()).at(-1)).to.equal(500);
  });

  it('drags without a fling when the finger rests before it lifts', async () => {
    const world = await opened('com.cloudphone.lab/.List');
    world.screen.touch({ phase: 'down', x: 360, y: 900, pointer: 0 });
    world.screen.touch({ phase: 'move', x: 360, y: 600, pointer: 0 });
    world.clock.turn(300);
    world.screen.touch({ phase: 'up', x: 360, y: 600, pointer: 0 });
    expect(world.screen.settlesAtMs).to.equal(undefined);
  });

  it('scrolls the inner strip sideways and the page down', async () => {
    const world = await opened('com.cloudphone.lab/.NestedScroll');
    const before = (await world.find('Card 1.3')).bounds;
    const below = (await world.find('Group 2')).bounds;
    world.swipe([600, before.top + 40], [300, before.top + 40], 800);
    await world.settle(2000);
    const aside = (await world.find('Card 1.3')).bounds;
    expect(aside.left).to.be.below(before.left - 200);
    expect(aside.top).to.equal(before.top);
    world.swipe([360, 600], [360, 450], 800);
    await world.settle(2000);
    expect((await world.find('Group 2')).bounds.top).to.be.below(below.top - 100);
  });

  it('follows several fingers at the same time', async () => {
    const world = await opened('com.cloudphone.lab/.Touches');
    world.screen.touch({ phase: 'down', x: 200, y: 500, pointer: 0 });
    world.screen.touch({ phase: 'down', x: 500, y: 800, pointer: 1 });
    expect(await textOf(world, 'touch_state')).to.match(/^Fingers: 2, at most 2, last 250/);
    world.screen.touch({ phase: 'up', x: 200, y: 500, pointer: 0 });
    world.screen.touch({ phase: 'up', x: 500, y: 800, pointer: 1 });
    expect(await textOf(world, 'touch_state')).to.match(/^Fingers: 0, at most 2/);
  });

  it('changes the volume and shows it for a while', async () => {
    const world = await opened('com.cloudphone.lab/.Form');
    const before = world.screen.capture().data;
    world.press(KEY.VOLUME_UP, KEY.VOLUME_UP);
    expect(world.settings.get('system', 'volume_music')).to.equal('9');
    expect(world.screen.capture().data.equals(before)).to.equal(false);
    world.clock.turn(3001);
    expect(world.screen.capture().data.equals(before)).to.equal(true);
  });

  it('moves a list by the finger that began last, when two are on it', async () => {
    const other = new ScreenWorld();
    other.screen.home();
    other.screen.launch({ component: 'com.cloudphone.lab/.List' });
    await other.settle(500);
    const topOf = async () => (await other.find('Row 5')).bounds.top;
    const before = await topOf();
    const touch = (phase: 'down' | 'move' | 'up', y: number, pointer: number) =>
      other.screen.touch({ phase, x: 300 + 60 * pointer, y, pointer });
    touch('down', 1000, 0);
    touch('move', 950, 0);
    touch('down', 1000, 1);
    touch('move', 950, 1);
    touch('move', 700, 0);
    other.clock.turn(200);
    touch('up', 700, 0);
    touch('up', 950, 1);
    await other.settle(500);
    expect(before - (await topOf())).to.equal(100);
  });
});
