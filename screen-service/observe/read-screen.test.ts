import { expect } from 'chai';
import { systemClock } from '../../kit/async/clock.js';
import { openTestCall } from '../../testing/open-test-call.js';
import { unhandledRejections } from '../../testing/unhandled-rejections.js';
import { until } from '../../testing/until.js';
import { openTestSession } from '../testing/screen-world.js';
import { type ScriptedPhone, startScriptedPhone } from '../testing/scripted-phone.js';
import { readScreen } from './read-screen.js';

describe('reading the screen', () => {
  let phone: ScriptedPhone;

  beforeEach(async () => {
    phone = await startScriptedPhone();
  });

  afterEach(() => phone.adbd.close());

  it('leaves no rejection unhandled when the call ends while a second picture is under way before the first has arrived', async () => {
    const phoneSession = openTestSession(phone.adbd.port);
    const never = new Promise<never>(() => undefined);
    let captures = 0;
    phone.sending = () => {
      captures++;
      return never;
    };
    phone.tree = () => never;
    const call = openTestCall({ clock: systemClock });
    const reasons = await unhandledRejections(async () => {
      const read = readScreen(call, phoneSession).catch((error: unknown) => error);
      await until(async () => captures === 2);
      call.hangUp();
      expect(await read).to.be.instanceOf(Error);
    });
    phoneSession.close();
    expect(reasons).to.deep.equal([]);
  });
});
