import { openTestCall } from '../../testing/open-test-call.js';
import { expect } from 'chai';
import { type FakeAdbd, say, startFakeAdbd } from '../../testing/phone/fake-adbd.js';
import { openTestSession } from '../testing/screen-world.js';
import { typeText } from './type-text.js';

const TEXT_IME = 'com.android.adbkeyboard/.AdbIME';
const OWN_IME = 'com.android.inputmethod.latin/.LatinIME';

describe('two callers that type Unicode at the same time', () => {
  let adbd: FakeAdbd;
  let current: string;
  /** The typed text, with the input method of that moment. */
  let typed: [string, string][];

  beforeEach(async () => {
    current = OWN_IME;
    typed = [];
    adbd = await startFakeAdbd(async (stream) => {
      const { service } = stream;
      // The commands of two callers meet at this point.
      await new Promise((resolve) => setTimeout(resolve, 10));
      const set = /ime set '([^']+)'/.exec(service)?.[1];
      for (const [, message = ''] of service.matchAll(/--es msg (\S+)/g)) {
        typed.push([Buffer.from(message, 'base64').toString(), current]);
      }
      if (set !== undefined) current = set;
      await say(stream, service.includes('ime list') ? `${TEXT_IME}\n${OWN_IME}\n\n${current}\n` : '');
    });
  });
  afterEach(() => adbd.close());

  it('each type all of it, and the phone gets its own input method back', async () => {
    const sessions = [openTestSession(adbd.port), openTestSession(adbd.port)];
    await Promise.all(
      sessions.map((phoneSession, at) =>
        typeText(openTestCall(), phoneSession, `日本 ${at}\n買い物 ${at}`, { field: 'text' }),
      ),
    );
    expect(typed.filter(([, method]) => method !== TEXT_IME)).to.be.empty;
    expect(typed.map(([text]) => text).sort()).to.deep.equal(['日本 0', '日本 1', '買い物 0', '買い物 1']);
    expect(current).to.equal(OWN_IME);
    for (const phoneSession of sessions) phoneSession.close();
  });
});
