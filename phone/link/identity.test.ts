import { connect } from 'node:net';
import { expect } from 'chai';
import { systemClock } from '../../kit/async/clock.js';
import { readIdentity, WrongPhone } from './identity.js';
import { KeptLink } from './kept-link.js';
import { PhoneLink } from './phone-link.js';
import { type FakeAdbd, say, startFakeAdbd } from '../../testing/phone/fake-adbd.js';

const COMMAND_OPTIONS = { timeoutMs: 30_000, maxBytes: 1_000, doing: 'run a command' };

describe('the identity of a phone', () => {
  let adbd: FakeAdbd;
  let printed: string;

  beforeEach(async () => {
    printed = 'SERIAL1\nboot-1\n';
    adbd = await startFakeAdbd((stream) => say(stream, stream.service.includes('boot_id') ? printed : 'done'), {
      identifies: false,
    });
  });
  afterEach(() => adbd.close());

  const address = () => ({
    host: '127.0.0.1',
    port: adbd.port,
    clock: systemClock,
    connectSocket: (host: string, port: number) => connect({ host, port }),
  });
  const failureOf = async (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => undefined,
      (error: unknown) => error,
    );

  it('is its serial number and its boot id', async () => {
    const link = await PhoneLink.open({ ...address(), timeoutMs: 30_000 });
    expect(await readIdentity(link, { timeoutMs: 30_000 })).to.equal('SERIAL1/boot-1');
    printed = '\r\nboot-2\r\n';
    expect(await readIdentity(link, { timeoutMs: 30_000 }), 'a phone without a serial number').to.equal('/boot-2');
    printed = 'SERIAL1\nboot-1\ncat: /proc/1/stat: Permission denied\n';
    expect(await readIdentity(link, { timeoutMs: 30_000 }), 'its first process is hidden').to.equal('SERIAL1/boot-1');
    printed = 'SERIAL1\n';
    expect(await failureOf(readIdentity(link, { timeoutMs: 30_000 }))).to.include({ kind: 'unavailable' });
    link.close();
  });

  it('has the start of its first process in a container, where the boot id is that of the host', async () => {
    const link = await PhoneLink.open({ ...address(), timeoutMs: 30_000 });
    const stat = (name: string, ticks: number): string =>
      `1 (${name}) S 0 0 0 0 -1 4194560 5000 0 80 0 120 240 0 0 20 0 1 0 ${ticks} 11161600 2100 18446744073709551615`;
    for (const [line, expected] of [
      [stat('init', 0), 'SERIAL1/boot-1'],
      [stat('init', 230), 'SERIAL1/boot-1'],
      [stat('init', 417_293), 'SERIAL1/boot-1.417293'],
      [stat('a ) S 1 2', 417_294), 'SERIAL1/boot-1.417294'],
    ] as const) {
      printed = `SERIAL1\nboot-1\n${line}\n`;
      expect(await readIdentity(link, { timeoutMs: 30_000 }), line).to.equal(expected);
    }
    link.close();
  });

  it('is verified once for each connection, before any other command', async () => {
    const link = new KeptLink({ ...address(), connectTimeoutMs: 30_000, identity: 'SERIAL1/boot-1' });
    await Promise.all([1, 2, 3].map(() => link.shell('echo', COMMAND_OPTIONS)));
    expect(adbd.opened.map((service) => service.includes('boot_id'))).to.deep.equal([true, false, false, false]);
    link.drop();
    await link.shell('echo', COMMAND_OPTIONS);
    expect(adbd.opened.slice(4).map((service) => service.includes('boot_id'))).to.deep.equal([true, false]);
    link.close();
  });

  it('ends the connection when it is not the expected one, before any other command', async () => {
    const failures: unknown[] = [];
    const link = new KeptLink({
      ...address(),
      connectTimeoutMs: 30_000,
      identity: 'SERIAL1/boot-0',
      onOpenFailed: (error) => failures.push(error),
    });
    const error = await failureOf(link.shell('reboot', COMMAND_OPTIONS));
    expect(error).to.be.instanceOf(WrongPhone);
    expect(error).to.include({ kind: 'unavailable', foundIdentity: 'SERIAL1/boot-1' });
    expect(failures).to.deep.equal([error]);
    expect(adbd.opened.filter((service) => service.includes('reboot'))).to.be.empty;
    await adbd.disconnected();
  });
});
