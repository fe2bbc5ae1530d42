import { EventEmitter } from 'node:events';
import { expect } from 'chai';
import type { WebSocket } from 'ws';
import { FakeClock } from '../../testing/fake-clock.js';
import { Heartbeat } from './heartbeat.js';

class FakeWebSocket extends EventEmitter {
  readonly OPEN = 1;
  readyState = 1;
  isPaused = false;
  isTerminated = false;
  ping(): void {
    // The client of these tests does not respond.
  }
  terminate(): void {
    this.isTerminated = true;
    this.emit('close');
  }
}

describe('the heartbeat of a WebSocket', () => {
  let ws: FakeWebSocket;
  let clock: FakeClock;
  let connection: { bytesRead: number };
  beforeEach(() => {
    ws = new FakeWebSocket();
    clock = new FakeClock();
    connection = { bytesRead: 0 };
    new Heartbeat(ws as unknown as WebSocket, clock, connection);
  });
  const pass = (seconds: number, each: () => void): void => {
    for (let passed = 0; passed < seconds; passed += 5) {
      each();
      clock.turn(5_000);
    }
  };

  it('cuts a client off that shows no sign of life for 45 s', () => {
    pass(45, () => undefined);
    expect(ws.isTerminated).to.equal(false);
    pass(20, () => undefined);
    expect([ws.isTerminated, clock.timers]).to.deep.equal([true, 0]);
  });

  it('keeps a client whose message comes slowly', () => {
    pass(300, () => (connection.bytesRead += 100));
    expect(ws.isTerminated).to.equal(false);
  });

  it('keeps a client that was not read, until 45 s after it is read again', () => {
    ws.isPaused = true;
    pass(300, () => undefined);
    ws.isPaused = false;
    pass(40, () => undefined);
    expect(ws.isTerminated).to.equal(false);
    pass(30, () => undefined);
    expect(ws.isTerminated).to.equal(true);
  });
});
