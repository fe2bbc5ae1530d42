import { expect } from 'chai';
import type { Element } from '../proto/gen/cloudphone/screen/v1/observation_pb.js';
import { ObserveDetail, ObservedImage } from '../proto/gen/cloudphone/screen/v1/screen_service_pb.js';
import { onRealPhone } from './testing/on-real-phone.js';
import { AS_KEY } from './testing/screen-world.js';

// On a whole simulated phone, the elements that a caller's steps leave in place keep their ids.
describe('ids after steps of their caller', function () {
  const on = onRealPhone();

  const open = async (component: string, extras = ''): Promise<void> => {
    const [app = ''] = component.split('/');
    await on.phone.shell(`am force-stop ${app}; am start -n ${component} ${extras}`);
    await act([{ case: 'wait', value: {} }]);
  };
  const observe = async (): Promise<Element[]> =>
    (await on.world.client.observe({ name: 'phone', screenshot: ObservedImage.NONE }, AS_KEY)).observation!.elements;
  const act = (kinds: readonly object[], observed = ObserveDetail.NONE) =>
    on.world.client.act(
      { name: 'phone', steps: kinds.map((kind) => ({ kind })) as never, observe: observed, timeoutMs: 40_000 },
      AS_KEY,
    );
  const done = async (kinds: readonly object[]): Promise<void> => {
    const { failed } = await act(kinds);
    expect(failed?.message).to.equal(undefined);
  };
  const texts = async (): Promise<string> => (await observe()).map(({ text, label }) => text || label).join('|');
  const named = (elements: readonly Element[], words: string): { element: string } => {
    const found = elements.find(
      ({ text, label }) => text === words || label === words || label.startsWith(`${words},`),
    );
    if (found === undefined) throw new Error(`no ${words} on the screen`);
    return { element: found.id };
  };
  const tap = (value: object) => ({ case: 'tap', value });

  it('are good for the button of a timer three times, in one act and in three', async () => {
    await open('com.cloudphone.clock/.Main', '-e tab timer');
    const more = named(await observe(), '+10 s');
    await done([tap(more), tap(more), tap(more)]);
    expect(await texts()).to.contain('01:30');
    const again = named(await observe(), '+10 s');
    for (let count = 0; count < 3; count++) await done([tap(again)]);
    expect(await texts()).to.contain('02:00');
  });

  it('are good for a switch of a form after its slider', async () => {
    await open('com.cloudphone.lab/.Form');
    await done([{ case: 'scroll', value: { direction: 2 } }]);
    const form = await observe();
    const slider = form.find(({ label }) => label.includes('Level'))!;
    await done([tap({ element: slider.id }), tap(named(form, 'Send me news'))]);
    const news = (await observe()).find(({ text }) => text === 'Send me news');
    expect(news?.states).to.include('checked');
  });

  it('are good for the same row after a long press, and for its neighbours', async () => {
    await open('com.cloudphone.lab/.List');
    const rows = await observe();
    await done([{ case: 'longPress', value: named(rows, 'Row 3') }, tap(named(rows, 'Row 3'))]);
    expect(await texts()).to.contain('Row 3 tapped');
    const again = await observe();
    await done(['Row 1', 'Row 2', 'Row 4'].map((row) => tap(named(again, row))));
    expect(await texts()).to.contain('Row 4 tapped');
  });

  it('are over when somebody else has acted meanwhile, and the screen differs', async () => {
    await open('com.cloudphone.lab/.List');
    const rows = await observe();
    await done([tap(named(rows, 'Row 1'))]);
    await on.world.client.act(
      { name: 'phone', step: tap({ x: 300, y: 700 }) as never, observe: ObserveDetail.NONE },
      { headers: { authorization: 'Bearer key_2' } },
    );
    const refused = await act([tap(named(rows, 'Row 2'))]).catch((error: unknown) => String(error));
    expect(refused).to.contain('what surrounds it has changed');
  });

  it('are over when the step led to another page with the same buttons', async () => {
    await open('com.cloudphone.lab/.Products');
    const page = await observe();
    const { failed } = await act([tap(named(page, 'Next product')), tap(named(page, 'Buy'))]);
    expect(failed).to.include({ step: 1, error: 'not_found' });
    expect(await texts()).to.contain('Nothing is bought');
  });
});
