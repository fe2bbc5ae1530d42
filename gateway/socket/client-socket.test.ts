import { EventEmitter } from 'node:events';
import { create } from '@bufbuild/protobuf';
import { expect } from 'chai';
import type { WebSocket } from 'ws';
import { type SocketFrame, SocketFrameSchema } from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { ClientSocket } from './client-socket.js';

/** A WebSocket whose client reads when the test calls `flush` and `confirm`. */
class FakeWebSocket extends EventEmitter {
  readonly OPEN = 1;
  readyState = 1;
  isPaused = false;
  sent: (string | number)[] = [];
  /** The newest binary message. */
  newest: Buffer | undefined;
  pings: Buffer[] = [];
  /** Called when the sent data has been written. */
  written: (() => void)[] = [];
  terminated = false;
  closed: { code: number; reason: string } | undefined;

  send(data: string | Buffer, options?: object | (() => void)): void {
    this.sent.push(typeof data === 'string' ? data : data.readUInt32BE(0));
    if (typeof data !== 'string') this.newest = data;
    if (typeof options === 'function') this.written.push(options as () => void);
  }

  ping(data?: Buffer, _mask?: boolean, done?: () => void): void {
    if (data !== undefined) this.pings.push(Buffer.from(data));
    if (done !== undefined) this.written.push(done);
  }

  /** Makes everything so far leave this process. */
  flush(): void {
    for (const done of this.written.splice(0)) done();
  }

  /** Makes the client read everything so far. */
  confirm(): void {
    for (const ping of this.pings.splice(0)) this.emit('pong', ping);
  }

  close(code: number, reason: string): void {
    this.closed = { code, reason };
  }

  terminate(): void {
    this.terminated = true;
    this.readyState = 3;
    this.emit('close');
  }
}

const frame = (number: number): SocketFrame =>
  create(SocketFrameSchema, { number, capturedMs: number * 10, data: new Uint8Array([1, 2]) });

