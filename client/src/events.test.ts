import { expect } from 'chai';
import { CloudPhone } from './cloud-phone.js';
import type { CloudPhoneEvent } from './events.js';

type Reply =
  readonly [status: number, body: string | readonly (string | Error)[], headers?: Record<string, string>] | Error;

/** Returns a client whose requests get these replies, one after the other. An error in a body breaks the connection there. */
function scripted(replies: readonly Reply[]) {
  const sent: Request[] = [];
  const waitsMs: number[] = [];
  const phone = new CloudPhone({
    url: 'http://service.example/v1',
    key: 'cp_secret',
    fetch: async (request) => {
      const reply = replies[sent.length];
      sent.push(request);
      if (reply === undefined) throw new Error('more requests than replies');
      if (reply instanceof Error) throw reply;
      const [status, body, headers] = reply;
      return new Response(typeof body === 'string' ? body : streamOf(body), { status, ...(headers && { headers }) });
    },
    wait: async (ms) => void waitsMs.push(ms),
  });
  return { phone, sent, waitsMs };
}

function streamOf(chunks: readonly (string | Error)[]): ReadableStream<Uint8Array> {
  const left = [...chunks];
  return new ReadableStream({
    pull: (controller) => {
      const chunk = left.shift();
      if (chunk === undefined) controller.close();
      else if (chunk instanceof Error) controller.error(chunk);
      else controller.enqueue(new TextEncoder().encode(chunk));
    },
  });
}

const state = (id: number, word: string): string =>
  `id: ${id}\nevent: device.state\ndata: ${JSON.stringify({ event: 'device.state', ts: '2026-11-20T17:00:00Z', phone: 'é', state: word })}\n\n`;

async function take(events: AsyncGenerator<CloudPhoneEvent, void>, count: number): Promise<CloudPhoneEvent[]> {
  const taken: CloudPhoneEvent[] = [];
  for await (const event of events) if (taken.push(event) === count) break;
  return taken;
}

const lost = new TypeError('fetch failed', { cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) });

describe('events of the client', () => {
  it('go on after the last id, also after an id without an event', async () => {
    const whole = state(42, 'running');
    const { phone, sent, waitsMs } = scripted([
      [200, ['retry: 2000\n:\nid: 40\n\n', state(41, 'starting'), whole.slice(0, 30), lost]],
      lost,
      [503, '{"error":"unavailable","message":"Away."}', { 'retry-after': '7' }],
      [
        200,
        [
          whole.slice(0, 50),
          whole.slice(50),
          ':\nid: 50\n\n',
          'event: stream.closed\ndata: {"error":"unavailable"}\n\n',
        ],
      ],
      [200, [state(51, 'stopping').replaceAll('\n', '\r\n')]],
    ]);
    const events = await take(phone.events({ types: ['device.state'], device: 'é' }), 3);
    expect(events.map(({ id, ...event }) => [id, event.event === 'device.state' && event.state])).to.deep.equal([
      ...[['41', 'starting'], ['42', 'running'], ['51', 'stopping']], // prettier-ignore
    ]);
    expect(sent.map(({ headers }) => headers.get('last-event-id'))).to.deep.equal([null, '41', '41', '41', '50']);
    expect(sent[0]!.url).to.equal('http://service.example/v1/events?types=device.state&device=%C3%A9');
    expect(sent[0]!.headers.get('authorization')).to.equal('Bearer cp_secret');
    expect(waitsMs.map((ms) => Math.floor(ms / 1_000))).to.deep.equal([2, 2, 7, 2]);
  });

  it('end when the service refuses, and when no first request reaches it', async () => {
    const revoked = scripted([
      [200, ['id: 1\n\n']],
      [401, '{"error":"unauthorized","message":"Send a key."}'],
    ]);
    const refused: unknown = await take(revoked.phone.events(), 1).catch((error: unknown) => error);
    expect(refused).to.include({ kind: 'unauthorized', status: 401 });
    const nothing = scripted([lost, lost, lost, lost, lost]);
    const unreachable: unknown = await take(nothing.phone.events(), 1).catch((error: unknown) => error);
    expect(unreachable).to.include({ kind: 'unreachable' });
    expect(nothing.sent).to.have.length(5);
  });

  it('end by the signal of the caller', async () => {
    const { phone } = scripted([[200, [state(1, 'running')]], lost, lost]);
    const abort = new AbortController();
    const events = phone.events({ signal: abort.signal });
    await events.next();
    abort.abort(new Error('enough'));
    const error: unknown = await events.next().catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(Error);
  });

  it('are bounded: a line without an end is an error', async () => {
    const endless = Array.from({ length: 70 }, () => 'x'.repeat(65_536));
    const { phone } = scripted([[200, endless]]);
    const error: unknown = await take(phone.events(), 1).catch((reason: unknown) => reason);
    expect(error).to.include({ kind: 'unexpected' });
  });
});
