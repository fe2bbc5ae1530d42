import { expect } from 'chai';
import type { ApiError } from '../../kit/errors.js';
import { ObserveDetail, ScreenChange } from '../../proto/gen/cloudphone/screen/v1/screen_service_pb.js';
import {
  Direction,
  type Expect,
  type Pinch,
  type Scroll,
  type Target,
} from '../../proto/gen/cloudphone/screen/v1/step_pb.js';
import { picture } from '../testing/picture.js';
import { AS_KEY, screenWorld, type ScreenWorld } from '../testing/screen-world.js';
import { type ScriptedPhone, startScriptedPhone, textNode } from '../testing/scripted-phone.js';
import { refusalOf } from '../../testing/refusal.js';

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const box = (grey: number, y = 100) => picture(90, 160, [{ x: 10, y, width: 30, height: 30, grey }]);

describe('act', () => {
  let phone: ScriptedPhone;
  let world: ScreenWorld;

  beforeEach(async () => {
    phone = await startScriptedPhone();
    world = screenWorld({ port: phone.adbd.port, screen: { width: 90, height: 160, density: 160 } });
  });
  afterEach(async () => {
    await world.close();
    await phone.adbd.close();
  });

  type ActInit = Omit<Parameters<ScreenWorld['client']['act']>[0], '$typeName' | '$unknown'>;
  const act = (request: ActInit) => world.client.act({ name: 'phone', ...request }, AS_KEY);
  const tapAt = (x: number) => ({ case: 'tap' as const, value: { x, y: 50 } as Target });
  const tapElement = (element: string) => ({ case: 'tap' as const, value: { element } as Target });
  const several = (...kinds: object[]) => ({ steps: kinds.map((kind) => ({ kind })) as never });
  const wait = { case: 'wait' as const, value: {} as never };
  const expecting = (text: string) => ({ expect: { condition: { case: 'text', value: text } } as Expect });
  /** A screen on which something moves at each look. */
  const moving = (): void => {
    let looks = 0;
    phone.pixels = () => box((looks++ * 40) % 200);
  };

  for (const timeoutMs of [900, 2_600]) {
    it(`reports the done steps when the time is up between steps, after ${timeoutMs} ms`, async () => {
      // Connects first: that is not measured.
      await act({ step: wait, observe: ObserveDetail.NONE });
      moving();
      const taps = Array.from({ length: 20 }, (_, at) => tapAt(at + 1));
      const startMs = performance.now();
      const done = await act({ ...several(...taps), timeoutMs });
      expect(performance.now() - startMs).to.be.lessThan(timeoutMs + 500);
      expect(done).to.include({ settled: false, expectMet: true, stepsDone: phone.inputs.length });
      expect(done.failed).to.include({ step: done.stepsDone, error: 'timeout' });
      expect(done.observation?.screenshot, 'the last screen').not.to.equal(undefined);
    });
  }

  it('stops when the client hangs up: no further step is done', async () => {
    const hangUp = new AbortController();
    phone.onInput = () => hangUp.abort(new Error('gone'));
    const steps = several(tapAt(1), tapAt(2), tapAt(3));
    const request = world.client.act({ name: 'phone', ...steps, settleMs: 1 }, { ...AS_KEY, signal: hangUp.signal });
    expect(await request.catch(() => 'cancelled')).to.equal('cancelled');
    // Unhindered, all three steps take less.
    await pause(600);
    expect(phone.inputs).to.have.length(1);
  });

  it('does all three steps in that time when the client stays', async () => {
    const startMs = performance.now();
    const done = await act({ ...several(tapAt(1), tapAt(2), tapAt(3)), settleMs: 1 });
    expect(done.stepsDone).to.equal(3);
    expect(performance.now() - startMs).to.be.lessThan(600);
  });

  it('responds before a deadline of the client that is earlier than timeout_ms', async () => {
    moving();
    const done = await world.client.act(
      { name: 'phone', ...several(tapAt(1), tapAt(2)) },
      { ...AS_KEY, timeoutMs: 1_500 },
    );
    expect(done).to.include({ settled: false, stepsDone: 1 });
    expect(done.failed).to.include({ step: 1, error: 'timeout' });
  });

  it('reports the done steps when the phone breaks off between steps', async () => {
    phone.onInput = () => {
      if (phone.inputs.length === 2) phone.tree = (stream) => (stream.die(), '');
    };
    const done = await act(several(tapAt(1), tapAt(2)));
    expect(done.stepsDone).to.equal(2);
    expect(done.failed).to.include({ step: 1, error: 'unavailable' });
  });

  it('reports an expectation that comes true on a screen that does not settle, as soon as it does', async () => {
    moving();
    phone.tree = () => textNode('Done');
    const startMs = performance.now();
    const done = await act({ step: wait, ...expecting('Done'), timeoutMs: 15_000 });
    expect(performance.now() - startMs).to.be.lessThan(6_000);
    expect(done).to.include({ settled: false, expectMet: true });
    expect(done.failed).to.equal(undefined);
  });

  it('does not call a still screen inconsistent on which the expectation did not come true', async () => {
    phone.tree = () => pause(150).then(() => textNode('Hello'));
    for (let timeoutMs = 1_300; timeoutMs < 1_900; timeoutMs += 120) {
      const done = await act({ step: wait, ...expecting('Goodbye'), timeoutMs });
      expect(done).to.include({ settled: true, expectMet: false });
      expect(done.observation?.warnings, `${timeoutMs} ms`).to.be.empty;
    }
  });

  it('refuses a pinch at the edge of the screen, where two fingers would be one', async () => {
    const pinch = { scale: 2, center: { x: 1, y: 80 } } as Pinch;
    const error = await refusalOf(act({ step: { case: 'pinch', value: pinch } }));
    expect(error.kind).to.equal('bad_request');
    expect(error.message).to.contain('pinch.center: 1, 80');
    expect(phone.inputs).to.be.empty;
  });

  it('does not report whether a screen changed whose pictures are black', async () => {
    phone.pixels = () => picture(90, 160, [{ x: 0, y: 0, width: 90, height: 160, grey: 0 }]);
    phone.onInput = () => {
      phone.tree = () => textNode('Transferred');
    };
    const done = await act({ step: tapAt(1) });
    expect(done.observation?.elements.map(({ text }) => text)).to.deep.equal(['Transferred']);
    expect(done.screen).to.equal(undefined);
  });

  it('reports a scroll that did not find its text with the screen that it led to', async () => {
    const list = (text: string) =>
      '<node class="android.widget.ListView" package="com.x" scrollable="true" enabled="true" bounds="[0,0][90,160]">' +
      `${textNode(text)}</node>`;
    phone.tree = () => list(phone.inputs.length === 0 ? 'Row 1' : 'Row 2');
    const scroll = { direction: Direction.DOWN, until: { text: 'Row 3' } } as Scroll;
    const done = await act({ step: { case: 'scroll', value: scroll }, timeoutMs: 20_000 });
    expect(done.failed).to.include({ step: 0, error: 'not_found' });
    expect(done.failed?.message).to.contain('up to the end of the list');
    expect(done.observation?.elements.map(({ text }) => text)).to.include('Row 2');
  }).timeout(25_000);

  it('reports whether the screen shows something else than before', async () => {
    phone.onInput = (command) => {
      if (command.includes('tap 7')) phone.pixels = () => box(90);
    };
    expect((await act({ step: tapAt(1) })).screen).to.equal(ScreenChange.UNCHANGED);
    expect((await act({ step: tapAt(7) })).screen).to.equal(ScreenChange.CHANGED);
  });

  describe('on an element of an earlier observation', () => {
    const button = (text: string, id: string) =>
      `<node text="${text}" resource-id="${id}" class="android.widget.Button" package="com.x" clickable="true" ` +
      'enabled="true" bounds="[10,100][40,130]" />';
    const observed = async (): Promise<string> => {
      const { observation } = await world.client.observe({ name: 'phone' }, AS_KEY);
      return observation!.id;
    };
    const refusal = async (): Promise<ApiError> => {
      const error = await refusalOf(act({ step: tapElement('e1') }));
      expect(phone.inputs).to.be.empty;
      return error;
    };

    it('presses no other button with the same id in the same place of the next dialog', async () => {
      phone.tree = () => button('OK', 'android:id/button1');
      const id = await observed();
      phone.tree = () => button('Allow', 'android:id/button1');
      phone.pixels = () => box(0);
      const error = await refusal();
      expect(error.kind).to.equal('not_found');
      expect(error.message).to.contain(id);
    });

    it('presses no button of another window, also with the same text', async () => {
      for (const [before, after] of [
        ['Save', 'Delete'],
        ['OK', 'OK'],
      ] as const) {
        phone.focus = () => '1a2 com.x/com.x.Main';
        phone.tree = () => button(before, 'com.x:id/positive');
        await observed();
        phone.focus = () => '3b4 com.x/com.x.Main';
        phone.tree = () => button(after, 'com.x:id/positive');
        expect((await refusal()).kind).to.equal('not_found');
      }
    });

    it('presses a button of the same window that has another text now', async () => {
      phone.tree = () => button('Follow', 'com.x:id/follow');
      await observed();
      phone.tree = () => button('Following', 'com.x:id/follow');
      phone.pixels = () => box(0);
      expect((await act({ step: tapElement('e1') })).failed).to.equal(undefined);
      expect(phone.inputs).to.deep.equal(['input tap 25 115']);
    });

    it('presses nothing where the picture is of one colour and so shows no change', async () => {
      const black = picture(90, 160, [{ x: 0, y: 0, width: 90, height: 160, grey: 0 }]);
      for (const pixels of [black, picture(90, 160)]) {
        phone.pixels = () => pixels;
        phone.tree = () => button('Save', 'com.x:id/save');
        await observed();
        phone.tree = () => button('Delete', 'com.x:id/delete');
        expect((await refusal()).kind).to.equal('not_found');
      }
    });

    it('reads no tree when only other parts of the screen changed', async () => {
      const shows = (grey: number) =>
        picture(90, 160, [
          { x: 10, y: 100, width: 30, height: 30, grey: 90 },
          { x: 10, y: 50, width: 30, height: 30, grey },
        ]);
      phone.tree = () => button('Seven', 'com.x:id/seven');
      phone.pixels = () => shows(50);
      await observed();
      phone.pixels = () => shows(0);
      const before = phone.dumps;
      await act({ step: tapElement('e1'), observe: ObserveDetail.NONE });
      expect(phone.inputs).to.have.length(1);
      expect(phone.dumps).to.equal(before);
    });
  });
});
