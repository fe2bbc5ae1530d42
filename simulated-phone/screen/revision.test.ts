import { expect } from 'chai';
import { ScreenWorld } from '../../testing/phone/screen-world.js';

/** Whether two pictures are the same, pixel for pixel. */
const same = (world: ScreenWorld, before: Buffer): boolean => world.screen.capture().data.equals(before);

async function opened(component: string, extras: Record<string, string> = {}): Promise<ScreenWorld> {
  const world = new ScreenWorld();
  world.screen.home();
  world.screen.launch({ component, extras });
  await world.settle(400);
  return world;
}

describe('the revision', () => {
  it('stays the same while nothing on the screen changes', async () => {
    const world = new ScreenWorld();
    world.screen.home();
    await world.settle(1000);
    const { revision } = world.screen;
    const { data } = world.screen.capture();
    await world.settle(20_000);
    expect(world.screen.revision).to.equal(revision);
    expect(same(world, data)).to.equal(true);
  });

  it('grows when the minute in the status bar turns', async () => {
    const world = new ScreenWorld();
    world.screen.home();
    await world.settle(1000);
    const { revision } = world.screen;
    await world.settle(60_000);
    expect(world.screen.revision).to.equal(revision + 1);
  });

  it('differs between all pictures of an animation, and equal numbers mean equal pictures', async () => {
    const world = await opened('com.cloudphone.lab/.Animation', { ms: '300' });
    await world.tapOn('run_900');
    const seen = new Map<number, Buffer>();
    for (let ms = 0; ms < 1200; ms += 7) {
      const { revision, data } = world.screen.capture({ scale: 0.25 });
      const before = seen.get(revision);
      if (before) expect(before.equals(data), `revision ${revision} at ${ms} ms`).to.equal(true);
      seen.set(revision, data);
      world.clock.turn(7);
    }
    expect(seen.size).to.be.greaterThan(20);
    const last = world.screen.revision;
    world.clock.turn(5000);
    expect(world.screen.revision).to.equal(last);
  });

  it('does not grow for a setting of the same value', async () => {
    const world = await opened('com.cloudphone.lab/.Spinner');
    const still = await opened('com.cloudphone.lab/.Form');
    const { revision } = still.screen;
    still.settings.put('system', 'some_other', '1');
    expect(still.screen.revision).to.equal(revision);
    const spinning = world.screen.revision;
    world.clock.turn(100);
    expect(world.screen.revision).to.be.greaterThan(spinning);
  });

  it('blinks the caret twice a second and no more often', async () => {
    const world = await opened('com.cloudphone.lab/.Caret');
    await world.settle(1000);
    const { revision } = world.screen;
    for (let at = 0; at < 100; at++) {
      world.clock.turn(50);
      expect(world.screen.revision).to.be.at.least(revision);
    }
    expect(world.screen.revision - revision).to.equal(10);
  });

  it('runs no timer without listeners, also while something moves', async () => {
    const world = await opened('com.cloudphone.lab/.Spinner');
    await world.settle(1000);
    expect(world.clock.timers).to.equal(0);
    const stop = world.screen.onChange(() => undefined);
    expect(world.clock.timers).to.equal(1);
    stop();
    expect(world.clock.timers).to.equal(0);
  });

  it('notifies listeners of a moving screen at most 60 times a second', async () => {
    const world = await opened('com.cloudphone.clock/.Main', { tab: 'stopwatch' });
    await world.tapOn('start_stop');
    let notified = 0;
    const stop = world.screen.onChange(() => {
      notified += 1;
    });
    for (let at = 0; at < 1000; at++) world.clock.turn(1);
    stop();
    expect(notified).to.be.within(50, 61);
  });

  it('notifies a listener of a tap’s effect once the app has finished with it', async () => {
    const world = await opened('com.cloudphone.lab/.Spinner');
    world.screen.launch({ component: 'com.cloudphone.lab/.Form' });
    await world.settle(2000);
    const revisions: number[] = [];
    world.screen.onChange(() => revisions.push(world.screen.revision));
    world.tap(360, 240);
    expect(revisions).to.deep.equal([]);
    world.clock.turn(1);
    expect(revisions).to.deep.equal([world.screen.revision]);
  });

  it('knows the true end of an animation and of content that is late', async () => {
    const world = await opened('com.cloudphone.lab/.Animation', { ms: '100' });
    await world.settle(2000);
    expect(world.screen.settlesAtMs).to.equal(undefined);
    world.screen.launch({ component: 'com.cloudphone.lab/.Animation', extras: { ms: '900' } });
    const begunMs = world.clock.monotonicMs();
    expect(world.screen.settlesAtMs).to.equal(begunMs + 900);
    world.clock.turn(901);
    expect(world.screen.settlesAtMs).to.equal(undefined);
    world.screen.launch({
      component: 'com.cloudphone.lab/.SecondPaint',
      extras: { first_ms: '100', second_ms: '400' },
    });
    expect(world.screen.settlesAtMs).to.equal(world.clock.monotonicMs() + 500);
    world.screen.launch({ component: 'com.cloudphone.lab/.Spinner' });
    world.clock.turn(1000);
    expect(world.screen.settlesAtMs).to.equal(undefined);
  });

  it('has no window animations when the scales are zero', async () => {
    const world = new ScreenWorld();
    world.screen.home();
    await world.settle(1000);
    for (const key of ['window_animation_scale', 'transition_animation_scale']) world.settings.put('global', key, '0');
    world.screen.launch({ component: 'com.cloudphone.lab/.Main' });
    const { revision, data } = world.screen.capture();
    world.clock.turn(2000);
    expect(world.screen.revision).to.equal(revision);
    expect(same(world, data)).to.equal(true);
  });
});
