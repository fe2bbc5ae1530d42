import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { ApiError } from '../kit/errors/api-error.js';
import { readIdentity } from '../phone/link/identity.js';
import { bootPhone, type RealPhone } from './testing/real-phone.js';
import { AS_KEY, screenWorld, type ScreenWorld } from './testing/screen-world.js';

describe('two phones that swap their addresses', () => {
  let notes: RealPhone;
  let settings: RealPhone;
  let world: ScreenWorld;
  let notesIdentity: string;
  /** The phone to which connections to the address of `notes` lead. */
  let leadsTo: RealPhone;
  const sockets = new Set<Socket>();

  const identityOf = (phone: RealPhone): Promise<string> =>
    readIdentity(
      { shell: async (command) => ({ stdout: Buffer.from(await phone.shell(command)) }) },
      { timeoutMs: 5_000 },
    );
  const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

  before(async () => {
    [notes, settings] = await Promise.all([bootPhone({ phoneId: 'ph_a' }), bootPhone({ phoneId: 'ph_b' })]);
    await notes.shell('am start -n com.cloudphone.notes/.Main');
    await settings.shell('am start -n com.cloudphone.settings/.Main');
    notesIdentity = await identityOf(notes);
    leadsTo = notes;
    world = screenWorld({
      port: notes.port,
      identity: notesIdentity,
      connectSocket: (host) => {
        const socket = connect({ host, port: leadsTo.port });
        sockets.add(socket);
        socket.on('close', () => sockets.delete(socket));
        return socket;
      },
    });
  });

  after(async () => {
    await world.close();
    await Promise.all([notes.close(), settings.close()]);
  });

  function swap(): void {
    leadsTo = leadsTo === notes ? settings : notes;
    for (const socket of sockets) socket.destroy();
  }

  it("never show each other's screen, and the wrong one is reported", async () => {
    let shown = 0;
    let refused = 0;
    for (let round = 0; round < 6; round++) {
      const observing = [1, 2, 3].map(() =>
        world.client.observe({ name: 'phone' }, AS_KEY).then(
          ({ observation }) => {
            expect(observation?.app).to.equal('com.cloudphone.notes');
            expect(observation?.elements.map(({ label, text }) => label || text)).to.include('New note');
            shown++;
          },
          (error: unknown) => {
            if (!(error instanceof ApiError)) throw error;
            expect(error.kind).to.equal('unavailable');
            refused++;
          },
        ),
      );
      // The phones are exchanged after each round, and in the middle of every third one.
      if (round % 3 === 2) {
        await pause(50);
        swap();
      }
      await Promise.all(observing);
      swap();
      await pause(20);
    }
    expect(shown, 'observed').to.be.greaterThan(0);
    expect(refused, 'refused').to.be.greaterThan(0);
    const settingsIdentity = await identityOf(settings);
    expect(world.reports).to.deep.include({ phoneId: 'ph_1', foundIdentity: settingsIdentity });
  });

  it('are used again as soon as their new identity is published', async () => {
    if (leadsTo === notes) swap();
    world.phone.identity = await identityOf(settings);
    const { observation } = await world.client.observe({ name: 'phone' }, AS_KEY);
    expect(observation?.app).to.equal('com.cloudphone.settings');
  });
});
