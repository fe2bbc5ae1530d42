import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { expect } from 'chai';
import type { WebSocket } from 'ws';
import { bridge, type BridgeEnd } from './bridge.js';

class FakePhone extends EventEmitter {
  isPaused = false;
  bufferedAmount = 0;
  pings = 0;
  pause(): void {
    this.isPaused = true;
  }
  resume(): void {
    this.isPaused = false;
  }
  ping(): void {
    this.pings++;
  }
  terminate(): void {
    this.emit('close', 1006, Buffer.alloc(0));
  }
  close(): void {
    // The service of these tests does not respond.
  }
}

class FakeAdb extends EventEmitter {
  /** Whether it takes more bytes. */
  isRoomy = true;
  write(): boolean {
    return this.isRoomy;
  }
  resume(): void {
    // The adb of these tests sends nothing.
  }
  destroy(): void {
    this.emit('close');
  }
}

describe('the bridge between adb and a phone', () => {
  let phone: FakePhone;
  let adb: FakeAdb;
  let end: BridgeEnd | undefined;
  let over: Promise<void>;
  let endWait: () => void;

  beforeEach(() => {
    [phone, adb, end] = [new FakePhone(), new FakeAdb(), undefined];
    const wait = (_ms: number, signal?: AbortSignal): Promise<void> =>
      new Promise((resolve, reject) => {
        endWait = resolve;
        signal?.addEventListener('abort', () => reject(new Error('over')));
      });
    over = bridge(adb as unknown as Socket, phone as unknown as WebSocket, wait).then((ended) => {
      end = ended;
    });
  });
  afterEach(async () => {
    adb.destroy();
    await over;
  });

  /** Lets the time between two pings pass. */
  async function pass(): Promise<void> {
    endWait();
    await new Promise((resolve) => setImmediate(resolve));
  }

  it('ends when the service shows no sign of life between two pings', async () => {
    await pass();
    expect([phone.pings, end]).to.deep.equal([1, undefined]);
    await pass();
    expect(end).to.deep.equal({ code: 1006, reason: '' });
  });

  for (const sign of ['pong', 'ping', 'message'])
    it(`goes on by each ${sign}`, async () => {
      for (let turn = 0; turn < 5; turn++) {
        phone.emit(sign, Buffer.alloc(1), true);
        await pass();
      }
      expect([phone.pings, end]).to.deep.equal([5, undefined]);
    });

  it('goes on while adb does not read, and for one more ping after it', async () => {
    adb.isRoomy = false;
    phone.emit('message', Buffer.alloc(1), true);
    for (let turn = 0; turn < 5; turn++) await pass();
    expect([phone.isPaused, end]).to.deep.equal([true, undefined]);
    adb.emit('drain');
    await pass();
    expect([phone.isPaused, end]).to.deep.equal([false, undefined]);
    await pass();
    expect(end).to.deep.equal({ code: 1006, reason: '' });
  });
});
