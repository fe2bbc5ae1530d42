import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { PhoneNetworkQuality } from '../../phone/conditions.js';
import { FakeClock, settled } from '../../testing/fake-clock.js';
import { until } from '../../testing/until.js';
import { createPhoneNetwork, FetchTimeout } from './phone-network.js';
import { LostRequest, SlowLink } from './slow-link.js';

describe('the slow link of a phone', () => {
  const { signal } = new AbortController();
  let clock: FakeClock;
  let quality: PhoneNetworkQuality | undefined;
  let random: number;
  let link: SlowLink;

  beforeEach(() => {
    clock = new FakeClock();
    quality = { latencyMs: 0, loss: 0 };
    random = 0.5;
    link = new SlowLink({ quality: () => quality, clock, random: () => random });
  });

  /** Returns how long work takes, ms, by the clock, which is moved on in steps. */
  async function timeOf(work: Promise<unknown>, stepMs = 10): Promise<number> {
    const beganMs = clock.monotonicMs();
    const state = { over: false };
    void work.finally(() => (state.over = true)).catch(() => undefined);
    await settled();
    while (!state.over) {
      clock.turn(stepMs);
      await settled();
    }
    return clock.monotonicMs() - beganMs;
  }

  const ends = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error);

  it('takes no time where nothing slows it', async () => {
    for (const none of [undefined, { latencyMs: 0, loss: 0 }]) {
      quality = none;
      expect(await timeOf(link.roundTrip(signal))).to.equal(0);
      expect(await timeOf(link.pass(1_000_000, signal))).to.equal(0);
    }
    expect(clock.timers).to.equal(0);
  });

  it('takes the latency for each round trip', async () => {
    quality = { latencyMs: 300, loss: 0 };
    expect(await timeOf(link.roundTrip(signal))).to.equal(300);
  });

  it('loses as many requests as it is set to, after their round trip', async () => {
    for (const [loss, at, isLost] of [
      [0, 0, false],
      [0.1, 0.09, true],
      [0.1, 0.1, false],
      [1, 0.999_999, true],
    ] as const) {
      quality = { latencyMs: 0, loss };
      random = at;
      expect((await ends(link.roundTrip(signal))) instanceof LostRequest, `${loss} ${at}`).to.equal(isLost);
    }
  });

  it('lets bytes through at its rate, shared by all requests', async () => {
    quality = { latencyMs: 0, loss: 0, kbps: 80 };
    expect(await timeOf(link.pass(10_000, signal))).to.equal(1_000);
    expect(await timeOf(Promise.all([link.pass(10_000, signal), link.pass(10_000, signal)]))).to.equal(2_000);
  });

  it('follows a rate that changes meanwhile', async () => {
    quality = { latencyMs: 0, loss: 0, kbps: 1 };
    const passing = link.pass(1_000_000, signal);
    await settled();
    quality = { latencyMs: 0, loss: 0 };
    expect(await timeOf(passing)).to.be.at.most(250);
  });

  it('is free soon after a request that was aborted, however slow it is', async () => {
    quality = { latencyMs: 0, loss: 0, kbps: 1 };
    const abort = new AbortController();
    const aborted = ends(link.pass(10_000_000, abort.signal));
    await settled();
    abort.abort(new Error('left'));
    expect(await aborted).to.have.property('message', 'left');
    expect(await timeOf(link.pass(1, signal))).to.be.at.most(260);
    expect(clock.timers).to.equal(0);
  });

  describe('under the phone’s network', () => {
    let site: Server;
    let url: string;

    before(async () => {
      site = createServer((_request, response) => response.end('x'.repeat(10_000)));
      await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
      url = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`;
    });
    after(() => {
      site.closeAllConnections();
      site.close();
    });

    const fetched = () => {
      const exit = { type: 'direct', country: 'us', timezone: 'UTC' };
      return ends(createPhoneNetwork(exit, { clock, allowPrivateTargets: true, link }).fetchText(url, { maxBytes: 20_000 })); // prettier-ignore
    };

    it('delays requests, and the pages that come back', async () => {
      quality = { latencyMs: 300, loss: 0, kbps: 80 };
      const beganMs = clock.monotonicMs();
      let page: unknown;
      void fetched().then((found) => (page = found));
      await until(() => {
        // There is more than one timer, as that of the time limit is always there.
        if (clock.timers > 1) clock.turn(10);
        return page !== undefined;
      });
      expect(page).to.deep.include({ status: 200, text: 'x'.repeat(10_000) });
      expect(clock.monotonicMs() - beganMs).to.be.within(1_300, 1_400);
    });

    it('fails requests that get lost, and those that take too long', async () => {
      quality = { latencyMs: 0, loss: 1 };
      expect(await fetched()).to.be.instanceOf(LostRequest);
      quality = { latencyMs: 0, loss: 0, kbps: 1 };
      let failure: unknown;
      void fetched().then((error) => (failure = error));
      await until(() => {
        if (clock.timers > 1) clock.turn(250);
        return failure !== undefined;
      });
      expect(failure).to.be.instanceOf(FetchTimeout);
    });
  });
});
