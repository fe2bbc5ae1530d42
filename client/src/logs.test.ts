import { expect } from 'chai';
import { CloudPhone } from './cloud-phone.js';
import type { CloudPhoneError } from './errors.js';
import type { LogEvent } from './logs.js';

const lineOf = (second: number, message: string): string =>
  `event: log\ndata: ${JSON.stringify({ time: `2026-11-20T17:00:0${second}.000Z`, pid: 1, tid: 1, level: 'info', tag: 'A', message })}\n\n`;

/** Returns a client whose streams have these texts, one after the other, and then a refusal. */
function scripted(texts: readonly string[]) {
  const sent: string[] = [];
  const phone = new CloudPhone({
    url: 'http://service.example/v1',
    key: 'cp_secret',
    fetch: async (request) => {
      const text = texts[sent.length];
      sent.push(request.url);
      if (text !== undefined) return new Response(text, { status: 200 });
      return new Response('{"error":"busy","message":"The phone is off."}', { status: 409 });
    },
    wait: async () => undefined,
  });
  return { phone, sent };
}

async function takeAll(events: AsyncGenerator<LogEvent, void>): Promise<{ taken: string[]; fault: unknown }> {
  const taken: string[] = [];
  try {
    for await (const event of events) taken.push('line' in event ? event.line.message : `lost ${event.lost}`);
  } catch (fault) {
    return { taken, fault };
  }
  return { taken, fault: undefined };
}

describe('the log of a phone, as the client follows it', () => {
  it('goes on after the last line when the stream was cut, with each line once', async () => {
    const overlap = lineOf(1, 'a') + lineOf(2, 'b') + lineOf(2, 'b') + lineOf(2, 'c') + lineOf(3, 'd');
    const { phone, sent } = scripted([lineOf(1, 'a') + lineOf(2, 'b'), ':\n\n', overlap]);
    const { taken, fault } = await takeAll(phone.followLogs('demo', { sinceLines: 7, level: 'info', tag: 'A b' }));
    expect(taken).to.deep.equal(['a', 'b', 'b', 'c', 'd']);
    expect((fault as CloudPhoneError).kind).to.equal('busy');
    expect(sent.slice(0, 3)).to.deep.equal([
      'http://service.example/v1/devices/demo/logs/stream?level=info&tag=A+b&since_lines=7',
      'http://service.example/v1/devices/demo/logs/stream?level=info&tag=A+b&since_lines=5000',
      'http://service.example/v1/devices/demo/logs/stream?level=info&tag=A+b&since_lines=5000',
    ]);
  });

  it('yields lines of a clock that was put back', async () => {
    const { phone } = scripted([lineOf(5, 'late') + lineOf(1, 'early') + lineOf(1, 'early')]);
    expect((await takeAll(phone.followLogs('demo'))).taken).to.deep.equal(['late', 'early', 'early']);
  });

  it('yields how many lines were lost', async () => {
    const { phone } = scripted(['event: lost\ndata: {"lines":120}\n\n']);
    expect((await takeAll(phone.followLogs('demo'))).taken).to.deep.equal(['lost 120']);
  });
});
