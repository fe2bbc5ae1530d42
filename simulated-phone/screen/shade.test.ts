import { expect } from 'chai';
import { ScreenWorld } from '../../testing/phone/screen-world.js';

const HOME_KEY = 3;
const BACK_KEY = 4;
const NOTIFICATION_KEY = 83;
const SLEEP_KEY = 223;

describe('the notification shade', () => {
  let world: ScreenWorld;
  beforeEach(async () => {
    world = new ScreenWorld();
    world.screen.home();
    await world.settle(500);
  });

  const post = (title: string, tag = title): void => {
    world.screen.notifications.post({
      package: 'com.cloudphone.lab',
      tag,
      title,
      text: `About ${title}`,
      target: { component: 'com.cloudphone.lab/.Notifications' },
      extras: { opened: title },
    });
  };
  const titles = () => world.screen.notifications.list().map(({ title }) => title);
  const pull = async (): Promise<void> => {
    world.swipe([360, 5], [360, 500], 150);
    await world.settle(500);
  };
  const middle = async (wanted: string): Promise<[number, number]> => {
    const { bounds } = await world.find(wanted);
    return [(bounds.left + bounds.right) / 2, (bounds.top + bounds.bottom) / 2];
  };

  it('opens by a swipe from the top, with the nodes that Android has', async () => {
    post('News');
    await pull();
    expect(world.screen.shadeOpen).to.equal(true);
    const nodes = await world.nodes();
    const ids = nodes.map(({ attributes }) => attributes['resource-id']);
    expect(ids).to.include.members([
      'com.android.systemui:id/notification_stack_scroller',
      'com.android.systemui:id/expandableNotificationRow',
      'com.android.systemui:id/dismiss_text',
      'android:id/app_name_text',
      'android:id/title',
      'android:id/text',
    ]);
    expect(new Set(nodes.map(({ attributes }) => attributes['package']))).to.deep.equal(
      new Set(['com.android.systemui']),
    );
    expect((await world.find('title')).attributes['text']).to.equal('News');
  });

  it('does not open by a tap at the top or a swipe that begins below it', async () => {
    world.tap(360, 10);
    world.swipe([360, 120], [360, 600], 150);
    await world.settle(500);
    expect(world.screen.shadeOpen).to.equal(false);
  });

  for (const [how, close] of Object.entries({
    'a swipe up': () => world.swipe([360, 1000], [360, 400], 150),
    'a tap beside the rows': () => world.tap(360, 1100),
    BACK: () => world.press(BACK_KEY),
    HOME: () => world.press(HOME_KEY),
    'the end of the light': () => world.press(SLEEP_KEY),
    'the key that opened it': () => world.press(NOTIFICATION_KEY),
  })) {
    it(`closes by ${how}`, async () => {
      world.press(NOTIFICATION_KEY);
      await world.settle(500);
      expect(world.screen.shadeOpen).to.equal(true);
      close();
      await world.settle(500);
      expect(world.screen.shadeOpen).to.equal(false);
      expect(world.screen.foreground.activity).to.equal('.Home');
    });
  }

  it('opens the app of a row that is tapped, and drops the row', async () => {
    post('News');
    await pull();
    await world.tapOn('News');
    expect(world.screen.shadeOpen).to.equal(false);
    expect(world.screen.foreground).to.deep.equal({ package: 'com.cloudphone.lab', activity: '.Notifications' });
    expect((await world.find('state')).attributes['text']).to.equal('Opened by News');
    expect(titles()).to.deep.equal([]);
  });

  it('drops a row that is swiped to the side, but not one that is moved a little', async () => {
    post('One');
    post('Two');
    await pull();
    const [, y] = await middle('One');
    world.swipe([200, y], [300, y], 600);
    await world.settle(300);
    expect(titles()).to.deep.equal(['Two', 'One']);
    world.swipe([150, y], [600, y], 200);
    await world.settle(300);
    expect(titles()).to.deep.equal(['Two']);
  });

  it('is emptied by Clear all', async () => {
    for (let at = 0; at < 12; at++) post(`Number ${at}`);
    await pull();
    await world.tapOn('dismiss_text');
    expect(titles()).to.deep.equal([]);
    await pull();
    expect((await world.find('no_notifications')).attributes['text']).to.equal('No notifications');
  });

  it('scrolls when there are many, from the newest to the oldest', async () => {
    for (let at = 0; at < 12; at++) post(`Number ${at}`);
    await pull();
    expect((await world.find('title')).attributes['text']).to.equal('Number 11');
    world.swipe([360, 1000], [360, 400], 500);
    await world.settle(1500);
    expect(world.screen.shadeOpen).to.equal(true);
    const texts = (await world.nodes()).map(({ attributes }) => attributes['text']);
    expect(texts).not.to.include('Number 11');
  });

  it('replaces a message with the same tag, and keeps fifty', () => {
    post('First', 'same');
    post('Second', 'same');
    expect(titles()).to.deep.equal(['Second']);
    for (let at = 0; at < 60; at++) post(`Number ${at}`);
    expect(titles()).to.have.length(50);
    expect(titles()[0]).to.equal('Number 59');
  });

  it('switches settings by its tiles', async () => {
    await pull();
    await world.tapOn('Auto-rotate');
    expect(world.settings.get('system', 'accelerometer_rotation')).to.equal('0');
    const tile = (await world.nodes()).find(({ attributes }) => attributes['content-desc'] === 'Auto-rotate');
    expect(tile?.attributes).to.include({ class: 'android.widget.Switch', checkable: 'true', checked: 'false' });
  });

  it('shows notifications that apps post while they are not in front', async () => {
    world.screen.launch({ component: 'com.cloudphone.lab/.Notifications' });
    await world.settle(400);
    await world.tapOn('notify_later');
    world.press(HOME_KEY);
    await world.settle(4000);
    expect(titles()).to.deep.equal(['Lab: late']);
  });
});
