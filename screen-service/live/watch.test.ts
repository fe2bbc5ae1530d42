import { ConnectError } from '@connectrpc/connect';
import { expect } from 'chai';
import { systemClock } from '../../kit/async/clock.js';
import { picture } from '../testing/picture.js';
import { type ScreenWorld, screenWorld } from '../testing/screen-world.js';
import { type ScriptedPhone, startScriptedPhone } from '../testing/scripted-phone.js';
import { type WatchRequest, watchStream } from '../testing/watched-stream.js';

describe('a stream of a live screen', () => {
  let phone: ScriptedPhone;
  let world: ScreenWorld;
  const stop: (() => void)[] = [];
  beforeEach(async () => {
    phone = await startScriptedPhone();
    world = screenWorld({ port: phone.adbd.port, limits: { awayMs: 1_200 } });
  });
  afterEach(async () => {
    for (const end of stop.splice(0)) end();
    await world.close();
    await phone.adbd.close();
  });

  function watch(first: WatchRequest = { name: 'phone' }) {
    const stream = watchStream(world, first);
    stop.push(stream.leave);
    return stream;
  }

  it('begins with hello, then the picture', async () => {
    const stream = watch();
    const { value: hello } = await stream.next('hello');
    expect(hello.screen).to.include({ width: 90, height: 160, rotation: 0 });
    const { value } = await stream.next('frame');
    expect(value).to.include({ number: 1, contentType: 'image/jpeg' });
  });

  it('refuses a first message with input, and rules that are broken', async () => {
    const key = { kind: { case: 'key' as const, value: { name: 'home' } } };
    expect(await watch({ name: 'phone', events: [key] }).end()).to.have.property('kind', 'bad_request');
    expect(await watch({ name: 'phone', fps: 0 }).end()).to.have.property('kind', 'bad_request');
    world.refuse = 'forbidden';
    expect(await watch().end()).to.have.property('kind', 'forbidden');
  });

  it('ends soon after the caller may not watch any more', async () => {
    const stream = watch();
    await stream.next('frame');
    world.refuse = 'unauthorized';
    const error = await stream.end();
    expect(error).not.to.be.instanceOf(ConnectError);
    expect(error).to.have.property('kind', 'unauthorized');
  });

  it('reports a phone that does not run, waits for it, and ends when it does not come back', async () => {
    const stream = watch();
    await stream.next('frame');
    world.refuse = 'busy';
    expect((await stream.next('error')).value).to.include({ error: 'busy' });
    const beganMs = systemClock.monotonicMs();
    expect(await stream.end()).to.have.property('kind', 'busy');
    expect(systemClock.monotonicMs() - beganMs).to.be.at.least(900);
  });

  it('ends as one of a phone that does not run when the phone was stopped, although its port refuses connections', async () => {
    for (let attempt = 0; attempt < 3; attempt++) {
      const stopped = await startScriptedPhone();
      Object.assign(world.phone, { port: stopped.adbd.port, generation: 10 + attempt });
      const stream = watch();
      await stream.next('frame');
      await stopped.adbd.close();
      world.refuse = 'busy';
      expect(await stream.end()).to.have.property('kind', 'busy');
      world.refuse = undefined;
    }
  });

  it('goes on with the phone as it was started anew', async () => {
    const stream = watch();
    await stream.next('frame');
    world.refuse = 'busy';
    await stream.next('error');
    phone.pixels = () => picture(160, 90);
    world.phone.generation = 2;
    world.refuse = undefined;
    expect((await stream.next('screen')).value.screen).to.include({ width: 160, height: 90 });
    await stream.next('frame');
  });
});