describe('the sending side of a WebSocket', () => {
  let ws: FakeWebSocket;
  let clock: FakeClock;
  let socket: ClientSocket;
  let silences: number;
  beforeEach(() => {
    ws = new FakeWebSocket();
    clock = new FakeClock();
    const connection = { cork: () => undefined, uncork: () => undefined };
    silences = 0;
    socket = new ClientSocket(ws as unknown as WebSocket, connection, { clock, onSilence: () => silences++ });
  });

  it('holds one frame that is being written, and the newest', () => {
    for (let number = 1; number <= 50; number++) {
      socket.frame(frame(number));
      expect(socket.queued).to.be.at.most(2);
    }
    expect(ws.sent).to.deep.equal([1]);
    ws.flush();
    expect(ws.sent).to.deep.equal([1, 50]);
  });

  it('waits for a client that has not read two frames, and goes on with the newest', () => {
    for (let number = 1; number <= 20; number++) {
      socket.frame(frame(number));
      ws.flush();
      clock.turn(100);
    }
    expect(ws.sent.length).to.be.at.most(2);
    ws.confirm();
    expect(ws.sent.at(-1)).to.equal(20);
  });

  it('keeps more frames in flight when the round trip is long and the client reads without delay', () => {
    // A frame is sent every 10 ms, and each is confirmed 200 ms later.
    const pending: { ping: Buffer; dueMs: number }[] = [];
    for (let number = 1; number <= 100; number++) {
      socket.frame(frame(number));
      ws.flush();
      for (const ping of ws.pings.splice(0)) pending.push({ ping, dueMs: clock.monotonicMs() + 200 });
      clock.turn(10);
      while (pending[0] !== undefined && pending[0].dueMs <= clock.monotonicMs())
        ws.emit('pong', pending.shift()!.ping);
    }
    expect(ws.sent.length).to.be.greaterThan(70);
  });

  it('sends every access unit of a video, with its flags, and lets its sender wait for a client that reads nothing', async () => {
    const unit = (number: number): SocketFrame => create(SocketFrameSchema, { ...frame(number), flags: 1 });
    const sending = (async () => {
      for (let number = 1; number <= 6; number++) await socket.unit(unit(number));
    })();
    const pass = async (): Promise<void> => {
      for (let turn = 0; turn < 10; turn++) {
        clock.turn(200);
        ws.flush();
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    await pass();
    expect(ws.newest?.toString('hex')).to.equal('00000002' + '00000014' + '01' + '0102');
    expect(ws.sent, 'no more to a client that confirms none').to.deep.equal([1, 2]);
    for (let turn = 0; turn < 6; turn++) {
      ws.confirm();
      await pass();
    }
    await sending;
    expect(ws.sent).to.deep.equal([1, 2, 3, 4, 5, 6]);
  });

  it('ends the wait of a video when the connection closes', async () => {
    const waits = [1, 2, 3].map((number) => socket.unit(create(SocketFrameSchema, { ...frame(number), flags: 0 })));
    ws.terminate();
    await Promise.all(waits);
  });

  it('sends texts in order, after the frames before them and before those after them', () => {
    socket.frame(frame(1));
    socket.frame(frame(2));
    socket.text('a');
    socket.text('b');
    for (let count = 0; count < 4; count++) ws.flush();
    expect(ws.sent).to.deep.equal([1, 2, 'a', 'b']);
    ws.confirm();
    socket.frame(frame(3));
    socket.frame(frame(4));
    socket.text('turned');
    socket.frame(frame(5));
    for (let count = 0; count < 4; count++) ws.flush();
    expect(ws.sent.slice(4)).to.deep.equal([3, 'turned', 5]);
  });

  it('lets the source of texts wait until the client has taken earlier ones', async () => {
    for (let count = 0; count < 30; count++) socket.text('x');
    let isRoom = false;
    const room = socket.room().then(() => (isRoom = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(isRoom).to.equal(false);
    for (let count = 0; count < 20; count++) ws.flush();
    await room;
    expect(ws.sent.length).to.be.greaterThan(14);
  });

  it('closes without waiting for a client that reads nothing', () => {
    socket.frame(frame(1));
    socket.frame(frame(2));
    socket.close(1008, 'unauthorized: revoked', 'why');
    expect(ws.sent).to.deep.equal([1, 'why']);
    expect(ws.closed).to.deep.equal({ code: 1008, reason: 'unauthorized: revoked' });
    expect(socket.queued).to.equal(1);
  });

  it('cuts a client that shows no sign of life for 45 s, and no other', () => {
    for (let seconds = 0; seconds < 120; seconds += 15) {
      clock.turn(15_000);
      ws.emit('pong', Buffer.alloc(0));
    }
    expect(ws.terminated).to.equal(false);
    clock.turn(61_000);
    expect(ws.terminated).to.equal(true);
    expect(clock.timers).to.equal(0);
  });

  it('reports a client that does not respond within 3 s of a ping after its message, once, and goes on', () => {
    ws.emit('message', Buffer.from('{}'), false);
    clock.turn(3_900);
    expect(silences).to.equal(0);
    clock.turn(200);
    expect(silences).to.equal(1);
    clock.turn(20_000);
    expect([silences, ws.terminated]).to.deep.equal([1, false]);
    ws.emit('message', Buffer.from('{}'), false);
    clock.turn(4_100);
    expect(silences).to.equal(2);
  });

  it('reports no client that responds, is paused, has sent nothing for 30 s, or has closed', () => {
    clock.turn(14_000);
    ws.emit('message', Buffer.from('{}'), false);
    for (let turn = 0; turn < 66; turn++) {
      clock.turn(500);
      if (turn % 5 === 0) ws.emit('pong', Buffer.alloc(0));
    }
    clock.turn(10_000);
    expect(silences).to.equal(0);
    ws.emit('message', Buffer.from('{}'), false);
    ws.isPaused = true;
    clock.turn(20_000);
    ws.isPaused = false;
    ws.emit('pong', Buffer.alloc(0));
    clock.turn(500);
    ws.terminate();
    clock.turn(60_000);
    expect([silences, clock.timers]).to.deep.equal([0, 0]);
  });

  it('ends waits when the connection closes', async () => {
    socket.frame(frame(1));
    socket.frame(frame(2));
    for (let count = 0; count < 20; count++) socket.text('never');
    const room = socket.room();
    ws.terminate();
    await room;
    expect(ws.sent).to.deep.equal([1]);
  });
});
