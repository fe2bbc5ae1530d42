import type { MessageInitShape } from '@bufbuild/protobuf';
import { ConnectError } from '@connectrpc/connect';
import { expect } from 'chai';
import { systemClock } from '../../kit/clock.js';
import type { WatchScreenRequestSchema, WatchScreenResponse } from '../../proto/gen/cloudphone/screen/v1/live_pb.js';
import { picture } from '../testing/picture.js';
import { AS_KEY, type ScreenWorld, screenWorld } from '../testing/screen-world.js';
import { type ScriptedPhone, startScriptedPhone } from '../testing/scripted-phone.js';

type Request = MessageInitShape<typeof WatchScreenRequestSchema>;
type Message = WatchScreenResponse['message'];

describe('a stream of a live screen', () => {
  let phone: ScriptedPhone;
  let world: ScreenWorld;
  const stop: (() => void)[] = [];
  beforeEach(async () => {
    phone = await startScriptedPhone();
    world = screenWorld({ port: phone.adbd.port, limits: { awayMs: 1_200 } });
  });
  afterEach(async () => {
    for (const end of stop.splice(0)) end();
    await world.close();
    await phone.adbd.close();
  });

  /** Opens a stream; messages are read one by one, requests are sent by the function. */
  function watch(first: Request = { name: 'phone' }) {
    const ended = new AbortController();
    stop.push(() => ended.abort());
    const waiting: Request[] = [first];
    let wake: () => void = () => undefined;
    const requests = async function* (): AsyncGenerator<Request> {
      while (!ended.signal.aborted) {
        const next = waiting.shift();
        if (next !== undefined) yield next;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    };
    const responses = world.client.watchScreen(requests(), { ...AS_KEY, signal: ended.signal })[Symbol.asyncIterator]();
    return {
      send: (request: Request): void => {
        waiting.push(request);
        wake();
      },
      /** The next message of the kind. */
      next: async <K extends Message['case']>(kind: K): Promise<Extract<Message, { case: K }>> => {
        for (;;) {
          const { value, done } = await responses.next();
          if (done === true) throw new Error('the stream has ended');
          const { message } = value;
          if (message.case === kind) return message as Extract<Message, { case: K }>;
        }
      },
      /** Why it ended. */
      end: async (): Promise<unknown> => {
        try {
          while ((await responses.next()).done !== true);
          return undefined;
        } catch (error) {
          return error;
        }
      },
    };
  }

  it('begins with hello, then the picture', async () => {
    const stream = watch();
    const { value: hello } = await stream.next('hello');
    expect(hello.screen).to.include({ width: 90, height: 160, rotation: 0 });
    const { value } = await stream.next('frame');
    expect(value).to.include({ number: 1, contentType: 'image/jpeg' });
  });

  it('refuses a first message with input, and rules that are broken', async () => {
    const key = { kind: { case: 'key' as const, value: { name: 'home' } } };
    expect(await watch({ name: 'phone', events: [key] }).end()).to.have.property('kind', 'bad_request');
    expect(await watch({ name: 'phone', fps: 0 }).end()).to.have.property('kind', 'bad_request');
    world.refuse = 'forbidden';
    expect(await watch().end()).to.have.property('kind', 'forbidden');
  });

  it('ends soon after the caller may not watch any more', async () => {
    const stream = watch();
    await stream.next('frame');
    world.refuse = 'unauthorized';
    const error = await stream.end();
    expect(error).not.to.be.instanceOf(ConnectError);
    expect(error).to.have.property('kind', 'unauthorized');
  });

  it('reports a phone that does not run, waits for it, and ends when it does not come back', async () => {
    const stream = watch();
    await stream.next('frame');
    world.refuse = 'busy';
    expect((await stream.next('error')).value).to.include({ error: 'busy' });
    const beganMs = systemClock.monotonicMs();
    expect(await stream.end()).to.have.property('kind', 'busy');
    expect(systemClock.monotonicMs() - beganMs).to.be.within(900, 5_000);
  });

  it('goes on with the phone as it was started anew', async () => {
    const stream = watch();
    await stream.next('frame');
    world.refuse = 'busy';
    await stream.next('error');
    phone.pixels = () => picture(160, 90);
    world.phone.generation = 2;
    world.refuse = undefined;
    expect((await stream.next('screen')).value.screen).to.include({ width: 160, height: 90 });
    await stream.next('frame');
  });
});
