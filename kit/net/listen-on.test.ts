import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect } from 'chai';
import { listenOn } from './listen-on.js';
import { type Log, silentLog } from '../log/log.js';

describe('a server that listens', () => {
  it('outlives any number of connections that cannot be accepted, and logs them', async () => {
    const logged: string[] = [];
    const log = Object.create(silentLog) as Log;
    log.error = ({ err }: { err: Error }) => void logged.push(err.message);
    const server = createServer();
    await listenOn(server, { host: '127.0.0.1', port: 0, wanted: 'by a test', hostSetting: 'HOST', log });
    // Node's event when accept(2) finds no file descriptor.
    for (let at = 0; at < 3; at++) server.emit('error', Object.assign(new Error('accept EMFILE'), { code: 'EMFILE' }));
    expect(logged).to.deep.equal(['accept EMFILE', 'accept EMFILE', 'accept EMFILE']);
    server.close();
    await once(server, 'close');
  });
});
