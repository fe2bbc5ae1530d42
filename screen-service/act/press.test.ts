import { expect } from 'chai';
import { type Clock, systemClock } from '../../kit/async/clock.js';
import { until } from '../../testing/until.js';
import { refusalOf } from '../../testing/refusal.js';
import { ObserveDetail } from '../../proto/gen/cloudphone/screen/v1/screen_service_pb.js';
import { picture } from '../testing/picture.js';
import { AS_KEY, screenWorld, type ScreenWorld } from '../testing/screen-world.js';
import { type ScriptedPhone, startScriptedPhone, textNode } from '../testing/scripted-phone.js';

const box = (grey: number) => picture(90, 160, [{ x: 10, y: 100, width: 30, height: 30, grey }]);

describe('a press', () => {
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

  const node = (className: string, attributes: string, inner = ''): string =>
    `<node class="android.widget.${className}" package="com.x" enabled="true" ${attributes}>${inner}</node>`;
  const button = (text: string, y = 100): string =>
    node('Button', `text="${text}" clickable="true" bounds="[10,${y}][40,${y + 20}]"`);
  const observe = async () => (await world.client.observe({ name: 'phone' }, AS_KEY)).observation!.elements;
  const idOf = async (text: string): Promise<string> => (await observe()).find((one) => one.text === text)!.id;
  const act = (steps: readonly object[], timeoutMs = 20_000) =>
    world.client.act(
      {
        name: 'phone',
        steps: steps.map((value) => ({ kind: value })) as never,
        observe: ObserveDetail.NONE,
        timeoutMs,
      },
      AS_KEY,
    );
  const tap = (target: object) => ({ case: 'tap', value: target });

  describe('on a container without an action of its own', () => {
    const list = (): string =>
      node(
        'ListView',
        'scrollable="true" bounds="[0,20][90,160]" content-desc="Rows"',
        button('Pay', 60) + button('Delete', 90),
      );

    for (const kind of ['tap', 'doubleTap', 'longPress'] as const) {
      it(`is refused, and its children are named: ${kind}`, async () => {
        phone.tree = list;
        const id = (await observe()).find(({ label }) => label === 'Rows')!.id;
        const error = await refusalOf(act([{ case: kind, value: { element: id } }]));
        expect(error.kind).to.equal('bad_request');
        expect(error.message).to.match(
          /^.*e1 is a list that takes no tap itself.*: e2 button "Pay".*; e3 button "Delete"/,
        );
        expect((await refusalOf(act([{ case: kind, value: { text: 'Rows' } }]))).message).to.contain('button "Pay"');
        expect(phone.inputs).to.be.empty;
      });
    }

    it('presses a list without children, and a group of texts', async () => {
      phone.tree = () =>
        node('ListView', 'scrollable="true" bounds="[0,0][90,50]" content-desc="Map"') +
        node('FrameLayout', 'bounds="[0,60][90,160]" content-desc="Card"', textNode('More', 'bounds="[10,70][80,90]"'));
      for (const label of ['Map', 'Card']) await act([tap({ text: label })]);
      expect(phone.inputs).to.have.length(2);
    });
  });

  describe('while the keyboard comes up', () => {
    const page = (open: boolean) => (): string =>
      node('EditText', `text="Ann" clickable="true" focused="${open}" bounds="[0,0][90,20]"`) +
      button('Send', open ? 60 : 130);
    it('hits no key: the target is found again, where it has moved to', async () => {
      let isOpen = false;
      phone.keyboard = () => isOpen;
      phone.tree = page(false);
      const send = await idOf('Send');
      phone.focus = () => {
        // The app in front is read beside the picture. Both are from before this change.
        setImmediate(() => {
          isOpen = true;
          phone.tree = page(true);
          phone.pixels = () => box(0);
        });
        phone.focus = () => '1a2 com.x/com.x.Main';
        return '1a2 com.x/com.x.Main';
      };
      await act([tap({ element: send })]);
      expect(phone.inputs).to.deep.equal(['input tap 25 70']);
    });

    it('is not compared where no text field is on the screen', async () => {
      phone.keyboard = () => false;
      phone.tree = () => button('Send');
      await act([tap({ element: await idOf('Send') })]);
      expect(phone.adbd.opened.filter((service) => service.includes('grep -q mInputShown='))).to.be.empty;
      expect(phone.inputs).to.deep.equal(['input tap 25 110']);
    });
  });

  describe('of which the end is not known', () => {
    it('is reported as sent when the time is up meanwhile', async () => {
      phone.onInput = () => new Promise(() => undefined);
      const done = await act([tap({ x: 5, y: 5 })], 2_000);
      expect(done).to.include({ stepsDone: 0 });
      expect(done.failed).to.include({ step: 0, error: 'timeout', sent: true });
      expect(done.failed!.message).to.contain('may have been done: observe');
      expect(phone.inputs).to.have.length(1);
    });

    it('is reported as sent when the phone breaks off, also as the only step', async () => {
      phone.onInput = (_command, stream) => stream.die();
      const done = await act([tap({ x: 5, y: 5 })]);
      expect(done.failed).to.include({ step: 0, error: 'unavailable', sent: true });
      expect(done.failed!.message).to.contain('may have been done: observe');
    });

    it('is not reported as sent where somebody else has sent input, or it only reads', async () => {
      phone.tree = async () => {
        await world.client.sendInput(
          { name: 'phone', events: [{ kind: { case: 'key', value: { name: 'back' } } }] as never },
          { headers: { authorization: 'Bearer key_2' } },
        );
        return textNode('Hello');
      };
      const tapped = await act([tap({ text: 'Save' }), { case: 'wait', value: {} }]);
      expect(tapped.failed).to.include({ error: 'not_found' }).and.not.include({ sent: true });
      const read = await act([
        { case: 'clipboard', value: {} },
        { case: 'wait', value: {} },
      ]);
      expect(read.failed).to.include({ error: 'bad_request' }).and.not.include({ sent: true });
    });

    it("does not explain a change where somebody else's input came during the step", async () => {
      const status = (words: string) => (): string => textNode(words, 'bounds="[0,30][90,50]"') + button('Pay');
      phone.tree = status('Ready');
      const pay = await idOf('Pay');
      phone.onInput = async (command) => {
        if (!command.startsWith('input tap')) return;
        phone.onInput = () => undefined;
        await world.client.sendInput(
          { name: 'phone', events: [{ kind: { case: 'key', value: { name: 'back' } } }] as never },
          { headers: { authorization: 'Bearer key_2' } },
        );
        phone.tree = status('Other');
        phone.pixels = () => box(90);
      };
      await act([tap({ x: 5, y: 5 })]);
      expect((await refusalOf(act([tap({ element: pay })]))).kind).to.equal('not_found');
    });

    it('is not reported as sent where the time was up before', async () => {
      phone.tree = () => new Promise(() => undefined);
      const done = await act([tap({ text: 'Save' })], 450);
      expect(done.failed).to.include({ step: 0, error: 'timeout' });
      expect(done.failed!.sent).to.equal(undefined);
      expect(phone.inputs).to.be.empty;
    });
  });

  describe('that meets a fault of the service', () => {
    const fault = (): never => {
      throw new TypeError('a fault');
    };

    it('is a part of the outcome once a step before it is done', async () => {
      // The pause before words are looked up again.
      const sleep: Clock['sleep'] = (ms, signal) => (ms === 300 ? fault() : systemClock.sleep(ms, signal));
      const clock = { ...systemClock, sleep };
      const faulty = screenWorld({ port: phone.adbd.port, screen: { width: 90, height: 160, density: 160 }, clock });
      const steps = [tap({ x: 5, y: 5 }), tap({ text: 'Save' })].map((kind) => ({ kind }));
      const done = await faulty.client
        .act({ name: 'phone', steps: steps as never, observe: ObserveDetail.NONE }, AS_KEY)
        .finally(() => faulty.close());
      expect(done.stepsDone).to.equal(1);
      expect(done.failed).to.include({ step: 1, error: 'internal' });
      expect(done.failed!.message).to.equal('The service has a fault, which it has logged.');
    });
  });

  describe('on a page with a time on it', () => {
    /** A page with this time as its heading. */
    const departs = (time: string) => (): string => textNode(time, 'bounds="[0,30][90,50]"') + button('Book');
    const reload = (time: string): void => {
      phone.tree = departs(time);
      phone.pixels = () => box(0);
    };

    it('is refused when another time shows', async () => {
      for (const [before, after] of [
        ['12:05', '12:06'],
        ['12:05', '12:10'],
        ['00:10', '00:09'],
      ] as const) {
        reload(before);
        phone.pixels = () => box(90);
        const book = await idOf('Book');
        reload(after);
        expect((await refusalOf(act([tap({ element: book })]))).kind).to.equal('not_found');
      }
      expect(phone.inputs).to.be.empty;
    });

    it('is done when the time is seen to go on while nobody acts', async () => {
      const startMs = performance.now();
      const seconds = (): number => Math.floor((performance.now() - startMs) / 1_000);
      phone.tree = () => departs(`00:${10 + seconds()}`)();
      phone.pixels = () => box((seconds() * 40) % 200);
      const book = await idOf('Book');
      await until(() => performance.now() - startMs > 2_000);
      await act([tap({ element: book })]);
      expect(phone.inputs).to.deep.equal(['input tap 25 110']);
    });

    describe('beside a timer that runs', () => {
      const TIMER = 'bounds="[0,60][90,80]"';
      let startMs: number;
      const seconds = (): number => Math.floor((performance.now() - startMs) / 1_000);
      /** A timer, a time that does not go on, and the button. */
      const besideTimer = (time: string) => (): string => textNode(`00:${10 + seconds()}`, TIMER) + departs(time)();
      beforeEach(() => {
        startMs = performance.now();
        phone.tree = besideTimer('12:05');
        phone.pixels = () => box((seconds() * 40) % 200);
      });
      const secondsPass = (count: number): Promise<void> => {
        const fromMs = performance.now();
        return until(() => performance.now() - fromMs > count * 1_000);
      };

      it('is refused when another time shows, also once the timer is known', async () => {
        const book = await idOf('Book');
        await secondsPass(1.1);
        await act([tap({ element: book })]);
        expect(phone.inputs).to.have.length(1);
        expect(await idOf('Book')).to.equal(book);
        phone.tree = besideTimer('12:06');
        await secondsPass(1.1);
        expect((await refusalOf(act([tap({ element: book })]))).kind).to.equal('not_found');
        expect(phone.inputs).to.have.length(1);
      });

      it('is refused when somebody else acts while the timer is watched', async () => {
        const book = await idOf('Book');
        await secondsPass(1.1);
        const dumps = phone.dumps;
        const refused = refusalOf(act([tap({ element: book })]));
        await until(() => phone.dumps > dumps);
        await world.client.sendInput(
          { name: 'phone', events: [{ kind: { case: 'key', value: { name: 'back' } } }] as never },
          { headers: { authorization: 'Bearer key_2' } },
        );
        expect((await refused).kind).to.equal('not_found');
      });
    });

    for (const date of ['', ', Friday, November 27']) {
      it(`is done when it is the phone's time of the day${date === '' ? '' : ', with the date'}`, async () => {
        phone.time = () => '12:05:58';
        reload(`12:05${date}`);
        const book = await idOf('Book');
        phone.time = () => '12:06:01';
        phone.tree = departs(`12:06${date}`);
        phone.pixels = () => box(90);
        await act([tap({ element: book })]);
        expect(phone.inputs).to.deep.equal(['input tap 25 110']);
      });
    }

    it("is refused when more than the phone's time of the day differs", async () => {
      phone.time = () => '12:05:58';
      reload('12:05, Friday, platform 1');
      const book = await idOf('Book');
      phone.time = () => '12:06:01';
      phone.tree = departs('12:06, Friday, platform 2');
      phone.pixels = () => box(90);
      expect((await refusalOf(act([tap({ element: book })]))).kind).to.equal('not_found');
      expect(phone.inputs).to.deep.equal([]);
    });
  });
});
