import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deserialize, serialize } from 'bson';
import { expect } from 'chai';
import { pick, seededRandom } from '../../testing/seeded-random.js';
import { databaseAddress } from '../../testing/database-address.js';
import { startEmbeddedMongo, type EmbeddedMongo } from '../embedded-mongo.js';
import { silentLog } from '../../kit/log/log.js';

const PING = message(2013, Buffer.concat([int32(0), Buffer.of(0), serialize({ ping: 1, $db: 'admin' })]));
/** A header, flags, a section's kind and `{ok: 1}`. */
const PONG_BYTES = 16 + 4 + 1 + 13;

describe('the embedded MongoDB, given bytes that are not its protocol', () => {
  let directory: string;
  let server: EmbeddedMongo;

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'embedded-mongo-'));
    server = await startEmbeddedMongo({ directory, log: silentLog });
  });
  after(async () => {
    await server.close();
    await rm(directory, { recursive: true });
  });

  async function open(): Promise<Socket> {
    const socket = connect(databaseAddress(server.url));
    socket.on('error', () => undefined); // a reset is one way of being closed
    await once(socket, 'connect');
    return socket;
  }

  /** Responds to a ping, so it is healthy. */
  async function assertAlive(): Promise<void> {
    const socket = await open();
    socket.write(PING);
    const [reply] = (await once(socket, 'data')) as [Buffer];
    expect(deserialize(reply.subarray(21))).to.deep.equal({ ok: 1 });
    socket.destroy();
  }

  const garbage: [string, Buffer][] = [
    ['an HTTP request', Buffer.from('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n')],
    ['a length of 0', message(2013, Buffer.alloc(30), 0)],
    ['a negative length', message(2013, Buffer.alloc(30), -1)],
    ['a length over 48 MB', message(2013, Buffer.alloc(30), 48_000_001)],
    ['an unknown opcode', message(2010, Buffer.alloc(30))],
    ['compression nobody agreed on', message(2012, Buffer.alloc(30))],
    ['unknown required flags', message(2013, Buffer.concat([int32(4), PING.subarray(20)]))],
    ['no section', message(2013, Buffer.concat([int32(0), Buffer.of(0, 0, 0, 0, 0)]))],
    ['a section of an unknown kind', message(2013, Buffer.concat([int32(0), Buffer.of(7), serialize({ ping: 1 })]))],
    [
      'a body longer than the message',
      message(2013, Buffer.concat([int32(0), Buffer.of(0), int32(999), Buffer.alloc(9)])),
    ],
    [
      'a body that is not BSON',
      message(2013, Buffer.concat([int32(0), Buffer.of(0), int32(12), Buffer.alloc(8, 0xee)])),
    ],
    ['two bodies', message(2013, Buffer.concat([PING.subarray(16), PING.subarray(20)]))],
    [
      'a sequence without a name',
      message(2013, Buffer.concat([PING.subarray(16), Buffer.of(1), int32(8), Buffer.of(1, 1, 1, 1)])),
    ],
    [
      'a query that is not a command',
      message(2004, Buffer.concat([int32(0), Buffer.from('a.b\0'), int32(0), int32(0), serialize({})])),
    ],
  ];
  for (const [name, bytes] of garbage) {
    it(`closes the connection on ${name}`, async () => {
      const socket = await open();
      const closed = once(socket, 'close');
      socket.write(bytes);
      await closed;
      await assertAlive();
    });
  }

  it('closes the connection on a write that wants no reply', async () => {
    const socket = await open();
    const closed = once(socket, 'close');
    socket.write(withoutReply({ insert: 'c', documents: [{ _id: 1 }], $db: 'x' }));
    await closed;
    await assertAlive();
  });

  it('ends sessions without a reply, as a driver does when it closes', async () => {
    const socket = await open();
    socket.write(Buffer.concat([withoutReply({ endSessions: [], $db: 'admin' }), PING]));
    const [reply] = (await once(socket, 'data')) as [Buffer];
    // The only reply is that to the ping, and the connection goes on.
    expect(deserialize(reply.subarray(21))).to.deep.equal({ ok: 1 });
    socket.write(PING);
    await once(socket, 'data');
    socket.destroy();
  });

  it('understands a message cut at every byte', async () => {
    for (let cut = 1; cut < PING.length; cut++) {
      const socket = await open();
      socket.setNoDelay(true);
      socket.write(PING.subarray(0, cut));
      await new Promise((resolve) => setImmediate(resolve));
      socket.write(PING.subarray(cut));
      await once(socket, 'data');
      socket.destroy();
    }
  });

  it('responds to several messages that arrive together, in order', async () => {
    const socket = await open();
    socket.write(Buffer.concat([PING, PING, PING]));
    let bytes = Buffer.alloc(0);
    while (bytes.length < 3 * PONG_BYTES) bytes = Buffer.concat([bytes, ((await once(socket, 'data')) as [Buffer])[0]]);
    expect([0, 1, 2].map((at) => bytes.readInt32LE(at * PONG_BYTES + 4))).to.deep.equal([1, 2, 3]);
    socket.destroy();
  });

  it('stays up while messages are damaged at random', async () => {
    const random = seededRandom(7);
    for (let turn = 0; turn < 300; turn++) {
      const bytes = Buffer.from(PING);
      for (let change = 0; change < 3; change++)
        bytes[Math.floor(random() * bytes.length)] = pick(random, [0, 1, 0x7f, 0x80, 0xff, Math.floor(random() * 256)]);
      const socket = await open();
      socket.end(bytes);
      socket.resume();
      await once(socket, 'close');
    }
    await assertAlive();
  });
});

function withoutReply(body: object): Buffer {
  return message(2013, Buffer.concat([int32(2), Buffer.of(0), serialize(body)]));
}

function message(opcode: number, rest: Buffer, length = rest.length + 16): Buffer {
  return Buffer.concat([int32(length), int32(1), int32(0), int32(opcode), rest]);
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes;
}
