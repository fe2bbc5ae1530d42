import { expect } from 'chai';
import { ElementsForm } from '../../proto/gen/cloudphone/screen/v1/observation_pb.js';
import { ObserveDetail } from '../../proto/gen/cloudphone/screen/v1/screen_service_pb.js';
import type { Target, TypeText } from '../../proto/gen/cloudphone/screen/v1/step_pb.js';
import { refusalOf } from '../../testing/refusal.js';
import { picture } from '../testing/picture.js';
import { AS_KEY, screenWorld, type ScreenWorld } from '../testing/screen-world.js';
import { type ScriptedPhone, startScriptedPhone, textNode } from '../testing/scripted-phone.js';

describe('a step on an element by its words', () => {
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

  const NONE = { name: 'phone', observe: ObserveDetail.NONE };
  const tap = (value: Partial<Target>) => ({ case: 'tap' as const, value: value as Target });
  const tapText = (text: string, more: { waitS?: number; timeoutMs?: number } = {}) =>
    world.client.act({ ...NONE, step: tap({ text }), ...more }, AS_KEY);
  const button = (text: string, y: number, more = '') =>
    textNode(text, `clickable="true" bounds="[0,${y}][90,${y + 20}]" ${more}`);
  /** Makes the phone show another tree from the `count`-th reading on. */
  const later = (count: number, before: string, after: string): void => {
    phone.tree = () => (phone.dumps < count ? before : after);
  };

  describe('as people and models write them', () => {
    for (const [written, shown] of [
      ["Don't", 'Don’t'],
      ['More...', 'More…'],
      ['Cafe\u0301', 'Café'],
      ['STRASSE', 'Straße'],
      ['❤', '❤\ufe0f'],
      ['שמור', '\u202b\u200fשמור\u202c'],
    ] as const) {
      it(`presses ${JSON.stringify(shown)} for ${JSON.stringify(written)}`, async () => {
        phone.tree = () => button(`${shown} not`, 0) + button(shown, 100);
        await tapText(written, { waitS: 0 });
        expect(phone.inputs).to.deep.equal(['input tap 45 110']);
      });
    }

    it('presses none of several that are written like it, and names these', async () => {
      phone.tree = () => button('Don’t', 0) + button('Don‘t', 100);
      expect((await refusalOf(tapText("Don't"))).message).to.match(/matches 2 elements: e1 .*; e2 /);
      expect(phone.inputs).to.be.empty;
    });

    it('takes the number of an id, which marks in pictures show, for the id', async () => {
      phone.tree = () => button('One', 0) + button('Two', 100);
      await world.client.observe({ name: 'phone' }, AS_KEY);
      await world.client.act({ ...NONE, step: tap({ element: '2' }) }, AS_KEY);
      expect(phone.inputs).to.deep.equal(['input tap 45 110']);
    });
  });

  describe('that is not there', () => {
    for (const [what, wanted, listed] of [
      ['contain them', 'Save', /Its words are in: e1 text "Save all" /],
      ['are similar', 'Sav al', /Similar are: e1 text "Save all" /],
      ['take input', 'Nowhere', /There are: e1 text "Save all" @[\d,]+ clickable; e2 text "Cancel" /],
    ] as const) {
      it(`names elements that ${what}`, async () => {
        phone.tree = () => button('Save all', 0) + button('Cancel', 40) + textNode('Title', 'bounds="[0,80][90,100]"');
        expect((await refusalOf(tapText(wanted, { waitS: 0 }))).message).to.match(listed);
      });
    }

    it('suggests a picture where no element has words', async () => {
      phone.tree = () => '';
      expect((await refusalOf(tapText('Save', { waitS: 0 }))).message).to.include('with a picture');
    });

    it('is named with what distinguishes it from the other one of the same words', async () => {
      phone.tree = () =>
        textNode('Home', 'bounds="[0,0][90,20]"') +
        button('Edit', 20) +
        textNode('Work', 'bounds="[0,60][90,80]"') +
        button('Edit', 80);
      const { message } = await refusalOf(tapText('Edit'));
      expect(message).to.match(/e2 text "Edit" @45,30 clickable \(below "Home"\); e4 .* \(below "Work"\)\. /);
    });
  });

  describe('that is not there, on a page that the caller has not seen', () => {
    const observedIdOf = async (text: string): Promise<string> =>
      (await world.client.observe({ name: 'phone' }, AS_KEY)).observation!.elements.find((one) => one.text === text)!
        .id;
    const goneAfterwards = async (id: string): Promise<void> => {
      const inputs = phone.inputs.length;
      expect((await refusalOf(world.client.act({ ...NONE, step: tap({ element: id }) }, AS_KEY))).kind).to.equal(
        'not_found',
      );
      expect(phone.inputs).to.have.length(inputs);
    };

    it('leaves no id valid beside a time that is another one', async () => {
      const departs = (time: string) => (): string => textNode(time, 'bounds="[0,0][90,20]"') + button('Book', 100);
      phone.tree = departs('12:05');
      const book = await observedIdOf('Book');
      phone.tree = departs('12:06');
      phone.pixels = () => picture(90, 160, [{ x: 0, y: 0, width: 30, height: 20, grey: 90 }]);
      expect((await refusalOf(tapText('Nope', { waitS: 0 }))).message).to.include('text "Book"');
      await goneAfterwards(book);
    });

    it('leaves no id valid on what a step of the caller has led to', async () => {
      const account = (name: string) => (): string =>
        textNode(`Account of ${name}`, 'bounds="[0,0][90,20]"') + button('Next', 40) + button('Delete', 100);
      phone.tree = account('Ann');
      const remove = await observedIdOf('Delete');
      phone.onInput = () => {
        phone.tree = account('Bob');
        phone.pixels = () => picture(90, 160, [{ x: 0, y: 0, width: 30, height: 20, grey: 90 }]);
      };
      const steps = [tap({ text: 'Next' }), tap({ text: 'Nope' })].map((kind) => ({ kind, waitS: 0 }));
      const done = await world.client.act({ ...NONE, steps: steps }, AS_KEY);
      expect(done.failed?.message).to.include('text "Delete"');
      for (let times = 0; times < 3; times++)
        await world.client.act({ ...NONE, step: { case: 'wait', value: {} as never } }, AS_KEY);
      await goneAfterwards(remove);
    });
  });

  describe('after a secret that is too short to be remembered', () => {
    const typed = { kind: { case: 'type' as const, value: { text: '737', secret: true } as TypeText } };
    const field = (text: string) =>
      textNode(text, 'bounds="[0,0][90,20]" clickable="true" focused="true"').replace('TextView', 'EditText') +
      button('Pay', 100);
    const shownTyped = (): void => {
      let text = '';
      phone.onInput = (command) => {
        if (command.startsWith('input text')) text = '737';
      };
      phone.tree = () => field(text);
    };

    it('names candidates without it', async () => {
      shownTyped();
      const steps = [typed, { kind: tap({ text: 'Weiter' }), waitS: 0 }];
      const { failed } = await world.client.act({ ...NONE, steps }, AS_KEY);
      expect(failed?.message).to.include('"Pay"').and.to.include('textfield').and.not.to.include('737');
    });

    it('presses an element of the observation before', async () => {
      shownTyped();
      const seen = await world.client.observe({ name: 'phone' }, AS_KEY);
      const { id } = seen.observation!.elements.at(-1)!;
      const done = await world.client.act({ ...NONE, steps: [typed, { kind: tap({ element: id }) }] }, AS_KEY);
      expect(done.failed?.message).to.equal(undefined);
      expect(phone.inputs.at(-1)).to.equal('input tap 45 110');
    });

    it('finds what has its digits before it is typed', async () => {
      phone.tree = () => button('Page 737', 100);
      const steps = [{ kind: tap({ text: 'Page 737' }), waitS: 0 }, typed];
      expect((await world.client.act({ ...NONE, steps }, AS_KEY)).failed?.message).to.equal(undefined);
    });
  });

  describe('that is not there yet', () => {
    it('waits for it', async () => {
      later(4, button('Loading', 0), button('Continue', 100));
      await tapText('Continue');
      expect(phone.inputs).to.deep.equal(['input tap 45 110']);
    });

    it('looks once where it is not to wait', async () => {
      later(2, button('Loading', 0), button('Continue', 100));
      expect((await refusalOf(tapText('Continue', { waitS: 0 }))).kind).to.equal('not_found');
      expect(phone.dumps).to.equal(1);
    });

    it('waits no longer than its time, and then names candidates', async () => {
      const startMs = performance.now();
      phone.tree = () => button('Loading', 0);
      const refused = await refusalOf(tapText('Continue', { waitS: 1 }));
      expect(refused.message).to.include('e1 text "Loading"');
      expect(phone.dumps).to.be.above(1);
      expect(performance.now() - startMs).to.be.within(500, 5_000);
    });

    it('is a result in the time of the call, however long it may wait', async () => {
      phone.tree = () => button('Loading', 0);
      for (const timeoutMs of [400, 900, 1_500]) {
        const startMs = performance.now();
        const steps = [{ kind: tap({ text: 'Continue' }), waitS: 60 }, { kind: tap({ x: 1, y: 1 }) }];
        const done = await world.client.act({ ...NONE, steps, timeoutMs }, AS_KEY);
        // The response is at most 100 ms late; the rest is for machines that do other things too.
        expect(performance.now() - startMs, `${timeoutMs} ms`).to.be.below(timeoutMs + 5_000);
        expect(done.failed?.error, done.failed?.message).to.be.oneOf(['timeout', 'not_found']);
        expect(phone.inputs).to.be.empty;
      }
    });

    it('does not wait for an id', async () => {
      phone.tree = () => button('One', 0);
      await world.client.observe({ name: 'phone' }, AS_KEY);
      phone.tree = () => button('Other', 0);
      phone.pixels = () => picture(90, 160, [{ x: 10, y: 10, width: 30, height: 30, grey: 90 }]);
      const before = phone.dumps;
      expect(
        (await refusalOf(world.client.act({ ...NONE, step: tap({ element: 'e1' }), waitS: 60 }, AS_KEY))).kind,
      ).to.equal('not_found');
      expect(phone.dumps - before).to.be.below(4);
    });

    it('has a time of its own in each of several steps', async () => {
      const request = { ...NONE, steps: [{ kind: { case: 'wait', value: {} } }], waitS: 1 };
      expect((await refusalOf(world.client.act(request as never, AS_KEY))).message).to.include('wait_s beside steps');
    });
  });

  describe('that is disabled', () => {
    const disabled = button('Pay', 100).replace('enabled="true"', 'enabled="false"');

    it('is refused with that reason, by its words and by its id', async () => {
      phone.tree = () => disabled;
      const byWords = await refusalOf(tapText('Pay', { waitS: 0 }));
      expect(byWords).to.include({ kind: 'bad_request' });
      expect(byWords.message).to.match(/^tap: "Pay" is disabled: /);
      await world.client.observe({ name: 'phone' }, AS_KEY);
      const byId = await refusalOf(world.client.act({ ...NONE, step: tap({ element: 'e1' }) }, AS_KEY));
      expect(byId.message).to.match(/^e1 is disabled: /);
      expect(phone.inputs).to.be.empty;
    });

    it('is waited for by its words', async () => {
      later(3, disabled, button('Pay', 100));
      await tapText('Pay');
      expect(phone.inputs).to.deep.equal(['input tap 45 110']);
    });

    it('is read again before it is refused by its id, as it may be enabled without a change of the picture', async () => {
      later(2, disabled, button('Pay', 100));
      await world.client.observe({ name: 'phone' }, AS_KEY);
      await world.client.act({ ...NONE, step: tap({ element: 'e1' }) }, AS_KEY);
      expect(phone.inputs).to.deep.equal(['input tap 45 110']);
    });

    it('is pressed where it is a text without an action, as the touch then goes to what is around it', async () => {
      phone.tree = () => textNode('Pay', 'bounds="[0,100][90,120]"').replace('enabled="true"', 'enabled="false"');
      await tapText('Pay');
      expect(phone.inputs).to.deep.equal(['input tap 45 110']);
    });
  });

  it('names its candidates in an observation that the next list of changes does not count from', async () => {
    phone.tree = () => button('One', 0);
    const { observation: seen } = await world.client.observe({ name: 'phone', elements: ElementsForm.COMPACT }, AS_KEY);
    await refusalOf(tapText('Two', { waitS: 0 }));
    const { observation } = await world.client.observe({ name: 'phone', elements: ElementsForm.CHANGED }, AS_KEY);
    expect(observation).to.include({ elementsText: '', changedSince: seen!.id });
  });
});
