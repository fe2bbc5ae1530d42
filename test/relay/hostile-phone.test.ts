import { expect } from 'chai';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Command, encodePacket } from '../../phone/adb/packet.js';
import type { AdbRelay } from '../../proto/gen/cloudphone/relay/v1/relay_pb.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { until } from '../../testing/until.js';
import { RawAdb } from './raw-adb.js';
import { type RelayWorld, startRelayWorld } from './relay-world.js';
import { type PhoneSide, type ScriptedPhone, startScriptedPhone } from './scripted-phone.js';

describe('a hostile phone', () => {
  let world: RelayWorld;
  let relay: AdbRelay;
  let phone: ScriptedPhone | undefined;

  beforeEach(async () => {
    world = await startRelayWorld({ clock: new FakeClock() });
    relay = await world.enable();
  });
  afterEach(async () => {
    await phone?.close();
    phone = undefined;
    await world.close();
  });

  async function behind(options: Parameters<typeof startScriptedPhone>[0]): Promise<ScriptedPhone> {
    phone = await startScriptedPhone(options);
    world.behind.phone = phone.located;
    return phone;
  }

  for (const greets of ['AUTH', 'STLS'] as const) {
    it(`that greets with ${greets} resets the client, which has received nothing`, async () => {
      await behind({ greets });
      expect(await RawAdb.isReset(relay.port!)).to.equal(true);
    });
  }

  /** More responses than the system's buffers and the relay's bounds together hold: each is 24 bytes. */
  const OPENS = 1_000_000;
  const opens = Buffer.concat(
    Array.from({ length: 1_000 }, (_, at) =>
      encodePacket({ command: Command.OPEN, arg0: at + 1, arg1: 0, payload: Buffer.alloc(0) }, { checksum: false }),
    ),
  );

  /** Opens streams and reads no response. Returns whether the relay stops reading before it has taken all of them. */
  async function isHeldBack({ socket }: PhoneSide): Promise<boolean> {
    socket.pause();
    for (let sent = 0; sent < OPENS; sent += 1_000) {
      socket.write(opens);
      for (let turns = 0; turns < 5 && socket.writableLength > 0; turns++) await nextTurn();
      if (socket.writableLength > 4_000_000) return true;
    }
    return false;
  }

  it('that opens streams and reads nothing is not read from', async function () {
    const { located } = await behind({});
    const client = await RawAdb.greeted(relay.port!);
    expect(located.port).to.equal(world.behind.phone?.port);
    expect(await isHeldBack(phone!.latest!)).to.equal(true);
    client.end();
  });

  it('that does so before its client gets the CNXN is not read from either', async function () {
    let heldBack: Promise<boolean> | undefined;
    await behind({ onIdentity: (side) => void (heldBack = isHeldBack(side)) });
    const client = await RawAdb.connect(relay.port!);
    client.greet();
    await until(() => heldBack !== undefined);
    expect(await heldBack).to.equal(true);
    client.end();
  });
});
