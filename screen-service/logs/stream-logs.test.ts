import { expect } from 'chai';
import { type FakeAdbd, say, startFakeAdbd } from '../../testing/phone/fake-adbd.js';
import { picture, rawScreencap } from '../testing/picture.js';
import { openTestSession } from '../testing/screen-world.js';
import { openTestCall } from '../../testing/open-test-call.js';
import { streamLogs } from './stream-logs.js';

/** How many lines the phone writes. */
const LINES = 500_000;

describe('a log that is followed', () => {
  let adbd: FakeAdbd;

  before(async () => {
    adbd = await startFakeAdbd(async (stream) => {
      if (!stream.service.includes('logcat')) return say(stream, rawScreencap(picture(90, 160)));
      await stream.write(Buffer.from('1700000000 +0000\nEtc/UTC\n'));
      const lines = Buffer.from('11-14 22:13:20.000  1  2 I Tag: a line\n'.repeat(1_000));
      for (let chunk = 0; chunk < LINES / 1_000; chunk++) await stream.write(lines);
    });
  });
  after(() => adbd.close());

  it('holds up no other command of the phone when its reader is slow', async () => {
    const phoneSession = openTestSession(adbd.port, { captureTimeoutMs: 2_000 });
    const call = openTestCall();
    const log = streamLogs(call, phoneSession, { level: undefined, tag: undefined, sinceMs: 0 });
    expect((await log.next()).value?.lines).not.to.be.empty;
    // The phone fills all buffers between it and the reader, which has stopped reading.
    await new Promise((resolve) => setTimeout(resolve, 300));
    const { pixels } = await phoneSession.captures.next(call);
    expect(pixels.width).to.equal(90);
    expect(adbd.connections, 'the log has a connection of its own').to.equal(2);
    call.hangUp();
    await log.return(undefined);
    phoneSession.close();
    await adbd.disconnected();
  });
});
