import { expect } from 'chai';
import { Registry } from 'prom-client';
import { type OpenSocket, OpenSockets } from './open-sockets.js';

describe('the WebSockets of a gateway', () => {
  const socket = (): OpenSocket => ({ queued: 0, leave: () => undefined });

  it('are bounded for a key, for an account over its keys, and for all', () => {
    const limits = { maxSockets: 5, maxSocketsOfCaller: 2, maxSocketsOfAccount: 3 };
    const sockets = new OpenSockets({ metrics: new Registry(), limits });
    const first = socket();
    const add = (caller: string, account: string | undefined, one = socket()) => sockets.add({ caller, account }, one);
    add('key_1', 'acc_1', first);
    add('key_1', 'acc_1');
    expect(() => add('key_1', 'acc_1')).to.throw(/More than 2 WebSockets of this key/);
    add('key_2', 'acc_1');
    expect(() => add('key_2', 'acc_1')).to.throw(/More than 3 WebSockets of this account/);
    add('key_3', 'acc_2');
    add('192.0.2.1', undefined);
    expect(() => add('key_3', 'acc_2')).to.throw(/Too many WebSockets/);
    sockets.remove(first);
    sockets.remove(first);
    add('key_2', 'acc_1');
    expect(() => add('key_4', 'acc_1')).to.throw(/of this account/);
  });
});
