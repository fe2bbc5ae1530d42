import { connect } from 'node:net';
import { expect } from 'chai';
import { systemClock } from '../../../kit/async/clock.js';
import { PhoneLink } from '../../../phone/link/phone-link.js';
import { FakeClock } from '../../../testing/fake-clock.js';
import { type FakeAdbd, type FakeStream, startFakeAdbd } from '../../../testing/phone/fake-adbd.js';
import { until } from '../../../testing/until.js';
import { BadResponse, requestOnPhone } from './phone-http.js';
import { Uia2Client } from './uia2-client.js';

const signal = new AbortController().signal;

describe("a request to a phone's HTTP server", () => {
  let adbd: FakeAdbd;
  let link: PhoneLink;
  beforeEach(async () => {
    adbd = await startFakeAdbd(() => undefined);
    link = await PhoneLink.open({
      host: '127.0.0.1',
      port: adbd.port,
      clock: systemClock,
      connectSocket: (host, port) => connect({ host, port }),
      timeoutMs: 5_000,
    });
  });
  afterEach(async () => {
    link.close();
    await adbd.close();
  });

  const open = () => link.socket('tcp:6790', { timeoutMs: 5_000, doing: 'open it' });
  const request = (options: { maxBytes?: number; clock?: FakeClock } = {}) =>
    requestOnPhone(options.clock ?? systemClock, open, {
      method: 'GET',
      path: '/status',
      timeoutMs: 30_000,
      maxBytes: options.maxBytes ?? 1_000,
    });
  const sending = (...texts: string[]) =>
    (adbd.response = async (stream: FakeStream) => {
      for (const text of texts) await stream.write(Buffer.from(text));
      stream.close();
    });
  const json = (body: unknown, status = 200) => {
    const text = JSON.stringify(body);
    return `HTTP/1.1 ${status} X\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
  };
  async function refusal(work: Promise<unknown>): Promise<Error> {
    return work.then(
      () => expect.fail('it was not refused'),
      (error: unknown) => error as Error,
    );
  }

  it('returns the response, in one piece or in chunks', async () => {
    sending('HTTP/1.1 200 OK\r\ncontent-', 'length: 4\r\n\r\nbo', 'dy');
    expect(await request()).to.deep.equal({ status: 200, body: Buffer.from('body') });
    sending('HTTP/1.1 500 Oh\r\ntransfer-encoding: chunked\r\n\r\n2\r\nbo\r\n2\r\ndy\r\n0\r\n\r\n');
    expect(await request()).to.deep.equal({ status: 500, body: Buffer.from('body') });
    expect(adbd.opened).to.deep.equal(['tcp:6790', 'tcp:6790']);
    await until(() => adbd.closed.length === 2);
  });

  for (const [what, texts] of [
    ['no HTTP', ['SSH-2.0-OpenSSH\r\n']],
    ['another protocol', ['HTTP/1.1 101 X\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n']],
    ['two lengths', ['HTTP/1.1 200 OK\r\ncontent-length: 4\r\ncontent-length: 5\r\n\r\nbody']],
    ['half a head', ['HTTP/1.1 200 OK\r\ncontent-le']],
    ['half a body', ['HTTP/1.1 200 OK\r\ncontent-length: 40\r\n\r\nbody']],
    ['nothing', []],
  ] as const)
    it(`refuses ${what}`, async () => {
      sending(...texts);
      expect(await refusal(request())).to.be.an('error');
    });

  it('reads no more than the bounds of head and body, and hangs up', async () => {
    const forever = (head: string, text: string) =>
      (adbd.response = async (stream: FakeStream) => {
        await stream.write(Buffer.from(head));
        while (!adbd.closed.includes(stream.service)) await stream.write(Buffer.from(text));
      });
    forever('HTTP/1.1 200 OK\r\n', `x-more: ${'y'.repeat(4_000)}\r\n`);
    expect(await refusal(request())).to.be.an('error');
    await until(() => adbd.closed.length === 1);
    adbd.closed.length = 0;
    forever('HTTP/1.1 200 OK\r\n\r\n', 'z'.repeat(4_000));
    expect((await refusal(request())).message).to.equal('more than 1000 bytes');
    await until(() => adbd.closed.length === 1);
  });

  it('waits no longer than its time', async () => {
    const clock = new FakeClock();
    const waiting = refusal(request({ clock }));
    await until(() => adbd.opened.length === 1);
    clock.turn(30_000);
    expect(await waiting).to.be.instanceOf(BadResponse);
    await until(() => adbd.closed.length === 1);
  });

  describe('of the UiAutomator2 server', () => {
    const client = () => new Uia2Client(systemClock, open);
    const limits = { timeoutMs: 30_000, maxBytes: 100_000 };

    it('takes a session id from either place, and no id that is a path', async () => {
      adbd.response = async (stream) => {
        const isSession = adbd.opened.length === 1;
        await stream.write(Buffer.from(json(isSession ? { sessionId: 'ab-12', value: null } : { value: {} })));
        stream.close();
      };
      expect(await client().begin('ph_1', signal)).to.equal('ab-12');
      sending(json({ value: { sessionId: '../status', capabilities: {} } }));
      expect((await refusal(client().begin('ph_1', signal))).message).to.equal('a session without an id');
    });

    it('finds only sessions of its own, where no other client has one', async () => {
      const own = { id: 'a', capabilities: { 'cloudphone:owner': 'ph_1' } };
      const theirs = { id: 'b', capabilities: {} };
      for (const [sessions, found] of [
        [[own], ['a']],
        [[own, theirs], undefined],
        [[theirs], undefined],
        [[], undefined],
        ['none', undefined],
        [[null], undefined],
      ] as const) {
        sending(json({ value: sessions }));
        expect(await client().ownSessions('ph_1', signal), JSON.stringify(sessions)).to.deep.equal(found);
      }
    });

    it('takes a source that is a text, and nothing else', async () => {
      sending(json({ value: '<hierarchy/>' }));
      expect(await client().source('a', limits, signal)).to.equal('<hierarchy/>');
      for (const body of [json({ value: { x: 1 } }), json({ value: null }), json([]), json({ value: '<x/>' }, 500)]) {
        sending(body);
        expect(await refusal(client().source('a', limits, signal))).to.be.instanceOf(BadResponse);
      }
      const text = '['.repeat(90_000);
      sending(`HTTP/1.1 200 OK\r\ncontent-length: ${text.length}\r\n\r\n${text}`);
      expect(await refusal(client().source('a', limits, signal))).to.be.instanceOf(BadResponse);
    });
  });
});
