import net from 'node:net';
import { expect } from 'chai';
import { systemClock } from '../../kit/async/clock.js';
import { FakeClock, settled } from '../../testing/fake-clock.js';
import { until } from '../../testing/until.js';
import { runOnConsole } from './console.js';

describe('the console of an emulator', () => {
  let server: net.Server | undefined;
  let heard = '';
  afterEach(() => server?.close());

  /** Connects to a console that sends `greeting`, and after each line the next of `replies`. */
  async function consoleThat(greeting: string, replies: string[] = []): Promise<net.Socket> {
    heard = '';
    const left = [...replies];
    server = net.createServer((socket) => {
      socket.on('error', () => undefined).write(greeting);
      socket.on('data', (part) => {
        heard += part.toString();
        const reply = left.shift();
        if (reply === undefined) return;
        if (reply === '(closed)') socket.destroy();
        else socket.write(reply);
      });
    });
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
    return net.connect({ host: '127.0.0.1', port: (server.address() as net.AddressInfo).port });
  }

  const GREETING = 'Android Console: Authentication required\r\nAndroid Console: OKAY\r\nOK\r\n';
  const options = { token: 'secret', timeoutMs: 60_000, clock: systemClock };
  const fault = (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => 'no fault',
      (error: unknown) => (error as Error).message,
    );

  it('replies to each command after the token', async () => {
    const socket = await consoleThat(GREETING, ['help?\r\nOK\r\n', 'ph_a\r\nOK\r\n']);
    expect(await runOnConsole(socket, ['avd name'], options)).to.deep.equal(['ph_a']);
    expect(heard).to.equal('auth secret\r\navd name\r\n');
  });

  it('may break off at kill, and at nothing else', async () => {
    expect(await runOnConsole(await consoleThat(GREETING, ['OK\r\n', '(closed)']), ['kill'], options)).to.deep.equal([
      '',
    ]);
    server?.close();
    const work = runOnConsole(await consoleThat(GREETING, ['OK\r\n', '(closed)']), ['avd name'], options);
    expect(await fault(work)).to.equal('the console closed the connection');
  });

  it('refuses with its own reason, and without the token', async () => {
    const work = runOnConsole(await consoleThat(GREETING, ['KO: token does not match\r\n']), ['kill'], options);
    expect(await fault(work)).to.equal('the console refused auth: token does not match');
  });

  it('is given up when it is silent, sends too much or is not there', async () => {
    const clock = new FakeClock();
    const silent = fault(runOnConsole(await consoleThat('Android'), ['kill'], { ...options, clock }));
    await settled();
    clock.turn(60_000);
    expect(await silent).to.equal('the console did not respond within 60 s');
    server?.close();
    expect(await fault(runOnConsole(await consoleThat('x'.repeat(100_000)), ['kill'], options))).to.equal(
      'the console sent too much',
    );
    const closed = net.createServer();
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
    const { port } = closed.address() as net.AddressInfo;
    await new Promise<void>((resolve) => closed.close(() => resolve()));
    const socket = net.connect({ host: '127.0.0.1', port });
    expect(await fault(runOnConsole(socket, ['kill'], options))).to.equal('the console cannot be reached');
    await until(() => socket.destroyed);
  });
});
