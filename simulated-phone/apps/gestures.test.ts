import { expect } from 'chai';
import { ScreenWorld } from '../../testing/phone/screen-world.js';

describe('gestures in apps', () => {
  let world: ScreenWorld;
  beforeEach(async () => {
    world = new ScreenWorld();
    world.screen.home();
    await world.settle(500);
  });

  const open = async (component: string): Promise<void> => {
    world.screen.launch({ component });
    await world.settle(500);
  };
  const middle = async (wanted: string): Promise<[number, number]> => {
    const { bounds } = await world.find(wanted);
    return [(bounds.left + bounds.right) / 2, (bounds.top + bounds.bottom) / 2];
  };
  const pressLong = async (wanted: string): Promise<void> => {
    const [x, y] = await middle(wanted);
    world.screen.touch({ phase: 'down', x, y, pointer: 0 });
    world.clock.turn(700);
    world.screen.touch({ phase: 'up', x, y, pointer: 0 });
    await world.settle(400);
  };
  const texts = async () => (await world.nodes()).map(({ attributes }) => attributes['text'] ?? '');
  const state = async () => (await world.find('state')).attributes['text'];

  it('a long press opens a menu that acts on its row, and a tap beside it closes it', async () => {
    await open('com.cloudphone.lab/.Gestures');
    expect((await world.nodes()).filter(({ attributes }) => attributes['long-clickable'] === 'true')).to.have.length(5);
    await pressLong('Cheese');
    expect((await texts()).filter((text) => text !== '')).to.deep.equal(['Mark', 'Delete']);
    world.tap(360, 1150);
    await world.settle(300);
    expect(await state()).to.equal('Nothing yet');
    await pressLong('Cheese');
    await world.tapOn('Delete');
    expect(await state()).to.equal('Cheese deleted');
    expect(await texts()).not.to.include('Cheese');
  });

  it('a press that was long enough is long, though the timer is late', async () => {
    await open('com.cloudphone.lab/.Gestures');
    const [x, y] = await middle('Cheese');
    const after = world.clock.after.bind(world.clock);
    world.clock.after = () => ({ cancel: () => undefined });
    world.screen.touch({ phase: 'down', x, y, pointer: 0 });
    world.clock.after = after;
    world.clock.turn(700);
    world.screen.touch({ phase: 'up', x, y, pointer: 0 });
    await world.settle(400);
    expect((await texts()).filter((text) => text !== '')).to.deep.equal(['Mark', 'Delete']);
  });

  it('a press is long after the time that the setting gives', async () => {
    await open('com.cloudphone.lab/.Gestures');
    world.settings.put('secure', 'long_press_timeout', '5000');
    await pressLong('Cheese');
    expect(await texts()).not.to.include('Mark');
  });

  it('a swipe takes a row away, and a vertical one scrolls', async () => {
    await open('com.cloudphone.lab/.Gestures');
    const [, y] = await middle('Bread');
    world.swipe([600, y], [100, y], 200);
    await world.settle(300);
    expect(await state()).to.equal('Bread swiped away');
    const [x, eggs] = await middle('Eggs');
    world.swipe([x, eggs], [x, eggs - 300], 200);
    await world.settle(1000);
    expect(await texts()).to.include('Eggs');
  });

  it('a note is deleted by a swipe, or by the menu of a long press', async () => {
    for (const title of ['Keep', 'Swipe me', 'Press me']) {
      await open('com.cloudphone.notes/.Main');
      await world.tapOn('New note');
      world.screen.commitText(title);
      await world.tapOn('save');
      await world.settle(500);
    }
    expect(await texts()).to.include.members(['Keep', 'Swipe me', 'Press me']);
    const [, y] = await middle('Swipe me');
    world.swipe([150, y], [650, y], 150);
    await world.settle(500);
    expect(await texts()).not.to.include('Swipe me');
    await pressLong('Press me');
    await world.tapOn('Delete');
    await world.settle(500);
    const left = await texts();
    expect(left).to.include('Keep').and.not.include('Press me');
  });

  it('an icon of the home screen has a menu with the app’s page in the settings', async () => {
    await pressLong('Lab');
    await world.tapOn('App info');
    await world.settle(500);
    expect(world.screen.foreground).to.deep.equal({ package: 'com.cloudphone.settings', activity: '.AppInfo' });
  });

  it('a date field is set in a calendar', async () => {
    await open('com.cloudphone.lab/.Gestures');
    await world.tapOn('date');
    expect((await world.find('date_picker_header_date')).attributes['text']).to.equal('Sun 22 Nov');
    await world.tapOn('Next month');
    await world.tapOn('Next month');
    await world.tapOn('28 January 2027');
    await world.tapOn('OK');
    expect(await state()).to.equal('Date 2027-01-28');
    expect((await world.find('date')).attributes['text']).to.equal('28 Jan 2027');
    await world.tapOn('date');
    await world.tapOn('Previous month');
    await world.tapOn('31 December 2026');
    await world.tapOn('Cancel');
    expect(await state()).to.equal('Date 2027-01-28');
  });

  it('text is copied and pasted by the toolbar of a long press', async () => {
    await open('com.cloudphone.lab/.Form');
    await world.tapOn('name');
    world.screen.commitText('Zoë 買');
    await pressLong('name');
    expect(await texts())
      .to.include.members(['Cut', 'Copy', 'Select all'])
      .and.not.include('Paste');
    await world.tapOn('Cut');
    expect(world.screen.clipboard).to.equal('Zoë 買');
    await world.tapOn('email');
    await pressLong('email');
    await world.tapOn('Paste');
    expect((await world.find('email')).attributes['text']).to.equal('Zoë 買');
  });

  it('passwords are not copied', async () => {
    await open('com.cloudphone.lab/.Form');
    await world.tapOn('password');
    world.screen.commitText('secret');
    await pressLong('password');
    expect(await texts()).not.to.include.members(['Copy']);
    expect(world.screen.clipboard).to.equal('');
  });

  it('a message is in the tree for as long as it shows', async () => {
    await open('com.cloudphone.lab/.Dialogs');
    await world.tapOn('toast');
    const dumped = world.screen.dump({ compressed: true });
    await world.clock.pass(1_200, 200);
    const outcome = await dumped;
    const xml = outcome.kind === 'xml' ? outcome.xml : '';
    expect(xml).to.match(
      /<\/node><node index="1" text="Here is a toast" [^>]*class="android.widget.Toast"[^>]*\/><\/hierarchy>$/,
    );
    await world.settle(2_000);
    expect(await world.xml()).not.to.contain('Here is a toast');
  });

  it('two fingers zoom a map and one moves it; a double tap comes closer', async () => {
    await open('com.cloudphone.lab/.Zoom');
    const touch = (phase: 'down' | 'move' | 'up', x: number, y: number, pointer: number) =>
      world.screen.touch({ phase, x, y, pointer });
    touch('down', 300, 600, 0);
    touch('down', 400, 600, 1);
    touch('move', 250, 600, 0);
    touch('move', 450, 600, 1);
    touch('up', 250, 600, 0);
    touch('up', 450, 600, 1);
    expect((await world.find('map')).attributes['content-desc']).to.equal('Map, zoom 2.0');
    world.tap(360, 600);
    world.clock.turn(120);
    world.tap(360, 600);
    expect((await world.find('map')).attributes['content-desc']).to.equal('Map, zoom 4.0');
    world.tap(360, 600);
    world.clock.turn(600);
    world.tap(360, 600);
    expect((await world.find('map')).attributes['content-desc']).to.equal('Map, zoom 4.0');
    const before = world.screen.revision;
    world.swipe([300, 600], [200, 500], 100);
    expect(world.screen.revision).to.be.greaterThan(before);
  });
});
