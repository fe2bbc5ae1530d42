import type { RequestListener } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { expect } from 'chai';
import { systemClock } from '../../kit/async/clock.js';
import { OpenCall } from '../../kit/call/call.js';
import { InnerRequest, type OuterRequest, serveInside, takePayment } from './inner-request.js';

describe('a request of the edge to itself', () => {
  const call = new OpenCall({ clock: systemClock, timeoutMs: Infinity, requestId: 'a', trace: { traceparent: '' } });
  const outer: OuterRequest = { call, host: 'phones.example.com', isSecure: false, isPaid: true };
  const send = (
    serve: RequestListener,
    init: RequestInit = {},
    signal = new AbortController().signal,
  ): Promise<Response> => serveInside(serve, new Request('http://localhost/v1/a?b=c', init), { outer, signal });

  it('has method, path, query, headers and body, and the host of the outer request', async () => {
    const response = await send(
      (request, response) => {
        const { method, url, headers, complete } = request;
        const facts = { method, url, headers, complete };
        void buffer(request).then((body) => response.end(JSON.stringify({ ...facts, body: body.toString() })));
      },
      { method: 'POST', body: '{"é":1}', headers: { 'content-type': 'application/json', host: 'evil.example' } },
    );
    expect(await response.json()).to.deep.equal({
      ...{ method: 'POST', url: '/v1/a?b=c', complete: true, body: '{"é":1}' },
      headers: { 'content-type': 'application/json', 'content-length': '8', host: 'phones.example.com' },
    });
  });

  it('gets status, headers and bytes of the response, however it is written', async () => {
    const bytes = Buffer.from('first\r\n\r\nsecond\0é');
    const ways: RequestListener[] = [
      (_request, response) => response.writeHead(201, { 'x-a': 'b', 'set-cookie': ['c=d', 'e=f'] }).end(bytes),
      (_request, response) => {
        response.statusCode = 201;
        response.setHeader('x-a', 'b').setHeader('set-cookie', ['c=d', 'e=f']).flushHeaders();
        response.write(bytes.subarray(0, 5));
        setImmediate(() => response.end(bytes.subarray(5)));
      },
    ];
    for (const way of ways) {
      const response = await send(way);
      expect(response.status).to.equal(201);
      expect(response.headers.get('x-a')).to.equal('b');
      expect(response.headers.getSetCookie()).to.deep.equal(['c=d', 'e=f']);
      expect(Buffer.from(await response.arrayBuffer())).to.deep.equal(bytes);
    }
    const empty = await send((_request, response) => response.writeHead(204).end());
    expect({ status: empty.status, text: await empty.text() }).to.deep.equal({ status: 204, text: '' });
  });

  it('counts as whole once the response is written, and as cut off when it is no longer wanted', async () => {
    const ends: boolean[] = [];
    const note: RequestListener = (_request, response) =>
      void response.once('close', () => ends.push(response.writableFinished));
    await send((request, response) => {
      note(request, response);
      response.end('a');
    });
    const gone = new AbortController();
    const waiting = send(note, {}, gone.signal).then(String, (error: unknown) => error);
    setImmediate(() => gone.abort(new Error('gone')));
    expect(await waiting)
      .to.be.an('error')
      .with.property('message', 'gone');
    expect(ends).to.deep.equal([true, false]);
    const late = await send(note, {}, gone.signal).catch((error: unknown) => error);
    expect(late).to.be.an('error').with.property('message', 'gone');
    expect(ends).to.have.length(2);
  });

  it('fails when the connection is cut in place of a response', async () => {
    const cut = await send((request) => request.socket.destroy()).catch((error: unknown) => error);
    expect(cut).to.be.an('error').with.property('message', 'no response was sent');
  });

  it('is paid for once', async () => {
    const paid: boolean[] = [];
    for (let at = 0; at < 3; at++) {
      await send((request, response) => {
        expect(request).to.be.instanceOf(InnerRequest);
        paid.push(takePayment(request));
        response.end();
      });
    }
    expect(paid).to.deep.equal([true, false, false]);
  });
});
