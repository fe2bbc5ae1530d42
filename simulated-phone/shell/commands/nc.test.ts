import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { expect } from 'chai';
import type { DatagramSocket } from '../../network/datagrams.js';
import { kernelDatagrams } from '../../network/kernel-datagrams.js';
import { runScript } from '../../../testing/phone/run-script.js';
import { until } from '../../../testing/until.js';
import { startPhone } from '../../../testing/phone/start-phone.js';

describe('nc', () => {
  let world: Awaited<ReturnType<typeof startPhone>>;
  before(async () => (world = await startPhone()));
  after(() => world.stop());

  const run = async (script: string, stdin = ''): Promise<string> => {
    const { stdout, stderr } = await runScript(world.phone.machine, script, { stdin });
    return stdout + stderr;
  };

  /** Words that are sent until somebody listens. */
  const words = (word: string): string => `for i in $(seq 100); do echo ${word}; sleep 0.05; done`;

  it('sends datagrams to a listener of the same phone', async () => {
    expect(await run(`${words('one')} | nc -u localhost 4000 & nc -u -l -p 4000 | head -n 2`)).to.equal('one\none\n');
  });

  it('talks to the first sender alone where it listens', async () => {
    const { datagrams } = world.phone.machine;
    const printed = run('nc -u -l -p 4001 | head -n 2', 'back');
    await until(() =>
      datagrams.open(4001).then(
        (free) => (free.close(), false),
        () => true,
      ),
    );
    const [first, second] = [await datagrams.open(4010), await datagrams.open(4011)];
    const send = (from: DatagramSocket, text: string): Promise<void> =>
      from.send(Buffer.from(`${text}\n`), '127.0.0.1', 4001);
    await send(first, 'there');
    const [answer] = (await first.receive()) ?? [];
    expect([Buffer.from(answer?.bytes ?? []).toString(), answer?.port]).to.deep.equal(['back', 4001]);
    await send(second, 'strange');
    await send(first, 'again');
    // The command ends at the first write after its reader has ended.
    let isOver = false;
    void printed.then(() => (isOver = true));
    await until(async () => {
      await send(first, 'end');
      return isOver;
    });
    expect(await printed).to.equal('there\nagain\n');
    for (const socket of [first, second]) socket.close();
  });

  it('loses what is for others, as no exit carries it', async () => {
    const listener = createSocket('udp4');
    listener.bind(0, '127.0.0.1');
    await once(listener, 'listening');
    const arrived: string[] = [];
    listener.on('message', (bytes) => arrived.push(bytes.toString()));
    const { port } = listener.address();
    expect(await run(`echo one | nc -u -q 0 127.0.0.1 ${port}; echo two | nc -u -q 0 192.0.2.1 53; echo $?`)).to.equal(
      '0\n',
    );
    await kernelSent(port);
    expect(arrived).to.deep.equal(['from the kernel']);
    listener.close();
  });

  it('gives a port to one program at a time, and back when it ends', async () => {
    expect(
      await run('nc -u -l -p 4002 & while nc -u -l -W 0 -p 4002 2>/dev/null; do :; done; nc -u -l -p 4002'),
    ).to.equal('nc: bind: Address already in use\n');
    expect(await run('timeout 0.1 nc -u -l -p 4003; echo $?')).to.equal('143\n');
  });

  it('refuses what it cannot do', async () => {
    expect(await run('nc localhost 80')).to.equal('nc: this phone has datagrams alone: give -u\n');
    expect(await run('nc -u localhost')).to.equal('nc: Need address and port\n');
    expect(await run('nc -u localhost 70000')).to.equal("nc: bad port '70000'\n");
    expect(await run('nc -u -W x localhost 70')).to.equal("nc: not a number 'x'\n");
    expect(await run('nc -ux')).to.contain('Unknown option');
  });

  it('of a phone with a network of its own sends by the kernel', async () => {
    const one = await kernelDatagrams.open(0);
    const listener = createSocket('udp4');
    listener.bind(0, '127.0.0.1');
    await once(listener, 'listening');
    const received = once(listener, 'message') as Promise<[Buffer, { port: number }]>;
    await one.send(Buffer.from('there'), '127.0.0.1', listener.address().port);
    const [bytes, sender] = await received;
    expect(bytes.toString()).to.equal('there');
    listener.send('back', sender.port, '127.0.0.1');
    expect((await one.receive())?.map((datagram) => Buffer.from(datagram.bytes).toString())).to.deep.equal(['back']);
    const taken = await kernelDatagrams.open(sender.port).catch((error: unknown) => error);
    expect(taken).to.have.property('name', 'PortTaken');
    one.close();
    expect(await one.receive()).to.equal(undefined);
    listener.close();
  });
});

/** Sends a datagram that arrives after all earlier ones of this machine, and returns once they have all been taken. */
async function kernelSent(port: number): Promise<void> {
  const socket: Socket = createSocket('udp4');
  await new Promise((resolve) => socket.send('from the kernel', port, '127.0.0.1', resolve));
  socket.close();
  // The kernel's queue is read in the phases of the event loop; a datagram of this process comes in the next ones.
  for (let turns = 0; turns < 20; turns++) await new Promise((resolve) => setImmediate(resolve));
}
