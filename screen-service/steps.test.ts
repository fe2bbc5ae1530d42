import { expect } from 'chai';
import sharp from 'sharp';
import { refusalOf } from '../testing/refusal.js';
import { ElementsForm, ImageFormat, type Observation } from '../proto/gen/cloudphone/screen/v1/observation_pb.js';
import { type ActResponse, ObserveDetail, ObservedImage } from '../proto/gen/cloudphone/screen/v1/screen_service_pb.js';
import { Direction, Orientation } from '../proto/gen/cloudphone/screen/v1/step_pb.js';
import { onRealPhone } from './testing/on-real-phone.js';
import { AS_KEY, type ScreenWorld } from './testing/screen-world.js';

// Each kind of step through the whole service on a whole simulated phone.
describe('steps on a phone', function () {
  const on = onRealPhone();

  type ActInit = Omit<Parameters<ScreenWorld['client']['act']>[0], '$typeName' | '$unknown' | 'steps'>;
  type Kind = Exclude<ActInit['step'], undefined>;
  /** Does steps one after the other in one request; all must succeed, and the last lead to a screen with the text `until`. */
  const act = async (kinds: readonly Kind[], request: ActInit = {}, until?: string): Promise<ActResponse> => {
    const expected = until === undefined ? {} : { expect: { condition: { case: 'text' as const, value: until } } };
    const steps = kinds.map((kind, at) => ({ kind, ...(at === kinds.length - 1 && expected) }));
    const done = await on.world.client.act(
      { name: 'phone', observe: ObserveDetail.ELEMENTS, timeoutMs: 30_000, ...request, steps: steps },
      AS_KEY,
    );
    expect(done.failed, JSON.stringify(done.failed)).to.equal(undefined);
    return done;
  };
  const refusal = (step: Kind) => refusalOf(on.world.client.act({ name: 'phone', step, timeoutMs: 30_000 }, AS_KEY));
  const openLab = async (activity: string, extras = ''): Promise<void> => {
    await on.phone.shell(`am force-stop com.cloudphone.lab; am start -n com.cloudphone.lab/.${activity} ${extras}`);
    await act([{ case: 'wait', value: {} }]);
  };
  const wordsOf = (observation: Observation | undefined): string[] =>
    observation?.elements.map(({ text, label }) => text || label) ?? [];
  const words = (text: string, role?: string) => ({ text, ...(role !== undefined && { role }) });
  const seen = async (form = ElementsForm.FULL): Promise<Observation> => {
    const request = { name: 'phone', screenshot: ObservedImage.NONE, elements: form };
    return (await on.world.client.observe(request, AS_KEY)).observation!;
  };

  it('write a note in one request, by the words of the buttons', async () => {
    const steps: Kind[] = [
      { case: 'openApp', value: { app: 'Notes' } },
      { case: 'tap', value: words('New note', 'button') },
      { case: 'type', value: { text: 'Oat milk', target: words('Title') } },
      { case: 'key', value: { name: 'back' } },
      { case: 'tap', value: words('Save', 'button') },
      { case: 'key', value: { name: 'home' } },
      { case: 'openApp', value: { app: 'Notes' } },
    ];
    // The app may still be writing when it is opened again.
    const done = await act(steps, {}, 'Oat milk');
    expect(wordsOf(done.observation).join()).to.contain('Oat milk');
  });

  it('refuse words that are only a part of others, name some of these, and take the id of one of them', async () => {
    await openLab('List', '--ei rows 500');
    const error = await refusal({ case: 'tap', value: words('row number') });
    expect(error.kind).to.equal('not_found');
    expect(error.message).to.match(/tap: no element .* has "row number" as its whole .*: e\d+ group "Row 1, /);
    const [, id = ''] = /(e\d+) group "Row 3,/.exec(error.message) ?? [];
    const done = await act([{ case: 'tap', value: { element: id } }]);
    expect(wordsOf(done.observation)).to.include('Row 3 tapped');
    const absent = await refusal({ case: 'tap', value: words('Row 3', 'switch') });
    expect(absent.kind).to.equal('not_found');
    expect(absent.message).to.match(/tap: no element on the screen has switch "Row 3" .*: e\d+ group "Row 3, /);
  });

  it('type into the field that a tap led to, and into no other than the one that is named', async () => {
    await openLab('Dialogs');
    await act([{ case: 'type', value: { text: 'Zoë', target: words('Prompt') } }]);
    const renamed = await act([{ case: 'tap', value: words('Rename', 'button') }]);
    expect(wordsOf(renamed.observation)).to.include('Renamed to Zoë');
    const type = { case: 'type' as const, value: { text: 'lost', target: words('Alert'), secret: true } as never };
    const { failed } = await on.world.client.act({ name: 'phone', step: type, timeoutMs: 30_000 }, AS_KEY);
    expect(failed).to.include({ step: 0, error: 'bad_request' });
  });

  it('type one secret after the other into the fields of a form', async () => {
    await openLab('Form');
    const type = (field: string, text: string): Kind => ({
      case: 'type',
      value: { text, target: words(field), secret: true } as never,
    });
    await act([type('Name', 'Ada Lovelace'), type('Password', 'hunter2'), type('E-mail', 'ada@example.com')]);
    await on.phone.shell('input keyevent 4');
    await act([{ case: 'scroll', value: { direction: Direction.DOWN, until: { text: 'Submit' } } }]);
    await act([{ case: 'tap', value: words('I accept the terms', 'checkbox') }]);
    await act([{ case: 'tap', value: words('Submit', 'button') }]);
    await act([{ case: 'scroll', value: { direction: Direction.UP, until: { text: 'Name: ' } } }]);
    const shown = await on.phone.shell('uiautomator dump /dev/tty');
    for (const line of ['Name: Ada Lovelace', 'E-mail: ada@example.com', 'Password: 7 characters'])
      expect(shown).to.contain(line);
  });

  it('tap twice within the time of a double tap', async () => {
    await openLab('Zoom');
    const done = await act([{ case: 'doubleTap', value: words('Map, zoom 1.0', 'image') }]);
    expect(wordsOf(done.observation)).to.include('Map, zoom 2.0');
  });

  it('zoom with two fingers, in and out', async () => {
    await openLab('Zoom');
    const zoomed = async (scale: number): Promise<number> => {
      const { observation } = await act([{ case: 'pinch', value: { scale } }]);
      return Number(/zoom ([\d.]+)/.exec(wordsOf(observation).join())?.[1]);
    };
    const first = await zoomed(2);
    expect(first).to.be.greaterThan(1.5);
    expect(await zoomed(0.5)).to.be.lessThan(first / 1.5);
  });

  it('hold a finger before it moves, and let go without speed', async () => {
    await openLab('Touches');
    const moved = await act([{ case: 'drag', value: { from: { x: 200, y: 500 }, to: { x: 500, y: 900 }, holdMs: 0 } }]);
    expect(wordsOf(moved.observation).join()).to.match(/Fingers: 0, at most 1, last 250, /);
    await openLab('List');
    const held = await act([{ case: 'drag', value: { from: words('Row 2'), to: words('Row 4') } }]);
    expect(wordsOf(held.observation)).to.include('Row 2 held');
  });

  it('scroll page by page without skipping a row', async () => {
    await openLab('List', '--ei rows 30');
    const rows = new Set<number>();
    const note = ({ elements }: Observation): void =>
      elements.forEach(({ label }) => {
        const number = /^Row (\d+),/.exec(label)?.[1];
        if (number !== undefined) rows.add(Number(number));
      });
    note(await seen());
    for (let page = 0; page < 4; page++) {
      const { observation } = await act([{ case: 'scroll', value: { direction: Direction.DOWN } }]);
      note(observation!);
    }
    expect([...rows].sort((a, b) => a - b)).to.deep.equal(Array.from({ length: 30 }, (_, at) => at + 1));
    const end = await act([{ case: 'scroll', value: { direction: Direction.DOWN } }]);
    expect(end.screen, 'nothing is left to show').to.equal(2);
  });

  it('scroll until a text shows, or the list ends', async () => {
    await openLab('List', '--ei rows 20');
    const scroll = (direction: Direction, text: string): Kind => ({
      case: 'scroll',
      value: { direction, until: { text } },
    });
    const found = await act([scroll(Direction.DOWN, 'Row 15')]);
    expect(wordsOf(found.observation).join()).to.contain('Row 15');
    expect(wordsOf((await act([scroll(Direction.UP, 'Row 5')])).observation).join()).to.contain('Row 5,');
    const step = scroll(Direction.DOWN, 'Row 21');
    const { failed, observation } = await on.world.client.act({ name: 'phone', step, timeoutMs: 30_000 }, AS_KEY);
    expect(failed).to.include({ step: 0, error: 'not_found' });
    expect(failed?.message).to.contain('up to the end of the list');
    expect(wordsOf(observation).join()).to.contain('Row 20,');
  });

  it('scroll the list that is named, inside another one', async () => {
    await openLab('NestedScroll');
    const lists = (await seen()).elements.filter(({ states }) => states.includes('scrollable'));
    const strip = lists.find(({ resourceId }) => resourceId.endsWith('strip_1'));
    const sideways = await act([{ case: 'scroll', value: { direction: Direction.RIGHT, element: strip!.id } }]);
    expect(wordsOf(sideways.observation)).to.not.include('Card 1.1');
    expect(wordsOf(sideways.observation)).to.include('Card 2.1');
    const page = await act([{ case: 'scroll', value: { direction: Direction.DOWN } }]);
    expect(wordsOf(page.observation)).to.include('Group 6');
  });

  it('open an address, and report where no app takes it', async () => {
    const done = await act([{ case: 'openUrl', value: { url: 'http://127.0.0.1:9/page' } }]);
    expect(done.observation?.app).to.equal('com.cloudphone.browser');
    const error = await refusal({ case: 'openUrl', value: { url: 'nosuchscheme:abc' } });
    expect(error.kind).to.equal('not_found');
    expect(error.message).to.contain('nosuchscheme:');
  });

  it('set the clipboard, read it and paste it', async () => {
    const text = `it's "two"\nlines & $HOME 🧀`;
    const done = await act([
      { case: 'clipboard', value: { set: text } },
      { case: 'clipboard', value: {} },
    ]);
    expect(done.clipboard).to.equal(text);
    await openLab('Form');
    const pasted = await act([
      { case: 'clipboard', value: { set: 'Zoë 買' } },
      { case: 'tap', value: words('Name') },
      { case: 'key', value: { names: ['ctrl_left', 'v'] } },
    ]);
    expect(wordsOf(pasted.observation)).to.include('Zoë 買');
    expect(pasted.clipboard).to.equal(undefined);
  });

  it('hold a key', async () => {
    await openLab('Form');
    await act([{ case: 'key', value: { name: 'home', holdMs: 600 } }]);
    expect((await seen()).app).not.to.equal('com.cloudphone.lab');
  });

  it('open the notification shade, and close it by its key', async () => {
    await act([{ case: 'openApp', value: { app: 'Lab' } }]);
    await on.phone.shell(`cmd notification post -t 'Parcel' tag1 'It is at your door'`);
    const opened = await act([{ case: 'notifications', value: {} }]);
    expect(wordsOf(opened.observation).join()).to.contain('It is at your door');
    const closed = await act([{ case: 'key', value: { name: 'back' } }]);
    expect(closed.observation?.app).to.equal('com.cloudphone.lab');
    expect(wordsOf(closed.observation).join()).not.to.contain('It is at your door');
  });

  it('turn the screen and back', async () => {
    const turned = await act([{ case: 'rotate', value: { to: Orientation.LANDSCAPE } }]);
    expect(turned.observation?.screen).to.include({ width: 1280, height: 720, rotation: 1 });
    const back = await act([{ case: 'rotate', value: { to: Orientation.PORTRAIT } }]);
    expect(back.observation?.screen).to.include({ width: 720, height: 1280, rotation: 0 });
  });

  it('wait for the state of an element', async () => {
    await openLab('Form');
    await act([{ case: 'scroll', value: { direction: Direction.DOWN, until: { text: 'Submit' } } }]);
    const expecting = (condition: object, modifiers: object) => ({ expect: { condition, ...modifiers } as never });
    const terms = words('I accept the terms', 'checkbox');
    const tapped = await on.world.client.act(
      {
        name: 'phone',
        step: { case: 'tap', value: terms },
        ...expecting({ case: 'text', value: terms.text }, { role: 'checkbox', state: 1 }),
      },
      AS_KEY,
    );
    expect(tapped).to.include({ expectMet: true, stepsDone: 1 });
    const submit = tapped.observation!.elements.find(({ text }) => text === 'Submit')!;
    const wait = { name: 'phone', step: { case: 'wait' as const, value: {} }, timeoutMs: 30_000 };
    const enabled = expecting({ case: 'element', value: submit.id }, { state: 5 });
    expect((await on.world.client.act({ ...wait, ...enabled }, AS_KEY)).expectMet).to.equal(true);
    const unchecked = expecting({ case: 'text', value: terms.text }, { role: 'checkbox', state: 2 });
    const unmet = await on.world.client.act({ ...wait, ...unchecked, timeoutMs: 1_500 }, AS_KEY);
    expect(unmet.expectMet).to.equal(false);
    expect(unmet.failed?.message).to.contain('checkbox "I accept the terms" did not become unchecked');
  });

  describe('show of the screen', () => {
    it('only the lines that changed, with the ids of before', async () => {
      await openLab('Form');
      const { id, elementsText: whole } = await seen(ElementsForm.COMPACT);
      const field = /^(e\d+) textfield "Name" @\d+,\d+$/m.exec(whole!)![1]!;
      const typed = await act([{ case: 'type', value: { text: 'Zoë', element: field } }], {
        elements: ElementsForm.CHANGED,
      });
      expect(typed.observation).to.include({ changedSince: id });
      const lines = typed.observation!.elementsText!.split('\n');
      expect(lines.find((line) => line.startsWith(`${field} `))).to.match(/textfield "Name" ="Zoë" @\d+,\d+ focused$/);
      expect(lines.join('\n').length).to.be.lessThan(whole!.length / 2);
      const still = await seen(ElementsForm.CHANGED);
      expect(still).to.include({ changedSince: typed.observation!.id, elementsText: '' });
      await on.phone.shell('input keyevent 3');
      await act([{ case: 'wait', value: {} }], { observe: ObserveDetail.NONE });
      const elsewhere = await seen(ElementsForm.CHANGED);
      expect(elsewhere.changedSince).to.equal(undefined);
      expect(elsewhere.elementsText).to.contain('"Settings"');
      expect(elsewhere.elementsText, 'no id of the form').not.to.match(new RegExp(`^${field} `, 'm'));
    });

    it('no picture again when the caller has it', async () => {
      // The launcher has a clock.
      await openLab('Main');
      const request = { name: 'phone', marks: false };
      const first = (await on.world.client.observe(request, AS_KEY)).observation!;
      expect(first.screenshot).to.include({ width: 576, height: 1024 });
      const wait = { name: 'phone', step: { case: 'wait' as const, value: {} } };
      const same = await on.world.client.act(wait, AS_KEY);
      expect(same.screen).to.equal(2);
      expect(same.observation).to.include({ screenshotSameAs: first.id }).and.not.have.property('screenshot');
      const again = await on.world.client.act(wait, AS_KEY);
      expect(again.observation).to.include({ screenshotSameAs: first.id }).and.not.have.property('screenshot');
      const other = await on.world.client.act({ ...wait, format: ImageFormat.PNG, maxSize: 512 }, AS_KEY);
      expect(other.observation!.screenshot).to.include({ format: ImageFormat.PNG, width: 288, height: 512 });
      const moved = await on.world.client.act(
        { name: 'phone', step: { case: 'openApp', value: { app: 'Notes' } } },
        AS_KEY,
      );
      expect(moved.observation!.screenshot).to.include({ format: ImageFormat.JPEG });
    });

    it('boxes with the numbers of the ids', async () => {
      await openLab('Main');
      const png = { name: 'phone', screenshot: ObservedImage.PNG, maxSize: 8_000 };
      const pixelAt = async (observation: Observation, x: number, y: number): Promise<number[]> => {
        const { data } = await sharp(observation.screenshot!.data)
          .extract({ left: x, top: y, width: 1, height: 1 })
          .raw()
          .toBuffer({ resolveWithObject: true });
        return [...data];
      };
      const plain = (await on.world.client.observe(png, AS_KEY)).observation!;
      const marked = (await on.world.client.observe({ ...png, marks: true }, AS_KEY)).observation!;
      const row = marked.elements.find(({ label }) => label.startsWith('Late content'))!;
      const edge = [row.bounds!.x + row.bounds!.width - 1, row.bounds!.y + row.bounds!.height - 1] as const;
      expect(await pixelAt(marked, ...edge)).not.to.deep.equal(await pixelAt(plain, ...edge));
      const middle = [row.center!.x, row.center!.y] as const;
      expect(await pixelAt(marked, ...middle)).to.deep.equal(await pixelAt(plain, ...middle));
    });
  });
});
