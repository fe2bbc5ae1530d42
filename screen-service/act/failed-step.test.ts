import { expect } from 'chai';
import { ElementsForm, Warning } from '../../proto/gen/cloudphone/screen/v1/observation_pb.js';
import { type ActResponse, ObserveDetail } from '../../proto/gen/cloudphone/screen/v1/screen_service_pb.js';
import { Direction, type OpenApp, type Scroll, type Target } from '../../proto/gen/cloudphone/screen/v1/step_pb.js';
import { refusalOf } from '../../testing/refusal.js';
import { picture } from '../testing/picture.js';
import { AS_KEY, screenWorld, type ScreenWorld } from '../testing/screen-world.js';
import { type ScriptedPhone, startScriptedPhone, textNode } from '../testing/scripted-phone.js';

describe('a step that failed', () => {
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

  type Request = Omit<Parameters<ScreenWorld['client']['act']>[0], '$typeName' | '$unknown'>;
  const SHOWN = { observe: ObserveDetail.ELEMENTS, elements: ElementsForm.COMPACT };
  const act = (request: Request): Promise<ActResponse> =>
    world.client.act({ name: 'phone', ...SHOWN, ...request }, AS_KEY);
  const tapText = (text: string) => ({ case: 'tap' as const, value: { text } as Target });
  const again = (): void => {
    let reads = 0;
    phone.pixels = () => picture(90, 160, [{ x: 10, y: (reads++ * 40) % 120, width: 30, height: 30, grey: 200 }]);
  };

  for (const [what, step, kind] of [
    ['the words of no element', tapText('Nowhere'), 'not_found'],
    ['the words of several', tapText('Twice'), 'bad_request'],
    ['an id that was never there', { case: 'tap' as const, value: { element: 'e99' } as Target }, 'not_found'],
    ['an app that is not there', { case: 'openApp' as const, value: { app: 'Nowhere' } as OpenApp }, 'not_found'],
  ] as const) {
    it(`comes with the screen on request, and is an error response without, for ${what}`, async () => {
      phone.tree = () => textNode('Twice') + textNode('Twice', 'bounds="[0,40][90,70]"');
      await world.client.observe({ name: 'phone' }, AS_KEY);
      const done = await act({ step, screenOnFailure: true, waitS: 0 });
      expect(done).to.include({ stepsDone: 0, expectMet: false });
      expect(done.failed).to.include({ step: 0, error: kind });
      expect(done.observation?.elementsText).to.include('text "Twice"');
      expect((await refusalOf(act({ step, waitS: 0 }))).kind).to.equal(kind);
      const asList = { steps: [{ kind: step, waitS: 0 }] as never };
      expect((await act({ ...asList, screenOnFailure: true })).failed).to.include({ error: kind });
      expect((await refusalOf(act(asList))).kind).to.equal(kind);
    });
  }

  it('has met no expectation', async () => {
    const done = await act({ step: tapText('Nowhere'), screenOnFailure: true, waitS: 0 });
    expect(done.expectMet).to.equal(false);
    expect((await act({ step: { case: 'wait', value: {} as never } })).expectMet).to.equal(true);
  });

  it('comes with the elements that were read last, and their age, where none can be read in time', async () => {
    await act({ step: { case: 'wait', value: {} as never } });
    again();
    phone.tree = () => new Promise(() => undefined);
    const done = await act({ step: { case: 'tap', value: { x: 1, y: 1 } as Target }, timeoutMs: 1_500 });
    expect(done.observation?.elementsText).to.equal('e1 text "Hello" @45,15');
    expect(done.observation?.warnings).to.include(Warning.LATE_ELEMENTS).and.not.include(Warning.NOT_IDLE);
    expect(done.observation?.elementsAgeMs).to.be.within(1_000, 30_000);
  });

  it('comes with no elements of another app', async () => {
    await act({ step: { case: 'wait', value: {} as never } });
    phone.tree = () => new Promise(() => undefined);
    phone.focus = () => '2b3 com.y/com.y.Main';
    again();
    const done = await act({ step: { case: 'tap', value: { x: 1, y: 1 } as Target }, timeoutMs: 1_500 });
    expect(done.observation?.app).to.equal('com.y');
    expect(done.observation?.warnings).to.include(Warning.NOT_IDLE);
    expect(done.observation?.elementsText).to.equal('');
  });

  it('reports how far it scrolled when the time is up', async () => {
    // Each page differs from the one before, so that the list never ends.
    phone.tree = () =>
      `<node class="android.widget.ListView" package="com.x" enabled="true" scrollable="true" bounds="[0,0][90,160]">` +
      `${textNode(`Row ${phone.inputs.length}`)}</node>`;
    phone.pixels = () =>
      picture(90, 160, [{ x: 10, y: (phone.inputs.length * 7) % 120, width: 30, height: 30, grey: 200 }]);
    const value = { direction: Direction.DOWN, until: { text: 'Never' } } as Scroll;
    const done = await act({ step: { case: 'scroll', value }, timeoutMs: 4_000 });
    expect(done.failed).to.include({ error: 'timeout' });
    expect(done.failed?.message).to.match(
      /scroll\.until: \d+ pages? (was|were) scrolled, and the text had not shown yet/,
    );
    expect(done.observation?.elementsText).to.include('Row');
  });
});
