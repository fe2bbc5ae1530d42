import { expect } from 'chai';
import { systemClock } from '../../kit/async/clock.js';
import { OpenCall } from '../../kit/call/call.js';
import { traceOf } from '../../kit/log/trace.js';
import { until } from '../../testing/until.js';
import type { PhoneSession } from '../phones/phone-session.js';
import { picture } from '../testing/picture.js';
import { openTestSession } from '../testing/screen-world.js';
import { type ScriptedPhone, startScriptedPhone, textNode } from '../testing/scripted-phone.js';
import { GestureScreens } from './gesture-screens.js';

describe('the screen around gestures', () => {
  let phone: ScriptedPhone;
  let session: PhoneSession;
  let call: OpenCall;
  let screens: GestureScreens;
  beforeEach(async () => {
    phone = await startScriptedPhone();
    session = openTestSession(phone.adbd.port);
    call = new OpenCall({
      requestId: 'req_1',
      trace: traceOf(undefined, undefined),
      clock: systemClock,
      timeoutMs: 60_000,
    });
    screens = new GestureScreens([]);
  });
  afterEach(async () => {
    call.end();
    session.close();
    await phone.adbd.close();
  });

  const textOf = (dump: { tree?: unknown } | undefined): string =>
    JSON.stringify(dump?.tree ?? '').match(/Hello|World/)?.[0] ?? '';

  it('is read after one gesture, and is that before the next one, until input is sent', async () => {
    expect(screens.begin(session).dump).to.equal(undefined);
    const reading = await screens.after(call, session);
    expect([textOf(reading?.dump), reading?.still, reading?.front.app]).to.deep.equal(['Hello', true, 'com.x']);
    const next = screens.begin(session);
    expect(next.dump).to.equal(reading?.dump);
    expect(next.readWith).to.equal(reading?.frame);
    session.inputs.begin(undefined).taken();
    expect(screens.begin(session).dump).to.equal(undefined);
  });

  it('is not read where the next gesture begins before, whose screen it would be', async () => {
    let isAsked = false;
    phone.tree = async () => {
      isAsked = true;
      await new Promise((resolve) => stopped.signal.addEventListener('abort', resolve));
      return textNode('Hello');
    };
    const stopped = new AbortController();
    const reading = screens.after(call, session);
    await until(() => isAsked);
    screens.begin(session);
    expect(await reading).to.equal(undefined);
    stopped.abort();
  });

  it('is not read any more once the service stops, and nothing begins afterwards', async () => {
    let isAsked = false;
    const stopped = new AbortController();
    phone.tree = async () => {
      isAsked = true;
      await new Promise((resolve) => stopped.signal.addEventListener('abort', resolve));
      return textNode('Hello');
    };
    const reading = screens.after(call, session);
    await until(() => isAsked);
    screens.close();
    expect(await reading).to.equal(undefined);
    const { dumps } = phone;
    expect(await screens.after(call, session)).to.equal(undefined);
    expect(phone.dumps).to.equal(dumps);
    stopped.abort();
  });

  it('is read again where content comes late, until the next gesture', async () => {
    screens = new GestureScreens(Array.from({ length: 1_000 }, () => 5));
    await screens.after(call, session);
    phone.tree = () => textNode('World');
    phone.pixels = () => picture(90, 160, [{ x: 10, y: 100, width: 30, height: 30, grey: 90 }]);
    await session.captures.next(call);
    await until(() => textOf(session.trees.latest) === 'World');
    const next = screens.begin(session);
    const { dumps } = phone;
    expect(textOf(next.dump)).to.equal('World');
    phone.pixels = () => picture(90, 160);
    await session.captures.next(call);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(phone.dumps).to.equal(dumps);
  });

  it('is read again where content comes late and nobody else takes pictures, as with viewers of video', async () => {
    screens = new GestureScreens(Array.from({ length: 1_000 }, () => 20));
    await screens.after(call, session);
    phone.tree = () => textNode('World');
    phone.pixels = () => picture(90, 160, [{ x: 10, y: 100, width: 30, height: 30, grey: 90 }]);
    await until(() => textOf(session.trees.latest) === 'World');
    screens.begin(session);
  });

  for (const [changes, text, what] of [
    [1, '', 'not that before the next gesture where it changed during its only tree, which may be of another screen'],
    [2, 'Hello', 'compared with the picture before its tree where it changed during each'],
  ] as const)
    it(`is ${what}`, async () => {
      const pages = [1, 2].map((grey) => picture(90, 160, [{ x: 10, y: 100, width: 30, height: 30, grey: grey * 90 }]));
      const isTaken = (page = pages[0]): boolean =>
        page !== undefined && session.captures.latest?.pixels.data.equals(page.data) === true;
      const stopped = new AbortController();
      let trees = 0;
      // Once the test is over, its phone takes no more pictures.
      const untilOver = (holds: () => boolean): Promise<void> => until(() => stopped.signal.aborted || holds());
      phone.tree = async () => {
        const page = pages[trees];
        if (++trees > changes || page === undefined)
          await new Promise((resolve) => stopped.signal.addEventListener('abort', resolve));
        await untilOver(() => session.captures.latest !== undefined);
        phone.pixels = () => page ?? picture(90, 160);
        await untilOver(() => isTaken(page));
        return textNode('Hello');
      };
      try {
        const reading = await screens.after(call, session);
        expect([textOf(reading?.dump), reading?.consistent]).to.deep.equal(['Hello', false]);
        expect(isTaken(pages[changes - 1])).to.equal(true);
        const next = screens.begin(session);
        expect(textOf(next.dump)).to.equal(text);
        const before = pages[changes - 2];
        expect(next.readWith?.pixels.data).to.deep.equal(before?.data);
      } finally {
        stopped.abort();
      }
    });

  it('is not read on a phone that has gone, without an error', async () => {
    await phone.adbd.close();
    expect(await screens.after(call, session)).to.equal(undefined);
  });
});
