import { once } from 'node:events';
import net from 'node:net';
import { expect } from 'chai';
import { Command, encodePacket } from '../../phone/adb/packet.js';
import { PacketParser } from '../../phone/adb/packet-parser.js';
import { runScript } from '../../testing/phone/run-script.js';
import { startPhone } from '../../testing/phone/start-phone.js';
import { until } from '../../testing/until.js';

const MIB = 1024 * 1024;
/** The data that waits in each stream: that of 1,000 streams is twice the memory of a phone. */
const waiting = Buffer.alloc(MIB / 4);

describe('clients that want too much of one phone', function () {
  let greedy: Awaited<ReturnType<typeof startPhone>>;
  let other: Awaited<ReturnType<typeof startPhone>>;

  beforeEach(async () => {
    greedy = await startPhone();
    other = await startPhone();
  });
  afterEach(async () => {
    await greedy.stop();
    await other.stop();
  });

  const isAlive = async (world: typeof greedy): Promise<boolean> =>
    (await runScript(world.phone.machine, 'echo alive')).stdout === 'alive\n';

  /** Opens streams, acknowledges nothing that comes, and counts those that the phone closed. */
  async function openStreams(count: number, service: string): Promise<{ socket: net.Socket; closed: () => number }> {
    const socket = net.connect(greedy.port, '127.0.0.1');
    await once(socket, 'connect');
    const parser = new PacketParser({ maxPayloadBytes: () => MIB, verifyChecksum: () => false });
    const send = (command: number, arg0: number, arg1: number, payload: Buffer): void =>
      void socket.write(encodePacket({ command, arg0, arg1, payload }, { checksum: false }));
    let closed = 0;
    let opened = 0;
    const all = new Promise<void>((resolve) => {
      socket.on('data', (chunk) => {
        for (const packet of parser.push(chunk)) {
          if (packet.command === Command.CLSE) closed++;
          if (packet.command !== Command.OKAY) continue;
          send(Command.WRTE, packet.arg1, packet.arg0, waiting);
          if (++opened === count) resolve();
        }
      });
    });
    send(Command.CNXN, 0x01000001, MIB, Buffer.from('host::'));
    for (let id = 1; id <= count; id++) send(Command.OPEN, id, 0, Buffer.from(`${service}\0`));
    await all;
    return { socket, closed: () => closed };
  }

  it('holds 1,000 streams, refuses those whose data it has no memory for, and serves on', async () => {
    // The phone reads none of these streams, so that the data of each waits in memory.
    const clients = await Promise.all([openStreams(500, 'exec:sleep 100'), openStreams(500, 'exec:sleep 100')]);
    const { memory } = greedy.phone.machine;
    const closed = (): number => clients.reduce((sum, client) => sum + client.closed(), 0);
    while (closed() < 400) await new Promise((resolve) => setImmediate(resolve));
    expect(memory.usedBytes).to.be.within(64 * MIB, 128 * MIB);
    expect(await isAlive(other)).to.equal(true);
    for (const { socket } of clients) socket.destroy();
    await greedy.phone.shutdown();
    await greedy.phone.boot();
    expect(await isAlive(greedy)).to.equal(true);
  });

  it('runs out of memory in the script that fills it, and only until that script has ended', async () => {
    const { machine } = greedy.phone;
    const used = machine.memory.usedBytes;
    for (const [script, stderr] of [
      ['v=$(yes | head -c 1000000); i=0; while :; do i=$((i+1)); eval "v$i=\\$v"; done', 'out of memory'],
      ['for i in $(seq 40); do sort /dev/zero & done; wait; sleep 1', 'out of memory'],
    ] as const) {
      const result = await runScript(machine, script);
      expect(result.stderr, script).to.contain(stderr);
      expect(await isAlive(greedy)).to.equal(true);
      expect(await isAlive(other)).to.equal(true);
    }
    // A stream gives back the memory of its shell; these scripts had no stream.
    expect(machine.memory.usedBytes - used).to.be.lessThan(128 * MIB);
  });

  it('refuses settings and properties beyond a phone’s room, as Android does', async () => {
    const { machine } = greedy.phone;
    const settings = await runScript(machine, 'v=$(yes | head -c 20000); for i in 1 2 3 4; do settings put global k$i "$v" || break; done'); // prettier-ignore
    expect(settings.stderr).to.contain('You are adding too many system settings');
    expect((await runScript(machine, 'settings put global k1 short; settings get global k1')).stdout).to.equal(
      'short\n',
    );
    const script = 'i=0; while setprop debug.n$i 0123456789012345678901234567890123456789012345678901234567890123456789; do i=$((i+1)); done; getprop debug.n0'; // prettier-ignore
    const properties = await runScript(machine, script);
    expect(properties.stderr).to.contain('Failed to set property');
    expect(properties.stdout).to.contain('0123456789');
  });

  it("gives another phone's commands their turns while one puts settings in a loop", async () => {
    const ending = new AbortController();
    const loop = 'i=0; while :; do i=$((i+1)); settings put global k $i; done';
    const looping = runScript(greedy.phone.machine, loop, { signal: ending.signal });
    const rounds = async (): Promise<number> =>
      Number((await runScript(greedy.phone.machine, 'settings get global k')).stdout);
    await until(async () => (await rounds()) > 0);
    const before = await rounds();
    for (let at = 0; at < 60; at++) {
      await runScript(other.phone.machine, 'input tap 10 10; dumpsys window displays > /dev/null');
      await new Promise((resolve) => setImmediate(resolve));
    }
    const during = (await rounds()) - before;
    ending.abort();
    await looping;
    // This is about four rounds for each of the commands; a loop that kept its turn would do thousands.
    expect(during).to.be.within(1, 60 * 50);
  });
});
