import { expect } from 'chai';
import { ObserveDetail } from '../../proto/gen/cloudphone/screen/v1/screen_service_pb.js';
import type { TypeText } from '../../proto/gen/cloudphone/screen/v1/step_pb.js';
import { AS_KEY, screenWorld, type ScreenWorld } from '../testing/screen-world.js';
import { type ScriptedPhone, startScriptedPhone } from '../testing/scripted-phone.js';
import { refusalOf } from '../../testing/refusal.js';

// A phone without an input method that takes text by broadcast: keys are all there is.
describe('a field', () => {
  let phone: ScriptedPhone;
  let world: ScreenWorld;

  beforeEach(async () => {
    phone = await startScriptedPhone();
    world = screenWorld({ port: phone.adbd.port });
  });
  afterEach(async () => {
    await world.close();
    await phone.adbd.close();
  });

  const type = (value: Partial<TypeText>) =>
    world.client.act(
      { name: 'phone', step: { case: 'type', value: value as TypeText }, observe: ObserveDetail.NONE },
      AS_KEY,
    );
  const holds = (text: string, widget: string): void => {
    phone.tree = () =>
      `<node text="${text}" class="android.widget.${widget}" package="com.x" focused="true" enabled="true" ` +
      'bounds="[0,0][90,30]" />';
  };
  /** Returns how often a key was pressed, by its code. */
  const presses = (code: number): number =>
    phone.inputs.flatMap((command) => command.split(/\D+/)).filter((word) => word === String(code)).length;

  it('that completes typed text is cleared whole', async () => {
    holds('x'.repeat(200), 'AutoCompleteTextView');
    await type({ text: '', clear: true });
    expect(presses(67)).to.equal(200);
  });

  it('of several lines is cleared on both sides of the caret, as the end key leads to the end of its line', async () => {
    holds('one&#10;two&#10;three', 'EditText');
    await type({ text: '', clear: true });
    expect([presses(67), presses(112)]).to.deep.equal([13, 13]);
  });

  it('gets nothing of events whose text the phone cannot type', async () => {
    const key = { kind: { case: 'key' as const, value: { name: 'home' } } };
    const text = { kind: { case: 'text' as const, value: { text: 'ü' } } };
    const error = await refusalOf(world.client.sendInput({ name: 'phone', events: [key, text] as never }, AS_KEY));
    expect(error.message).to.contain('events[1].text.text: this phone types printable ASCII only');
    expect(phone.inputs).to.be.empty;
  });

  it('keeps its text when the phone cannot type the new one', async () => {
    holds('kept', 'EditText');
    const error = await refusalOf(type({ text: 'ü', clear: true }));
    expect(error.message).to.contain('printable ASCII only');
    expect(phone.inputs).to.be.empty;
  });
});
