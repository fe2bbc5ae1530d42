import { expect } from 'chai';
import { openTestCall } from '../../testing/open-test-call.js';
import type { Frame } from '../capture/captures.js';
import { picture } from '../testing/picture.js';
import { openTestSession } from '../testing/screen-world.js';
import { type ScriptedPhone, startScriptedPhone, textNode } from '../testing/scripted-phone.js';
import type { PhoneSession } from '../phones/phone-session.js';
import { settle, type Settled } from './settle.js';

const box = (grey: number) => picture(90, 160, [{ x: 10, y: 100, width: 30, height: 30, grey }]);

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe('the wait for a screen to rest', () => {
  let phone: ScriptedPhone;
  let phoneSession: PhoneSession;
  /** The pictures with which the rest was announced. */
  let rested: Frame[];
  let onRest: () => void;

  beforeEach(async () => {
    phone = await startScriptedPhone();
    phoneSession = openTestSession(phone.adbd.port);
    rested = [];
    onRest = () => undefined;
  });
  afterEach(async () => {
    phoneSession.close();
    await phone.adbd.close();
  });

  function wait(): Promise<Settled> {
    const fromMs = phoneSession.clock.monotonicMs();
    return settle(openTestCall(), phoneSession, {
      ...{ settleMs: 300, observe: true, expect: undefined, fromMs, untilMs: fromMs + 20_000 },
      onRest: (frame) => {
        rested.push(frame);
        onRest();
      },
    });
  }

  it('announces the picture of the end before the tree is there, once', async () => {
    phone.pixels = () => box(0);
    let announced: () => void = () => undefined;
    const whenRested = new Promise<void>((resolve) => (announced = resolve));
    onRest = announced;
    // The tree comes only once the picture was announced.
    phone.tree = async () => {
      await whenRested;
      return textNode('Hello');
    };
    const { still, state } = await wait();
    expect(still).to.equal(true);
    expect(rested.map(({ pixels }) => pixels)).to.deep.equal([state!.frame.pixels]);
    expect(rested[0]!.pixels).to.equal(state!.frame.pixels);
  });

  it('announces another picture where the screen changes once more', async () => {
    phone.pixels = () => box(0);
    let dumps = 0;
    phone.tree = async () => {
      if (dumps++ > 0) return textNode('Second');
      for (let looks = 0; rested.length === 0 && looks < 1_000; looks++) await new Promise(setImmediate);
      phone.pixels = () => box(200);
      return textNode('First');
    };
    const { still, state } = await wait();
    expect(still).to.equal(true);
    expect(rested.at(-1)!.pixels).to.equal(state!.frame.pixels);
    expect(rested.at(-1)!.pixels.data.equals(box(200).data)).to.equal(true);
  });

  it('requests a tree of the present screen when one of an earlier screen arrives, without another picture', async () => {
    let pictures = 0;
    phone.pixels = () => {
      pictures++;
      return box(pictures < 4 ? 0 : 120);
    };
    let release: () => void = () => undefined;
    phone.tree = async () => {
      if (phone.dumps > 1) {
        release();
        return textNode('Second');
      }
      for (let looks = 0; pictures < 10 && looks < 1_000; looks++) await pause(5);
      // From now on no picture comes until another tree is requested.
      const released = new Promise<void>((resolve) => (release = resolve));
      phone.sending = () => released;
      return textNode('First');
    };
    const { still, state } = await wait();
    expect(still).to.equal(true);
    expect(state?.dump?.tree?.roots[0]?.text).to.equal('Second');
  });
});
