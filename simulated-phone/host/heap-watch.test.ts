import { expect } from 'chai';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { FakeClock } from '../../testing/fake-clock.js';
import { silentLog } from '../../kit/log/log.js';
import { HeapWatch } from './heap-watch.js';
import { PhoneFolder } from './phone-folder.js';
import { type HostedPhone, PhoneHost } from './phone-host.js';

describe('a process whose heap is nearly full', () => {
  it('is noticed at each check, and not before', () => {
    const clock = new FakeClock();
    let fill = 0.5;
    let calls = 0;
    const watch = new HeapWatch({ clock, onFull: () => calls++, fill: () => fill });
    clock.turn(3_000);
    expect(calls).to.equal(0);
    fill = 0.9;
    clock.turn(2_000);
    expect(calls).to.equal(2);
    watch.close();
    clock.turn(2_000);
    expect(calls).to.equal(2);
  });

  it('reboots the phone that holds the most for its clients, and only that one', async () => {
    const directory = await mkdtemp(path.join(os.tmpdir(), 'heap-'));
    const folder = new PhoneFolder(directory, path.join(directory, 'scratch'));
    await folder.clean();
    const held: Record<string, number> = { ph_1: 10, ph_2: 100 * 1024 * 1024, ph_3: 9 * 1024 * 1024 };
    const rebooted: string[] = [];
    const build = ({ phoneId }: { phoneId: string }): HostedPhone => ({
      boot: async () => undefined,
      shutdown: async () => undefined,
      crash: () => undefined,
      setExit: () => undefined,
      setConditions: () => undefined,
      onReboot: () => undefined,
      still: (copy) => copy(new Set()),
      reboot: async (reason) => void rebooted.push(`${phoneId}: ${reason}`),
      faults: { set: () => undefined },
      adbPort: 1,
      runIdentity: phoneId,
      heldBytes: held[phoneId] ?? 0,
    });
    const host = new PhoneHost({ folder, build, log: silentLog, process: 0, address: '127.0.0.1' });
    const exit = { type: 'direct', country: 'us', timezone: 'UTC' };
    for (const phoneId of Object.keys(held)) {
      await host.create({ phoneId, name: 'one', model: 'phone-720p', android: '14', exit });
      await host.start(phoneId, () => undefined);
    }
    host.rebootGreediest();
    expect(rebooted).to.deep.equal(['ph_2: out of memory']);
    await rm(directory, { recursive: true, force: true });
  });
});
