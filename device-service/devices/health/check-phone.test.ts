import { mkdtempSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { systemClock } from '../../../kit/async/clock.js';
import { silentLog } from '../../../kit/log/log.js';
import { KeptLink } from '../../../phone/link/kept-link.js';
import { phoneBuilder } from '../../../simulated-phone/host/build-phone.js';
import type { SimulatedPhone } from '../../../simulated-phone/phone/phone.js';
import { Exits } from '../network/exits.js';
import { WayOut } from '../network/way-out.js';
import type { DeviceExit } from '../../store/device-exit.js';
import { exitCheck } from './check-exit.js';
import { type CheckPhone, checkThroughAdb, findingIn } from './check-phone.js';

describe('the check of a phone', () => {
  let directory: string;
  let phone: SimulatedPhone;
  let address: { host: string; port: number };
  const exit: DeviceExit = { type: 'direct', country: 'de', timezone: 'Europe/Berlin' };
  const clock = systemClock;
  const checkOf = (allowPrivateTargets: boolean): CheckPhone => {
    const way = new WayOut(clock, { allowPrivateTargets });
    return checkThroughAdb(clock, exitCheck({ exits: new Exits(() => undefined), way, clock }));
  };
  const checkPhone = checkOf(true);
  const phoneId = 'ph_1';
  const check = (endpoint: { host: string; port: number; identity?: string }) =>
    checkPhone({ phoneId, endpoint, exit });

  before(async () => {
    directory = mkdtempSync(join(tmpdir(), 'cloudphone-health-'));
    const build = phoneBuilder({
      clock: systemClock,
      log: silentLog,
      random: Math.random,
      bootMs: 0,
      storageBytes: 4_000_000,
      allowPrivateTargets: false,
    });
    phone = build({ phoneId: 'ph_1', name: 'one', model: 'phone-720p', android: '14', exit }, directory);
    address = { host: '127.0.0.1', port: await phone.boot() };
  });

  after(async () => {
    await phone.shutdown();
    rmSync(directory, { recursive: true, force: true });
  });

  it('finds nothing wrong with a phone that works', async () => {
    expect(await check(address)).to.equal(undefined);
  });

  it('finds another phone at the address', async () => {
    expect(await check({ ...address, identity: phone.runIdentity ?? '' })).to.equal(undefined);
    expect(await check({ ...address, identity: 'SERIAL/another' })).to.include({ kind: 'identity' });
  });

  it('finds a full storage', async () => {
    const link = new KeptLink({
      ...address,
      clock: systemClock,
      connectSocket: (host, port) => connect({ host, port }),
      connectTimeoutMs: 5_000,
    });
    const ask = { timeoutMs: 10_000, maxBytes: 1_000, doing: 'fill the storage' };
    await link.shell('head -c 3950000 /dev/zero > /sdcard/full', ask);
    expect(await check(address)).to.include({ kind: 'storage' });
    await link.shell('rm /sdcard/full', ask);
    link.close();
    expect(await check(address)).to.equal(undefined);
  });

  it('finds a phone that does not respond', async () => {
    phone.faults.adbDown = true;
    expect(await check(address)).to.include({ kind: 'adb' });
    phone.faults.adbDown = false;
  });

  it('finds a proxy that takes no connections', async () => {
    const proxy = createServer().listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const { port } = proxy.address() as AddressInfo;
    const through = { ...exit, type: 'custom', proxy: `socks5://user:secret@127.0.0.1:${port}` };
    expect(await checkPhone({ phoneId, endpoint: address, exit: through })).to.equal(undefined);
    proxy.close();
    const found = await checkPhone({ phoneId, endpoint: address, exit: through });
    expect(found).to.include({ kind: 'exit' });
    expect(found?.message).not.to.contain('secret');
  });

  it('connects to no private address that a customer calls a proxy', async () => {
    let touched = 0;
    const inside = createServer(() => touched++).listen(0, '127.0.0.1');
    await once(inside, 'listening');
    const { port } = inside.address() as AddressInfo;
    const guarded = checkOf(false);
    for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '2130706433', '0x7f.1']) {
      const found = await guarded({
        phoneId,
        endpoint: address,
        exit: { ...exit, type: 'custom', proxy: `http://${host}:${port}` },
      });
      expect(found, host).to.include({ kind: 'exit' });
    }
    inside.close();
    expect(touched).to.equal(0);
  });

  it('finds a phone that has not booted, or has no display', () => {
    const healthy = 'boot 1\nstorage /dev/block/dm-5 4000000 100 3999900 1% /data\nscreen 1\n';
    expect(findingIn(healthy)).to.equal(undefined);
    expect(findingIn(healthy.replace('boot 1', 'boot '))).to.include({ kind: 'boot' });
    expect(findingIn(healthy.replace('screen 1', 'screen 0'))).to.include({ kind: 'screen' });
  });
});
