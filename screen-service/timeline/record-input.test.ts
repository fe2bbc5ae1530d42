import { create } from '@bufbuild/protobuf';
import { expect } from 'chai';
import { SendInputRequestSchema } from '../../proto/gen/cloudphone/screen/v1/screen_service_pb.js';
import type { PhoneSession } from '../phones/phone-session.js';
import { openTestSession } from '../testing/screen-world.js';
import { type ScriptedPhone, startScriptedPhone } from '../testing/scripted-phone.js';
import { InputScreens } from './record-input.js';
import { SmallPictures } from './small-pictures.js';

describe('the entry of input', () => {
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

  /** Records input, runs `meanwhile` before the picture after it is taken, and returns that picture. */
  async function pictureAfter(meanwhile: () => void): Promise<Uint8Array | undefined> {
    const screens = new InputScreens(new SmallPictures());
    const request = create(SendInputRequestSchema, { events: [] });
    const recorded = screens.record(session, SendInputRequestSchema, request, undefined);
    meanwhile();
    await recorded.when;
    return (await recorded.describe()).after;
  }

  it('has the picture of the screen after it', async () => {
    expect((await pictureAfter(() => undefined))?.length).to.be.above(0);
  });

  it('has no picture that may show a secret which was typed until it was taken', async () => {
    expect(await pictureAfter(() => session.secrets.remember('hunter2', 'com.x'))).to.equal(undefined);
  });
});
