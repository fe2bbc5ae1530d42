import { expect } from 'chai';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { MalformedPacket } from '../../phone/adb/packet-parser.js';
import { PacketScanner } from '../../phone/adb/packet-scanner.js';
import { Command, encodePacket } from '../../phone/adb/packet.js';
import { WORK_PER_TURN } from '../limits.js';
import { Pace, PacedInput } from './paced-input.js';

const OPEN = encodePacket(
  { command: Command.OPEN, arg0: 1, arg1: 0, payload: Buffer.from('reboot:\0') },
  { checksum: false },
);
const COUNT = 5_000;
const flood = Buffer.concat(Array<Buffer>(COUNT).fill(OPEN));

describe('the pace of a connection', () => {
  function input(pace: Pace, extraWork = 0): { paced: PacedInput; handled: () => number; failures: unknown[] } {
    let count = 0;
    const failures: unknown[] = [];
    const scanner = new PacketScanner({
      route: () => 'gather',
      pass: () => undefined,
      piece: () => undefined,
      end: () => undefined,
      packet: () => {
        count++;
        paced.charge(extraWork);
      },
    });
    const paced = new PacedInput(scanner, pace, (read) => {
      try {
        read();
      } catch (error) {
        failures.push(error);
        paced.stop();
      }
    });
    return { paced, handled: () => count, failures };
  }

  it('bounds the packets of a turn, and handles the others in the next ones', async () => {
    const { paced, handled } = input(new Pace());
    paced.push(flood);
    paced.push(OPEN);
    expect(handled()).to.be.within(1, WORK_PER_TURN / 8);
    expect(paced.isBehind).to.equal(true);
    let turns = 0;
    for (; paced.isBehind; turns++) await nextTurn();
    expect(handled()).to.equal(COUNT + 1);
    expect(turns).to.be.greaterThan(COUNT / (WORK_PER_TURN / 8) - 1);
  });

  it('counts the work that a packet took beyond its size', async () => {
    const { paced, handled } = input(new Pace(), WORK_PER_TURN / 2);
    paced.push(Buffer.concat(Array<Buffer>(10).fill(OPEN)));
    for (let most = 2; most <= 10; most += 2) {
      expect(handled()).to.be.within(1, most);
      await nextTurn();
    }
    expect(handled()).to.equal(10);
  });

  it('is shared by the connections of an instance', async () => {
    const pace = new Pace();
    const inputs = Array.from({ length: 10 }, () => input(pace));
    for (const { paced } of inputs) paced.push(flood);
    const total = (): number => inputs.reduce((sum, { handled }) => sum + handled(), 0);
    let mostInTurn = 0;
    while (inputs.some(({ paced }) => paced.isBehind)) {
      const before = total();
      await nextTurn();
      mostInTurn = Math.max(mostInTurn, total() - before);
    }
    expect(total()).to.equal(10 * COUNT);
    // Each may exceed its share by the packet at hand.
    expect(mostInTurn).to.be.at.most(WORK_PER_TURN / 8 + 10);
  });

  it('ends with the connection, also in a later turn', async () => {
    const { paced, handled, failures } = input(new Pace());
    paced.push(Buffer.concat([flood, Buffer.alloc(24, 1)]));
    while (paced.isBehind) await nextTurn();
    expect(failures).to.have.length(1);
    expect(failures[0]).to.be.instanceOf(MalformedPacket);
    expect(handled()).to.equal(COUNT);
  });
});
