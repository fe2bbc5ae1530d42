import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { CloudPhone } from '../../../client/src/cloud-phone.js';
import { until } from '../../../testing/until.js';
import type { EpisodePhones } from '../pool/gym-phones.js';
import { ALL_TASKS } from '../tasks/all-tasks.js';
import { serveGym } from './serve.js';

const [url, key] = ['http://127.0.0.1:1/v1', 'none'];

/** Phones that are never there: what is tested here fails before one is needed, or because none is there. */
const NO_PHONES: EpisodePhones = {
  service: { phone: new CloudPhone({ url, key }), url, key },
  take: () => Promise.reject(new Error('no phone is ready')),
  giveBack: () => undefined,
  settled: () => Promise.resolve(),
};

describe('a served gym', () => {
  /** Returns the responses to some lines. */
  async function served(...lines: string[]): Promise<{ id?: unknown; result?: unknown; error?: string }[]> {
    const input = new PassThrough();
    const responses: string[] = [];
    const serving = { tasks: ALL_TASKS, input, nowMs: () => 0, line: (text: string) => void responses.push(text) };
    const ended = serveGym(NO_PHONES, serving);
    input.end(lines.map((line) => `${line}\n`).join(''));
    await ended;
    return responses.map((text) => JSON.parse(text) as { id?: unknown });
  }

  it('lists the tasks, with names as those of the API', async () => {
    const [response] = await served('{"id": 1, "do": "list"}');
    expect(response?.result).to.have.length(100);
    expect((response?.result as object[])[0]).to.deep.equal({
      id: 'settings/airplane-on',
      family: 'settings',
      max_steps: 25,
    });
  });

  it('responds to each line with its id, and goes on after an error', async () => {
    const responses = await served(
      ...['{"id": "a", "do": "fly"}', '{"id": "b", "do": "reset", "task": "none/none"}', 'no json', ''],
      ...['{"id": "c", "do": "step"}', '{"id": "d", "do": "step", "action": {"tap": {}}}', '7'],
      ...['{"id": "e", "do": "reset", "task": "notes/write"}', '{"id": "f", "do": "close"}'],
    );
    const byId = new Map(responses.map((response) => [response.id, response]));
    expect(byId.get('a')?.error).to.include('"list", "reset", "step" or "close"');
    expect(byId.get('b')?.error).to.include('There is no task "none/none"');
    expect(byId.get('c')?.error).to.include('needs "action"');
    expect(byId.get('d')?.error).to.include('Call reset first');
    expect(byId.get('e')?.error).to.equal('no phone is ready');
    expect(byId.get('f')).to.deep.equal({ id: 'f', result: null });
    expect(responses.filter(({ id }) => id === undefined)).to.have.length(2);
  });

  it('bounds the environments and the length of a line', async () => {
    const lines = Array.from({ length: 60 }, (_, at) => `{"id": ${at}, "do": "list", "env": "e${at}"}`);
    const responses = await served(...lines, `{"id": 99, "do": "${'x'.repeat(1_100_000)}"}`);
    expect(responses.filter(({ error }) => error?.includes('at most 50 environments'))).to.have.length(10);
    expect(responses.some(({ error }) => error?.includes('at most 1048576 characters'))).to.equal(true);
  });

  it('has room for another environment where one was closed', async () => {
    const input = new PassThrough();
    const responses: string[] = [];
    const ended = serveGym(NO_PHONES, { tasks: ALL_TASKS, input, nowMs: () => 0, line: (text) => void responses.push(text) }); // prettier-ignore
    for (let at = 0; at < 60; at++) {
      input.write(`{"id": ${at}, "do": "close", "env": "e${at}"}\n`);
      await until(() => responses.length === at + 1);
    }
    input.end();
    await ended;
    expect(responses.filter((text) => text.includes('error'))).to.deep.equal([]);
  });

  it('ends by its signal, also while the input goes on', async () => {
    const ending = new AbortController();
    const input = new PassThrough();
    const serving = { tasks: ALL_TASKS, input, nowMs: () => 0, line: () => undefined, signal: ending.signal };
    const ended = serveGym(NO_PHONES, serving);
    ending.abort();
    await ended;
    expect(input.writableEnded).to.equal(false);
  });
});
