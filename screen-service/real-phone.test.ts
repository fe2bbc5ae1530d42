import { timestampDate } from '@bufbuild/protobuf/wkt';
import { expect } from 'chai';
import { refusalOf } from '../testing/refusal.js';
import {
  ImageFormat,
  type Element,
  type Observation,
  Warning,
} from '../proto/gen/cloudphone/screen/v1/observation_pb.js';
import { ObserveDetail } from '../proto/gen/cloudphone/screen/v1/screen_service_pb.js';
import type { Target } from '../proto/gen/cloudphone/screen/v1/step_pb.js';
import { onRealPhone } from './testing/on-real-phone.js';
import { AS_KEY, type ScreenWorld } from './testing/screen-world.js';

// The whole service on a whole simulated phone, over TCP. Waits are real here: uiautomator waits for a second of silence.
describe('the screen service on a phone', () => {
  const on = onRealPhone();

  type ActInit = Omit<Parameters<ScreenWorld['client']['act']>[0], '$typeName' | '$unknown'>;
  const act = (request: ActInit, options = AS_KEY) => on.world.client.act({ name: 'phone', ...request }, options);
  const openLab = (activity: string, extras = '') =>
    on.phone.shell(`am start -n com.cloudphone.lab/.${activity} ${extras}`);
  const observe = async (options = AS_KEY): Promise<Observation> => {
    const { observation } = await on.world.client.observe({ name: 'phone' }, options);
    return observation!;
  };
  const element = (observation: Observation, words: string): Element => {
    const found = observation.elements.find(({ text, label }) => text.includes(words) || label.includes(words));
    expect(found, `${words} among ${observation.elements.map((one) => one.text || one.label).join(', ')}`).to.exist;
    return found!;
  };
  const tap = (id: string) => ({ step: { case: 'tap' as const, value: { element: id } as Target } });
  const wait = { step: { case: 'wait' as const, value: {} } };

  it('opens an app by its label, writes a note in any script and finds it saved', async () => {
    const opened = await act({ step: { case: 'openApp', value: { app: 'notes' } } });
    expect(opened).to.include({ settled: true, stepsDone: 1 });
    expect(opened.failed).to.equal(undefined);
    expect(opened.observation).to.include({ app: 'com.cloudphone.notes', activity: '.Main' });
    const added = await act(tap(element(opened.observation!, 'New note').id));
    const fields = added.observation!.elements.filter(({ states }) => states.includes('editable'));
    expect(fields.length).to.be.greaterThan(0);
    const text = 'Zoë’s 買い物 🛒';
    const typed = await act({ step: { case: 'type', value: { text, element: fields[0]!.id } } });
    expect(typed.observation!.elements.map((one) => one.text)).to.include(text);
    const cleared = await act({ step: { case: 'type', value: { text: 'plain 100%s', clear: true } } });
    const texts = cleared.observation!.elements.map((one) => one.text);
    expect(texts).to.include('plain 100%s');
    expect(texts.join()).not.to.include('買い物');
  });

  it('takes steps one after the other and stops at the first that fails, with the screen', async () => {
    const step = (kind: object) => ({ kind }) as never;
    const response = await act({
      steps: [
        step({ case: 'key', value: { name: 'home' } }),
        step({ case: 'openApp', value: { app: 'no.such.app' } }),
        step({ case: 'key', value: { name: 'back' } }),
      ],
    });
    expect(response.stepsDone).to.equal(1);
    expect(response.failed).to.include({ step: 1, error: 'not_found' });
    expect(response.observation?.app).to.equal('com.cloudphone.launcher');
  });

  it('expects an app by its label, and does not count a step whose expectation did not come true', async () => {
    const appInFront = (app: string) => ({ expect: { condition: { case: 'app', value: app } } as never });
    const settings = { step: { case: 'openApp' as const, value: { app: 'settings' } }, ...appInFront('Settings') };
    expect(await act(settings)).to.include({ expectMet: true, stepsDone: 1 });
    const home = { step: { case: 'key' as const, value: { name: 'home' } } };
    const unmet = await act({ ...home, ...appInFront('Settings'), timeoutMs: 1_500 });
    expect(unmet).to.include({ expectMet: false, stepsDone: 0 });
    expect(unmet.failed).to.include({ step: 0, error: 'timeout' });
    const unknown = await refusalOf(act({ ...home, ...appInFront('No Such App') }));
    expect(unknown.message).to.contain('expect.app: no app "No Such App"');
  });

  it('refuses a key that does not exist before anything is done', async () => {
    const error = await refusalOf(act({ step: { case: 'key', value: { name: 'any_key' } } }));
    expect(error.kind).to.equal('bad_request');
    expect(error.message).to.contain('key.name');
  });

  it('finds an element again after it moved, and reports when it is gone', async () => {
    await openLab('List');
    await act(wait);
    const observation = await observe();
    const row = element(observation, 'Row 5');
    const other = element(observation, 'Row 2');
    await act({
      step: { case: 'swipe', value: { from: { x: 360, y: 900 }, to: { x: 360, y: 500 }, durationMs: 900 } },
      observe: ObserveDetail.NONE,
    });
    const found = await act({ ...tap(row.id), observe: ObserveDetail.NONE });
    expect(found.failed).to.equal(undefined);
    await on.phone.shell('input keyevent 3');
    const error = await refusalOf(act(tap(other.id)));
    expect(error.kind).to.equal('not_found');
    expect(error.message).to.contain(other.id);
  });

  it('keeps the observations of two keys apart', async () => {
    await observe();
    const stranger = { headers: { authorization: 'Bearer key_stranger' } };
    expect((await refusalOf(act(tap('e1'), stranger))).message).to.contain('has not observed');
  });

  it('waits for a step’s expectation, also when it comes true late', async () => {
    await openLab('LateContent', '--ei ms 1200');
    const response = await act({
      ...wait,
      expect: { condition: { case: 'text', value: 'it came' } } as never,
      timeoutMs: 60_000,
    });
    expect(response.expectMet).to.equal(true);
    expect(response.failed).to.equal(undefined);
    expect(response.observation!.elements.map(({ text }) => text)).to.include('Content');
  });

  it('reports which expectation did not come true', async () => {
    const response = await act({
      ...wait,
      timeoutMs: 8_000,
      expect: { condition: { case: 'app', value: 'com.never' } } as never,
    });
    expect(response).to.include({ settled: true, expectMet: false });
    expect(response.failed).to.include({ step: 0, error: 'timeout' });
    expect(response.failed?.message).to.contain('com.never');
    expect(response.observation?.warnings).to.be.empty;
  });

  it('responds with settled false at the end of the time on a screen that never rests, with picture and elements', async () => {
    await openLab('Spinner');
    const startMs = performance.now();
    const response = await act({ ...wait, timeoutMs: 10_000 });
    const tookMs = performance.now() - startMs;
    expect(response.settled).to.equal(false);
    expect(response.failed).to.equal(undefined);
    expect(tookMs).to.be.at.least(9_500);
    element(response.observation!, 'Tap me');
    // On a busy machine there may be no time left to encode the picture: then the response has a warning instead.
    const { screenshot, warnings = [] } = response.observation ?? {};
    if (!warnings.includes(Warning.LATE_PICTURE)) expect(screenshot?.format).to.equal(ImageFormat.JPEG);
  });

  it('is not fooled by a blinking caret', async () => {
    await openLab('Caret');
    const response = await act({ ...wait, settleMs: 1_200, timeoutMs: 8_000 });
    expect(response.settled).to.equal(true);
  });

  it('warns of a secure window, of which the picture is black', async () => {
    await openLab('Secure');
    await act({ ...wait, observe: ObserveDetail.NONE });
    const { warnings, elements } = await observe();
    expect(warnings).to.include(Warning.SECURE_WINDOW);
    expect(elements).not.to.be.empty;
    await on.phone.shell('input keyevent 3');
  });

  it('hides a secret text in the elements and in the picture', async () => {
    await openLab('Form');
    const { observation } = await act(wait);
    const field = observation!.elements.find(
      ({ states }) => states.includes('editable') && !states.includes('password'),
    );
    const secret = 'hunter2-hunter2';
    const step = { case: 'type' as const, value: { text: secret, secret: true, element: field!.id } };
    const response = await act({ step });
    expect(response.failed).to.equal(undefined);
    expect(JSON.stringify(response.observation!.elements)).not.to.contain(secret);
    expect(await on.phone.shell('uiautomator dump /dev/tty'), 'it was typed all the same').to.contain(secret);
    // A guess is not confirmed either.
    for (const value of [secret, 'hunter2']) {
      const guess = await act({ ...wait, expect: { condition: { case: 'text', value } } as never, timeoutMs: 2_000 });
      expect(guess.expectMet, value).to.equal(false);
    }
  });

  it('sends raw input: a drag, keys, waits', async () => {
    const touch = (phase: number, y: number) => ({ kind: { case: 'touch' as const, value: { phase, x: 360, y } } });
    const { sent } = await on.world.client.sendInput(
      {
        name: 'phone',
        events: [
          touch(1, 900),
          { kind: { case: 'wait', value: { ms: 20 } } },
          touch(2, 700),
          touch(3, 500),
          { kind: { case: 'key', value: { name: 'HOME' } } },
        ],
      },
      AS_KEY,
    );
    expect(sent).to.equal(5);
    expect(on.phone.phone.machine.screen.foreground.package).to.equal('com.cloudphone.launcher');
  });

  it('taps by text', async () => {
    const { matches } = await on.world.client.performAction(
      { name: 'phone', action: { case: 'tap', value: { text: 'settings' } } },
      AS_KEY,
    );
    expect(matches.map(({ text }) => text)).to.deep.equal(['Settings']);
    const { observation } = await act(wait);
    expect(observation?.app).to.equal('com.cloudphone.settings');
    const absent = on.world.client.performAction(
      { name: 'phone', action: { case: 'tap', value: { text: 'nowhere to be seen' } } },
      AS_KEY,
    );
    expect((await refusalOf(absent)).kind).to.equal('not_found');
  });

  it('finds texts also by a part, and taps only whole ones, as act does: others are refused, with their ids', async () => {
    await on.phone.shell('am start -n com.cloudphone.lab/.List');
    await act(wait);
    const action = (value: object) => on.world.client.performAction({ name: 'phone', action: value as never }, AS_KEY);
    const { matches } = await action({ case: 'findText', value: { text: 'row number' } });
    expect(matches.length).to.be.above(1);
    const refusal = await refusalOf(action({ case: 'tap', value: { text: 'row number' } }));
    expect(refusal.kind).to.equal('not_found');
    const [, id = ''] = /(e\d+) /.exec(refusal.message) ?? [];
    const tapped = await act(tap(id));
    expect(tapped.failed).to.equal(undefined);
  });

  it('reports a display that is off, and turns it on before steps and actions', async () => {
    const key = (name: string) => act({ step: { case: 'key', value: { name } as never } });
    const { observation } = await key('sleep');
    expect(observation!.warnings).to.include(Warning.SCREEN_OFF);
    expect((await observe()).warnings)
      .to.include(Warning.SCREEN_OFF)
      .and.not.include(Warning.SECURE_WINDOW);
    const openApp = { case: 'openApp' as const, value: { app: 'com.cloudphone.settings' } };
    expect((await act({ step: openApp })).observation!.warnings).to.not.include(Warning.SCREEN_OFF);
    await key('sleep');
    await on.world.client.performAction({ name: 'phone', action: openApp }, AS_KEY);
    expect((await observe()).warnings).to.be.empty;
    expect(on.phone.phone.machine.screen.awake).to.equal(true);
    await key('power');
    expect(on.phone.phone.machine.screen.awake).to.equal(false);
    await key('power');
    expect(on.phone.phone.machine.screen.awake).to.equal(true);
  });

  it('hands out the log, filtered, with times in UTC, and as text', async () => {
    await on.phone.shell("log -t Marker -p w 'first of all'");
    await on.phone.shell("log -t Marker -p i 'second of all'");
    const logs = (request: object) => on.world.client.getLogs({ name: 'phone', ...request }, AS_KEY);
    const { lines } = await logs({ tag: 'Marker', level: 4 });
    expect(lines.map(({ message }) => message)).to.deep.equal(['first of all']);
    expect(Math.abs(Number(lines[0]!.time!.seconds) * 1000 - Date.now())).to.be.lessThan(60_000);
    expect((await logs({ lines: 3 })).lines).to.have.length(3);
    const { text } = await logs({ tag: 'Marker', accept: 'text/plain' });
    expect(text?.contentType).to.equal('text/plain; charset=utf-8');
    const written = Buffer.from(text!.data).toString().trim().split('\n');
    expect(written).to.have.length(2);
    expect(written[0]).to.match(/^\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} +\d+ +\d+ W Marker *: first of all$/);
    const isText = async (accept: string) => (await logs({ tag: 'Marker', accept })).text !== undefined;
    for (const accept of ['text/*', 'application/json;q=0.5, text/plain', '*/*;q=0.1, text/plain'])
      expect(await isText(accept), accept).to.equal(true);
    for (const accept of [
      '*/*',
      'application/json, text/plain, */*',
      'text/plain;q=0.5, */*',
      'image/png',
      'not a type',
    ])
      expect(await isText(accept), accept).to.equal(false);
  });

  it('follows the log until the caller hangs up', async () => {
    const hangUp = new AbortController();
    const messages: string[] = [];
    const following = (async () => {
      const stream = on.world.client.streamLogs({ name: 'phone', tag: 'Stream' }, { ...AS_KEY, signal: hangUp.signal });
      for await (const { lines } of stream) {
        messages.push(...lines.map(({ message }) => message));
        if (messages.length >= 3) hangUp.abort();
      }
    })().catch((error: unknown) => error);
    for (let line = 0; messages.length < 3 && line < 60; line++) {
      await on.phone.shell(`log -t Stream 'line ${line}'`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await following;
    expect(messages.length).to.be.at.least(3);
    expect(messages.every((message) => message.startsWith('line '))).to.equal(true);
  });

  describe('whose log is followed as events', () => {
    type Followed = { type: string; data: unknown };

    /** Follows the log until `enough` events have come, and does `meanwhile` once the stream is open. */
    async function follow(
      request: object,
      enough: (events: readonly Followed[]) => boolean,
      meanwhile: () => Promise<unknown>,
    ): Promise<Followed[]> {
      const hangUp = new AbortController();
      const events: Followed[] = [];
      const stream = on.world.client.followLogs({ name: 'phone', ...request }, { ...AS_KEY, signal: hangUp.signal });
      let writes: Promise<unknown> | undefined;
      try {
        for await (const { event } of stream) {
          if (event!.type !== '')
            events.push({ type: event!.type, data: JSON.parse(Buffer.from(event!.data).toString()) });
          writes ??= meanwhile();
          if (enough(events)) hangUp.abort();
        }
      } catch (error) {
        if (!hangUp.signal.aborted) throw error;
      }
      await writes;
      return events;
    }
    const messages = (events: readonly Followed[]) => events.map(({ data }) => (data as { message: string }).message);

    it('begins with the newest lines, and has each once', async () => {
      for (const message of ['a', 'b', 'c', 'c']) await on.phone.shell(`log -t Follow '${message}'`);
      const events = await follow(
        { tag: 'Follow', sinceLines: 3 },
        (all) => all.length >= 5,
        () => on.phone.shell("log -t Follow 'c'; log -t Follow 'd'"),
      );
      expect(messages(events)).to.deep.equal(['b', 'c', 'c', 'c', 'd']);
      const { lines } = await on.world.client.getLogs({ name: 'phone', tag: 'Follow' }, AS_KEY);
      expect(events.map(({ data }) => data)).to.deep.equal(
        lines.slice(1).map(({ time, pid, tid, tag, message }) => ({
          time: timestampDate(time!).toISOString(),
          ...{ pid, tid, level: 'info', tag, message },
        })),
      );
    });
  });

  describe('that is broken for a while', () => {
    afterEach(() => on.phone.phone.faults.clear());

    it('works again after its ADB connection was cut', async () => {
      await on.world.client.getScreenshot({ name: 'phone' }, AS_KEY);
      on.phone.phone.faults.adbDown = true;
      expect((await refusalOf(on.world.client.getScreenshot({ name: 'phone' }, AS_KEY))).kind).to.equal('unavailable');
      on.phone.phone.faults.adbDown = false;
      await on.world.client.getScreenshot({ name: 'phone' }, AS_KEY);
    });

    for (const lie of ['broken-png', 'huge-line', 'xml-bomb'] as const) {
      it(`costs one request an error when it sends a ${lie}`, async () => {
        on.phone.phone.faults.lie = lie;
        // On a busy machine the bound of time comes before the bound of bytes.
        expect((await refusalOf(observe())).kind).to.be.oneOf(['unavailable', 'timeout']);
        on.phone.phone.faults.clear();
        await observe();
      });
    }

    it('has no elements while it has no window', async () => {
      on.phone.phone.faults.lie = 'null-root';
      const { elements, warnings, screenshot } = await observe();
      expect(elements).to.be.empty;
      expect(warnings).to.deep.equal([Warning.NOT_IDLE]);
      expect(screenshot?.data.length).to.be.greaterThan(1_000);
    });
  });
});
