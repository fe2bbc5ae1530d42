import { expect } from 'chai';
import { type EdgeWorld, startEdge } from '../testing/edge-world.js';

const JSON_HEADERS = { 'content-type': 'application/json' };
const VALID = JSON.stringify({ model: 'p', network: { type: 'mobile', country: 'de' }, plan: 'minute' });

describe('bodies at the edge', () => {
  let world: EdgeWorld;
  let created = 0;
  before(async () => {
    world = await startEdge({
      device: {
        createDevice: ({ name }) => {
          created++;
          return { job: { id: 'job_1' }, device: { name: name ?? '' } };
        },
        startDevice: () => ({ job: { id: 'job_2' } }),
        getDevice: () => ({}),
        deleteDevice: () => ({}),
      },
      screen: { act: ({ step }) => ({ stepsDone: step.case === 'type' ? step.value.text.length : -1 }) },
    });
  });
  after(() => world.close());
  beforeEach(() => {
    created = 0;
  });

  async function create(body: NonNullable<RequestInit['body']>, headers: Record<string, string> = JSON_HEADERS) {
    const response = await world.call('/v1/devices', { method: 'POST', body, headers });
    const { error, message } = (await response.json()) as { error?: string; message?: string };
    return { status: response.status, error, message };
  }

  for (const type of [
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
    'application/json;',
  ]) {
    it(`are taken as ${type}`, async () => {
      expect(await create(VALID, { 'content-type': type })).to.include({ status: 202 });
      expect(created).to.equal(1);
    });
  }

  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/json; charset=latin1',
    'application/jsonp',
    'application/json, text/plain',
    'multipart/form-data',
  ]) {
    it(`are 415 as ${type}`, async () => {
      const refusal = await create(VALID, { 'content-type': type });
      expect(refusal).to.include({ status: 415, error: 'unsupported_media_type' });
      expect(refusal.message).to.include(type).and.to.include('Content-Type: application/json');
      expect(created).to.equal(0);
    });
  }

  it('are 415 without a type, and when compressed', async () => {
    expect(await create(new Blob([VALID]), {})).to.include({ status: 415 });
    expect(await create(VALID, { ...JSON_HEADERS, 'content-encoding': 'gzip' })).to.include({ status: 415 });
    expect(await create(VALID, { ...JSON_HEADERS, 'content-encoding': 'identity' })).to.include({ status: 202 });
  });

  it('may be left out where nothing is needed', async () => {
    for (const init of [{}, { body: '' }, { body: '{}', headers: JSON_HEADERS }]) {
      const response = await world.call('/v1/devices/a/start', { method: 'POST', ...init });
      expect(response.status).to.equal(202);
    }
  });

  it('count as an empty object when empty, so that the response names the missing fields', async () => {
    const refusal = await create('');
    expect(refusal.status).to.equal(400);
    expect(refusal.message).to.include('network is missing');
  });

  it('may begin with a byte order mark', async () => {
    expect(await create(`\ufeff${VALID}`)).to.include({ status: 202 });
  });

  for (const [what, body, message] of [
    ['invalid UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 'The body is not valid UTF-8.'],
    ['an encoded surrogate', Buffer.from('{"model":"\xed\xa0\x80"}', 'latin1'), 'The body is not valid UTF-8.'],
    ['broken JSON', '{"model":\n  x}', 'The body is not valid JSON: unexpected characters, at line 2, column 3.'],
    ['an array', '[]', 'The body must be a JSON object, not an array.'],
    ['null', 'null', 'The body must be a JSON object, not null.'],
    ['a text', '"x"', 'The body must be a JSON object, not a string.'],
    ['white space', ' \n', 'The body is not valid JSON: it ends too early, at line 2, column 1.'],
    ['a repeated name', '{"model":"a","model":"b"}', 'the name "model" is given twice'],
    ['an unknown field', '{"modle":"a"}', 'Unknown field "modle" in the body; allowed here: model, network'],
    ['a field of the path', '{"name":1}', 'name must be a string'],
  ] as const) {
    it(`are 400 with ${what}: ${message}`, async () => {
      const refusal = await create(body);
      expect(refusal).to.include({ status: 400, error: 'bad_request' });
      expect(refusal.message).to.include(message);
      expect(created).to.equal(0);
    });
  }

  it('never repeat a secret value in an error text', async () => {
    const response = await world.call('/v1/devices/a/act', {
      method: 'POST',
      body: JSON.stringify({ type: { text: ['hunter2'] } }),
      headers: JSON_HEADERS,
    });
    expect(response.status).to.equal(400);
    expect(await response.text()).not.to.include('hunter2');
  });

  it('may be up to 1 MiB', async () => {
    const padded = VALID + ' '.repeat(1024 * 1024 - VALID.length);
    expect(await create(padded)).to.include({ status: 202 });
    const refusal = await create(`${padded} `);
    expect(refusal).to.include({ status: 413, error: 'too_large' });
    expect(refusal.message).to.include('1048576 bytes');
  });

  it('are 413 when too large in chunks, and the connection still works', async () => {
    const chunks = new ReadableStream({
      start: (controller) => {
        for (let sent = 0; sent < 64; sent++) controller.enqueue(new TextEncoder().encode(' '.repeat(64 * 1024)));
        controller.close();
      },
    });
    const init = { method: 'POST', body: chunks, headers: JSON_HEADERS, duplex: 'half' } as RequestInit;
    const response = await world.call('/v1/devices', init);
    expect(response.status).to.equal(413);
    expect(await response.json()).to.have.property('error', 'too_large');
    expect((await world.call('/v1/devices/a')).status).to.equal(200);
  });

  it('are refused on routes without one', async () => {
    const response = await world.call('/v1/devices/a', { method: 'DELETE', body: '{}', headers: JSON_HEADERS });
    expect(response.status).to.equal(400);
    expect(await response.json()).to.deep.equal({
      error: 'bad_request',
      message: 'This DELETE route takes no body. Put its parameters into the query.',
    });
  });

  it('keep any Unicode', async () => {
    const response = await world.call('/v1/devices/a/act', {
      method: 'POST',
      body: '{"type":{"text":"é😀\\ud83d\\ude00\\u0000"}}',
      headers: JSON_HEADERS,
    });
    expect(await response.json()).to.have.property('steps_done', 6);
  });
});
