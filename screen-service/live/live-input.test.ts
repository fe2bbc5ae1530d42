import type { MessageInitShape } from '@bufbuild/protobuf';
import { expect } from 'chai';
import { TouchPhase } from '../../proto/gen/cloudphone/screen/v1/input_pb.js';
import type { WatchScreenRequestSchema } from '../../proto/gen/cloudphone/screen/v1/live_pb.js';
import { FakeClock, settled } from '../../testing/fake-clock.js';
import { until } from '../../testing/until.js';
import { AS_KEY, type ScreenWorld, screenWorld } from '../testing/screen-world.js';
import { type ScriptedPhone, startScriptedPhone } from '../testing/scripted-phone.js';

type Request = MessageInitShape<typeof WatchScreenRequestSchema>;

describe('touches of a live stream', () => {
  let phone: ScriptedPhone;
  let world: ScreenWorld;
  let clock: FakeClock;
  let ended: AbortController;
  let requests: Request[];
  /** Times at which the phone got the touches, ms. */
  let times: number[];
  const { DOWN, UP } = TouchPhase;

  beforeEach(async () => {
    phone = await startScriptedPhone();
    clock = new FakeClock();
    world = screenWorld({ port: phone.adbd.port, clock });
    ended = new AbortController();
    requests = [{ name: 'phone', fps: 1 }];
    times = [];
    phone.onInput = () => void times.push(clock.monotonicMs());
    const send = async function* (): AsyncGenerator<Request> {
      while (!ended.signal.aborted) {
        const next = requests.shift();
        if (next !== undefined) yield next;
        else await settled();
      }
    };
    const responses = world.client.watchScreen(send(), { ...AS_KEY, signal: ended.signal })[Symbol.asyncIterator]();
    await responses.next();
    void (async () => {
      while ((await responses.next()).done !== true);
    })().catch(() => undefined);
  });
  afterEach(async () => {
    ended.abort();
    await world.close();
    await phone.adbd.close();
  });

  const touch = (phase: TouchPhase, atMs: number): Request => ({
    events: [{ kind: { case: 'touch', value: { phase, x: 10, y: 20 } }, atMs }],
  });

  async function pass(ms: number): Promise<void> {
    for (let passedMs = 0; passedMs < ms; passedMs += 10) {
      clock.turn(10);
      await settled();
    }
  }

  it('keep their own interval when the service was held up before the first: a click stays a click', async () => {
    let release: () => void = () => undefined;
    world.locating = () => new Promise((resolve) => (release = resolve));
    requests.push(touch(DOWN, 7_000), touch(UP, 7_100));
    await until(() => world.located.length === 2);
    await pass(700);
    world.locating = () => Promise.resolve();
    release();
    await until(() => times.length === 1);
    await until(async () => {
      await pass(10);
      return times.length === 2;
    });
    expect(times[1]! - times[0]!).to.equal(100);
  });

  it('do not wait for the permission again while a finger is down', async () => {
    requests.push(touch(DOWN, 7_000));
    await until(() => times.length === 1);
    // The device service does not respond any more.
    world.locating = () => new Promise(() => undefined);
    await pass(100);
    requests.push(touch(UP, 7_100));
    await until(() => times.length === 2);
    expect(times[1]! - times[0]!).to.equal(100);
  });

  it('are refused within a second once the caller may not touch any more, while a finger is down too', async () => {
    requests.push(touch(DOWN, 7_000));
    await until(() => times.length === 1);
    world.refuse = 'forbidden';
    await pass(1_100);
    requests.push({ events: [{ kind: { case: 'touch', value: { phase: TouchPhase.MOVE, x: 40, y: 20 } } }] });
    await pass(100);
    await until(() => phone.inputs.some((command) => command.includes('UP')));
    expect(phone.inputs.filter((command) => command.includes('MOVE'))).to.be.empty;
  });
});
