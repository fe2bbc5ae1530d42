import { create } from '@bufbuild/protobuf';
import { expect } from 'chai';
import { SendInputRequestSchema } from '../../proto/gen/cloudphone/screen/v1/screen_service_pb.js';
import type { PhoneSession } from '../phones/phone-session.js';
import { picture } from '../testing/picture.js';
import { openTestSession } from '../testing/screen-world.js';
import { type ScriptedPhone, startScriptedPhone } from '../testing/scripted-phone.js';
import type { Reading } from './gesture-screens.js';
import { recordGesture } from './record-gesture.js';
import { SmallPictures } from './small-pictures.js';

describe('the entry of a gesture on a live screen', () => {
  let phone: ScriptedPhone;
  let session: PhoneSession;
  beforeEach(async () => {
    phone = await startScriptedPhone();
    session = openTestSession(phone.adbd.port);
  });
  afterEach(async () => {
    session.close();
    await phone.adbd.close();
  });

  /** Records a gesture, runs `meanwhile` before its screen has been read, and returns its entry. */
  async function entryWith(meanwhile: () => void) {
    const frame = { pixels: picture(90, 160), beganMs: 1, endedMs: 2, takenAt: 3 };
    const front = { app: 'com.x', isKeyboardShown: false } as Reading['front'];
    const reading: Reading = {
      frame,
      readWith: undefined,
      dump: undefined,
      front,
      consistent: false,
      still: false,
      endedMs: 2,
    };
    let onRead: (reading: Reading) => void = () => undefined;
    const after = new Promise<Reading>((resolve) => (onRead = resolve));
    const recorded = recordGesture(new SmallPictures(), session, {
      request: create(SendInputRequestSchema, { events: [] }),
      before: undefined,
      beginning: { dump: undefined, readWith: undefined, latest: undefined },
      after,
      lastMs: 0,
    });
    meanwhile();
    onRead(reading);
    await recorded.when;
    return recorded.describe();
  }

  it('has the picture of the screen after it', async () => {
    const { after } = await entryWith(() => undefined);
    expect(after?.length).to.be.above(0);
  });

  it('has no picture that may show a secret which another caller has typed until the screen was read', async () => {
    const { after } = await entryWith(() => session.secrets.remember('hunter2', 'com.x'));
    expect(after).to.equal(undefined);
  });
});
