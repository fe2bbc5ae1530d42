import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { request, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { systemClock } from '../../../kit/async/clock.js';
import { silentLog } from '../../../kit/log/log.js';
import { AddressPages } from './address-page.js';
import { Forwarder } from './forwarder.js';
import { WayOut } from './way-out.js';

const REQUESTS = 'http.server.request.start';

/** Returns the server that receives the request of `send`. */
async function serverOf(send: () => Promise<unknown>): Promise<Server> {
  let found: Server | undefined;
  const onRequest = (message: unknown): void => void (found = (message as { server: Server }).server);
  subscribe(REQUESTS, onRequest);
  await send();
  unsubscribe(REQUESTS, onRequest);
  return found!;
}

describe('when connections cannot be accepted', () => {
  const tooManyFiles = Object.assign(new Error('accept EMFILE'), { code: 'EMFILE' });

  it("a phone's forwarder goes on", async () => {
    const directory = await mkdtemp(join(tmpdir(), 'forwarder-'));
    const path = join(directory, 'socket');
    const way = new WayOut(systemClock, { allowPrivateTargets: true });
    const forwarder = await Forwarder.listen({ path, upstream: () => ({ kind: 'straight' }), way, log: silentLog });
    const send = async (): Promise<number | undefined> => {
      const sent = request({ socketPath: path, path: '/no-proxy-url' }).end();
      const [response] = (await once(sent, 'response')) as [{ statusCode?: number; resume(): void }];
      response.resume();
      return response.statusCode;
    };
    const server = await serverOf(send);
    for (let count = 0; count < 3; count++) server.emit('error', tooManyFiles);
    expect(await send()).to.equal(400);
    await forwarder.close();
    await rm(directory, { recursive: true });
  });

  it('the page that shows addresses goes on', async () => {
    const pages = new AddressPages({ addressUrl: undefined, allowPrivateTargets: true, log: silentLog });
    const { url } = await pages.pageFor({ kind: 'straight' });
    const send = async (): Promise<string> => (await fetch(url)).text();
    const server = await serverOf(send);
    for (let count = 0; count < 3; count++) server.emit('error', tooManyFiles);
    expect(await send()).to.equal('127.0.0.1');
    await pages.close();
  });
});
