import { expect } from 'chai';
import { BodyRoom } from './body-room.js';

describe('the room for bodies that are coming in', () => {
  const kindOf = (room: BodyRoom, who: string, bytes: number): string | undefined => room.take(who, bytes)?.kind;

  it('is bounded for each account or address', () => {
    const room = new BodyRoom({ eachMaxBytes: 10, allMaxBytes: 100 });
    expect([kindOf(room, 'acc_1', 9), kindOf(room, 'acc_1', 2)]).to.deep.equal([undefined, 'rate_limited']);
    expect(kindOf(room, 'acc_2', 10)).to.equal(undefined);
    room.giveBack('acc_1', 9);
    expect(kindOf(room, 'acc_1', 10)).to.equal(undefined);
  });

  it('has a part for one more, however many take all that they can', () => {
    const room = new BodyRoom({ eachMaxBytes: 1_000, allMaxBytes: 16_000 });
    const greedy = Array.from({ length: 63 }, (_, at) => `192.0.2.${at}`);
    const held = new Map<string, number>();
    for (let round = 0; round < 1_000; round++)
      for (const who of greedy) {
        if (room.take(who, 1) === undefined) held.set(who, (held.get(who) ?? 0) + 1);
      }
    expect(kindOf(room, greedy[0]!, 1)).to.equal('unavailable');
    expect(kindOf(room, 'acc_1', 16_000 / 64 / 2)).to.equal(undefined);
    for (const [who, bytes] of held) room.giveBack(who, bytes);
    expect(kindOf(room, 'acc_1', 800)).to.equal(undefined);
  });
});
