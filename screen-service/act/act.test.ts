import { expect } from 'chai';
import { Warning } from '../../proto/gen/cloudphone/screen/v1/observation_pb.js';
import { ObserveDetail, ScreenChange } from '../../proto/gen/cloudphone/screen/v1/screen_service_pb.js';
import {
  Direction,
  type Drag,
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
  /** A screen on which something moves at each capture. */
  const moving = (): void => {
    let reads = 0;
    phone.pixels = () => box((reads++ * 40) % 200);
  };

  /** A list with one row. */
  const listOf = (text: string) =>
    '<node class="android.widget.ListView" package="com.x" scrollable="true" enabled="true" bounds="[0,0][90,160]">' +
    `${textNode(text)}</node>`;
  const searchAndTap = (text: string) =>
    several(
      { case: 'scroll', value: { direction: Direction.DOWN, until: { text } } },
      { case: 'tap', value: { text } },
    );

  for (const timeoutMs of [900, 2_600]) {
    it(`reports the done steps when the time is up between steps, after ${timeoutMs} ms`, async () => {
      // It has no picture, so the next act keeps the time of a first one back for the encoding.
      await act({ step: wait, observe: ObserveDetail.NONE });
      moving();
      const taps = Array.from({ length: 20 }, (_, at) => tapAt(at + 1));
      const done = await act({ ...several(...taps), timeoutMs });
      expect(done).to.include({ settled: false, expectMet: false });
      expect(done.failed).to.include({ step: done.stepsDone, error: 'timeout' });
      // The time may be up while the input of the step that failed is on its way to the phone. The response says so.
      const more = phone.inputs.length - done.stepsDone;
      expect(more).to.equal(more > 0 && done.failed?.sent === true ? 1 : 0);
      expect(done.observation?.screenshot, 'the last screen').not.to.equal(undefined);
    });
  }

  it('shows the latest picture there is, with its age, when none arrives after the last step in time', async () => {
    await act({ step: wait, observe: ObserveDetail.ELEMENTS });
    phone.tree = () => new Promise(() => undefined);
    let pictures = 0;
    phone.sending = async () => {
      // The first picture is under way when the step begins; later pictures never come.
      if (pictures++ > 0) await new Promise(() => undefined);
      await pause(600);
    };
    phone.pixels = () => box(pictures * 40);
    const done = await act({ step: tapAt(1), timeoutMs: 4_000 });
    expect(done.settled).to.equal(false);
    const { screenshot, warnings } = done.observation!;
    expect(warnings).to.include.members([Warning.LATE_ELEMENTS, Warning.LATE_PICTURE]);
    expect(screenshot!.ageMs).to.be.within(1, 30_000);
    expect(screenshot!.data.length).to.be.above(0);
  });

  it('shows no age of a picture that came after the last step', async () => {
    moving();
    const { observation } = await act({ step: tapAt(1), timeoutMs: 4_000 });
    expect(observation!.warnings).not.to.include(Warning.LATE_PICTURE);
    expect(observation!.screenshot).to.not.equal(undefined);
    expect(observation!.screenshot!.ageMs).to.equal(undefined);
  });

  it('stops when the client hangs up: no further step is done', async () => {
    const hangUp = new AbortController();
    phone.onInput = () => hangUp.abort(new Error('gone'));
    const steps = several(tapAt(1), tapAt(2), tapAt(3));
    const request = world.client.act({ name: 'phone', ...steps, settleMs: 1 }, { ...AS_KEY, signal: hangUp.signal });
    expect(await request.catch(() => 'cancelled')).to.equal('cancelled');
    // All three steps take less time than this when the client stays.
    await pause(600);
    expect(phone.inputs).to.have.length(1);
  });

  it('responds before a deadline of the client that is earlier than timeout_ms', async () => {
    moving();
    const done = await world.client.act(
      { name: 'phone', ...several(tapAt(1), tapAt(2)) },
      { ...AS_KEY, timeoutMs: 4_000 },
    );
    expect(done).to.include({ settled: false, stepsDone: 1 });
    expect(done.failed).to.include({ step: 1, error: 'timeout' });
  });

  it('counts the time of a wait from the picture before it: two slow pictures are enough', async () => {
    let pictures = 0;
    phone.sending = () => (pictures++, pause(300));
    const done = await act({ step: wait, observe: ObserveDetail.NONE, settleMs: 250 });
    expect(done).to.include({ settled: true, stepsDone: 1 });
    // The third picture is requested as the second one arrives.
    expect(pictures).to.be.at.most(3);
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
    const done = await act({ step: wait, ...expecting('Done'), timeoutMs: 50_000 });
    expect(performance.now() - startMs).to.be.lessThan(40_000);
    expect(done).to.include({ settled: false, expectMet: true });
    expect(done.failed).to.equal(undefined);
  });

  it('does not call a still screen inconsistent on which the expectation did not come true', async () => {
    phone.tree = () => pause(150).then(() => textNode('Hello'));
    let rested = 0;
    for (let timeoutMs = 3_300; timeoutMs < 3_900; timeoutMs += 120) {
      const done = await act({ step: wait, ...expecting('Goodbye'), timeoutMs });
      expect(done.expectMet).to.equal(false);
      // On a busy machine it may not be known in time that the screen is still, and its last picture may be late.
      if (!done.settled) continue;
      rested++;
      expect([Warning.LATE_PICTURE], `${timeoutMs} ms`).to.include.members(done.observation!.warnings);
    }
    expect(rested).to.be.above(0);
  });

  describe('on an element by its words', () => {
    const tapText = (text: string) =>
      act({ step: { case: 'tap', value: { text } as Target }, observe: ObserveDetail.NONE });

    it('presses none that only contains them, and names up to five that do, by ids that are good', async () => {
      const words = ["Don't allow", ...Array.from({ length: 6 }, (_, at) => `Allow ${at}`)];
      phone.tree = () =>
        words
          .map((text, at) => textNode(text, `clickable="true" bounds="[0,${at * 20}][90,${at * 20 + 20}]"`))
          .join('');
      const refused = await refusalOf(tapText('Allow'));
      expect(refused.message).to.match(/^.*tap: no element on the screen has "Allow" as its whole text or label\./);
      expect(refused.message).to.match(
        /: e1 text "Don't allow" @.*; e5 text "Allow 3" @[\d,]+ clickable; and 2 more\. /,
      );
      expect(phone.inputs).to.be.empty;
      await act({ step: tapElement('e1'), observe: ObserveDetail.NONE });
      expect(phone.inputs).to.deep.equal(['input tap 45 10']);
    });

    it('presses none of several with them, and names these, by ids that are good', async () => {
      phone.tree = () =>
        textNode('Pay', 'bounds="[0,40][90,60]"') + textNode('PAY') + textNode('Pay', 'bounds="[0,100][90,130]"');
      const refused = await refusalOf(tapText('Pay'));
      expect(refused.message).to.match(/tap: "Pay" matches 2 elements: e2 text "Pay" @45,50; e3 text "Pay" @45,115\. /);
      await act({ step: tapElement('e3'), observe: ObserveDetail.NONE });
      expect(phone.inputs).to.deep.equal(['input tap 45 115']);
    });

    it('presses the one of which they are the whole text, apart from case and blanks', async () => {
      phone.tree = () => textNode("Don't allow") + textNode(' ALLOW', 'bounds="[0,100][90,130]"');
      await tapText('Allow');
      expect(phone.inputs).to.deep.equal(['input tap 45 115']);
    });
  });

  for (const [what, beforeMs, afterMs, dumps] of [
    ['one tree where the screen changed well before the tree was read', 0, 1_500, 1],
    ['a second tree where the screen changed at the end of the first', 1_200, 100, 2],
  ] as const) {
    it(`reads ${what}`, async () => {
      phone.tree = async () => {
        if (phone.dumps > 1) return textNode('After');
        await pause(beforeMs);
        phone.pixels = () => box(0);
        await pause(afterMs);
        return textNode('After');
      };
      const { observation } = await act({ step: tapAt(1) });
      expect(observation!.elements.map(({ text }) => text)).to.deep.equal(['After']);
      expect(observation!.warnings).to.be.empty;
      expect(phone.dumps).to.equal(dumps);
    });
  }

  it('requests the tree when the input is sent, and does not wait for a picture', async () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    phone.onInput = () => {
      phone.sending = () => released;
    };
    phone.tree = () => {
      release();
      return textNode('After');
    };
    const { observation } = await act({ step: tapAt(1) });
    expect(observation!.elements.map(({ text }) => text)).to.deep.equal(['After']);
  });

  it('reads no tree for a scroll to a text that shows already, nor for the step after it', async () => {
    phone.tree = () => textNode('Form');
    phone.pixels = () => box(0);
    await world.client.observe({ name: 'phone' }, AS_KEY);
    const before = phone.dumps;
    const scroll = { direction: Direction.DOWN, until: { text: 'Form' } } as Scroll;
    const tap = { case: 'tap', value: { text: 'Form' } };
    const done = await act({ ...several({ case: 'scroll', value: scroll }, tap), observe: ObserveDetail.NONE });
    expect(done).to.include({ settled: true, stepsDone: 2 });
    expect(phone.inputs).to.deep.equal(['input tap 45 15']);
    expect(phone.dumps).to.equal(before);
  });

  it('begins a drag where its start is once the end has been waited for', async () => {
    const row = (text: string, top: number): string => textNode(text, `bounds="[0,${top}][90,${top + 30}]"`);
    const isMoved = (): boolean => phone.dumps > 2;
    phone.tree = () => (isMoved() ? row('Note', 60) + row('Trash', 120) : row('Note', 0));
    phone.pixels = () => box(200, isMoved() ? 60 : 0);
    await world.client.observe({ name: 'phone' }, AS_KEY);
    const value = { from: { text: 'Note' }, to: { text: 'Trash' } } as Drag;
    const done = await act({ step: { case: 'drag', value }, observe: ObserveDetail.NONE, timeoutMs: 20_000 });
    expect(done.failed).to.equal(undefined);
    expect(phone.inputs[0]).to.equal('input motionevent DOWN 45 75');
    expect(phone.inputs.at(-1)).to.equal('input motionevent UP 45 135');
  });

  it('waits for the list of an app that is still starting, as its first page would not be read during a stroke', async () => {
    phone.tree = () => (phone.dumps < 2 ? textNode('Loading') : listOf('Row 1'));
    const scroll = { direction: Direction.DOWN, until: { text: 'Row 1' } } as Scroll;
    const done = await act({ step: { case: 'scroll', value: scroll }, timeoutMs: 20_000 });
    expect(done).to.include({ settled: true, stepsDone: 1 });
    expect(phone.inputs).to.deep.equal([]);
  });

  it('does not wait again for a list that rested while it was searched', async () => {
    let [pictures, atTree, atTap] = [0, 0, 0];
    phone.pixels = () => {
      pictures++;
      return box(0);
    };
    phone.tree = async () => {
      if (phone.inputs.length === 0) return listOf('Row 1');
      await pause(2_000);
      atTree = pictures;
      return listOf('Row 2');
    };
    phone.onInput = (command) => {
      if (command.startsWith('input tap')) atTap = pictures;
    };
    const done = await act({ ...searchAndTap('Row 2'), observe: ObserveDetail.NONE });
    expect(done).to.include({ settled: true, stepsDone: 2 });
    // Pictures of a wait are 30 ms apart.
    expect(atTap - atTree).to.be.within(0, 8);
  });

  it('takes one picture of a page that does not show the text', async () => {
    let pictures = 0;
    const atDumps: number[] = [];
    phone.pixels = () => {
      pictures++;
      return box(0);
    };
    let strokes = 0;
    phone.onInput = (command) => void (strokes += Number(command.includes(' UP ')));
    phone.tree = async () => {
      atDumps.push(pictures);
      const askedMs = performance.now();
      // Two strokes scroll a page.
      while (strokes < 2 * (phone.dumps - 1)) await pause(5);
      // A dump counts as read in its second half, and 700 ms before its end.
      await pause(Math.max(2_000, performance.now() - askedMs + 200));
      return listOf(`Row ${Math.min(phone.dumps, 3)}`);
    };
    const done = await act({ ...searchAndTap('Row 3'), observe: ObserveDetail.NONE, timeoutMs: 20_000 });
    expect(done).to.include({ settled: true, stepsDone: 2 });
    // The page before the first stroke is read with pictures.
    expect(atDumps[2]! - atDumps[1]!).to.equal(1);
  });

  it('counts the rest of a list that was searched from the moment when the finger had gone up', async () => {
    let [upMs, tapMs] = [0, 0];
    phone.pixels = () => box(0);
    phone.tree = () => listOf(phone.inputs.length === 0 ? 'Row 1' : 'Row 2');
    phone.onInput = (command) => {
      if (command.startsWith('input tap')) tapMs = performance.now();
      else upMs = performance.now();
    };
    const done = await act({ ...searchAndTap('Row 2'), observe: ObserveDetail.NONE });
    expect(done).to.include({ settled: true, stepsDone: 2 });
    // The wait after the step is 300 ms, of which the wait for the text is a part. Pictures of a wait are 30 ms apart.
    expect(tapMs - upMs).to.be.at.least(300 - 30);
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
    phone.tree = () => listOf(phone.inputs.length === 0 ? 'Row 1' : 'Row 2');
    const scroll = { direction: Direction.DOWN, until: { text: 'Row 3' } } as Scroll;
    const done = await act({ step: { case: 'scroll', value: scroll }, timeoutMs: 20_000 });
    expect(done.failed).to.include({ step: 0, error: 'not_found' });
    expect(done.failed?.message).to.contain('up to the end of the list');
    expect(done.observation?.elements.map(({ text }) => text)).to.include('Row 2');
  });

  it('reports whether the screen shows something else than before', async () => {
    phone.onInput = (command) => {
      if (command.includes('tap 7')) phone.pixels = () => box(90);
    };
    expect((await act({ step: tapAt(1) })).screen).to.equal(ScreenChange.UNCHANGED);
    expect((await act({ step: tapAt(7) })).screen).to.equal(ScreenChange.CHANGED);
  });
});
