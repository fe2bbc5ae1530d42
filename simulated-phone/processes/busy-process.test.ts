import { mkdtempSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { systemClock } from '../../kit/async/clock.js';
import { silentLog } from '../../kit/log/log.js';
import { Command, encodePacket } from '../../phone/adb/packet.js';
import { PacketParser } from '../../phone/adb/packet-parser.js';
import type { SimulatedDriver } from '../driver.js';
import { openSimulatedDriver } from '../open-driver.js';

/** Two phones that belong to different processes. */
const [GREEDY, OTHER] = ['ph_1', 'ph_0'] as const;

describe('a phone whose shell burns CPU', function () {
  let directory: string;
  let driver: SimulatedDriver;

  before(async () => {
    directory = mkdtempSync(join(tmpdir(), 'cloudphone-busy-'));
    const environment = { PATH: process.env['PATH'], SIMULATED_BOOT_MS: '50', SIMULATED_PROCESSES: '2' };
    driver = await openSimulatedDriver({ directory, environment, clock: systemClock, log: silentLog, phonesOutliveDriver: false }); // prettier-ignore
  });
  after(async () => {
    await driver.close();
    await systemClock.sleep(500);
    rmSync(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  });

  /** Runs a command without waiting for its end; `output` resolves with its output once it ends. */
  async function exec(phoneId: string, command: string): Promise<{ output: Promise<string>; stop: () => void }> {
    const status = await driver.inspect(phoneId);
    if (status.state !== 'running') throw new Error(`${phoneId} is ${status.state}`);
    const socket = net.connect(status.endpoint.port, status.endpoint.host);
    const parser = new PacketParser({ maxPayloadBytes: () => 1_048_576, verifyChecksum: () => false });
    const send = (name: number, arg0: number, arg1: number, text = ''): void =>
      void socket.write(encodePacket({ command: name, arg0, arg1, payload: Buffer.from(text) }, { checksum: false }));
    send(Command.CNXN, 0x01000001, 1_048_576, 'host::');
    send(Command.OPEN, 1, 0, `exec:${command}\0`);
    let text = '';
    const output = new Promise<string>((resolve) => {
      socket.on('data', (chunk) => {
        for (const packet of parser.push(chunk)) {
          if (packet.command === Command.CLSE) resolve(text);
          if (packet.command !== Command.WRTE) continue;
          text += packet.payload.toString();
          send(Command.OKAY, 1, packet.arg0);
        }
      });
      socket.on('close', () => resolve(text));
    });
    return { output, stop: () => socket.destroy() };
  }

  it('does not keep a phone of another process from responding', async () => {
    for (const phoneId of [GREEDY, OTHER]) {
      await driver.create({ phoneId, name: 'one', model: 'phone-720p', android: '14', exit: { type: 'direct', country: 'us', timezone: 'UTC' } }); // prettier-ignore
      await driver.start(phoneId);
    }
    const loops = await Promise.all(Array.from({ length: 50 }, () => exec(GREEDY, 'while :; do x=$((x+1)); done')));
    for (let at = 0; at < 5; at++) {
      const { output, stop } = await exec(OTHER, 'input tap 10 10; echo done');
      expect(await output).to.equal('done\n');
      stop();
    }
    for (const loop of loops) loop.stop();
    // The greedy phone itself is well again once its clients are gone.
    expect(await (await exec(GREEDY, 'echo alive')).output).to.equal('alive\n');
  });
});
