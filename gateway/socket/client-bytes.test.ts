import { EventEmitter } from 'node:events';
import { expect } from 'chai';
import type { WebSocket } from 'ws';
import { ClientBytes } from './client-bytes.js';

class FakeWebSocket extends EventEmitter {
  isPaused = false;
  pause(): void {
    this.isPaused = true;
  }
  resume(): void {
    this.isPaused = false;
  }
  send(piece: Buffer, isBinary = true): void {
    this.emit('message', piece, isBinary);
  }
}

describe('the bytes of a client of a WebSocket', () => {
  let ws: FakeWebSocket;
  let bytes: ClientBytes;
  let texts: number;
  beforeEach(() => {
    ws = new FakeWebSocket();
    texts = 0;
    bytes = new ClientBytes(ws as unknown as WebSocket, () => texts++);
  });

  it('are handed on in order, many small messages as one piece', async () => {
    const iterator = bytes[Symbol.asyncIterator]();
    for (let count = 0; count < 9_000; count++) ws.send(Buffer.from([count % 256]));
    ws.send(Buffer.from('text'), false);
    const { value } = await iterator.next();
    expect(value).to.have.length(9_000);
    expect(value?.[255]).to.equal(255);
    expect(texts).to.equal(1);
    ws.send(Buffer.from('last'));
    ws.emit('close');
    ws.send(Buffer.from('too late'));
    expect(String((await iterator.next()).value)).to.equal('last');
    expect((await iterator.next()).done).to.equal(true);
  });

  it('are read no more from 256 KiB or 1,000 messages on, until they were taken', async () => {
    for (const [count, size] of [
      [1_000, 1],
      [4, 64 * 1024],
    ] as const) {
      for (let sent = 1; sent < count; sent++) ws.send(Buffer.alloc(size));
      expect(ws.isPaused).to.equal(false);
      ws.send(Buffer.alloc(size));
      expect(ws.isPaused).to.equal(true);
      let got = 0;
      const iterator = bytes[Symbol.asyncIterator]();
      while (got < count * size) got += (await iterator.next()).value?.length ?? 0;
      // The last piece counts as taken when the next one is asked for.
      void iterator.next();
      await new Promise((resolve) => setImmediate(resolve));
      expect(ws.isPaused).to.equal(false);
      await new Promise((resolve) => setImmediate(resolve));
      bytes = new ClientBytes((ws = new FakeWebSocket()) as unknown as WebSocket, () => texts++);
    }
  });
});
