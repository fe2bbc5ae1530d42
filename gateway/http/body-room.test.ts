import { expect } from 'chai';
import { BodyRoom } from './body-room.js';

describe('the room for bodies that are coming in', () => {
  const kindOf = (room: BodyRoom, who: string, bytes: number): string | undefined => room.take(who, bytes)?.kind;

  it('is bounded for each account or address', () => {
    const room = new BodyRoom({ maxEachBytes: 10, maxAllBytes: 100, maxShareBytes: 2 });
    expect([kindOf(room, 'acc_1', 9), kindOf(room, 'acc_1', 2)]).to.deep.equal([undefined, 'rate_limited']);
    expect(kindOf(room, 'acc_2', 10)).to.equal(undefined);
    room.giveBack('acc_1', 9);
    expect(kindOf(room, 'acc_1', 10)).to.equal(undefined);
  });

  it('has a share for many more where some take all that they can, at once or one after the other', () => {
    const limits = { maxEachBytes: 1_000, maxAllBytes: 16_000, maxShareBytes: 100 };
    const greedy = Array.from({ length: 40 }, (_, at) => `192.0.2.${at}`);
    const turns = Array.from({ length: 1_000 }, () => greedy).flat();
    for (const order of [turns, [...turns].sort()]) {
      const room = new BodyRoom(limits);
      const held = new Map<string, number>();
      for (const who of order) if (room.take(who, 1) === undefined) held.set(who, (held.get(who) ?? 0) + 1);
      expect(greedy.every((who) => room.take(who, 1) !== undefined)).to.equal(true);
      for (let other = 0; other < 40; other++) expect(kindOf(room, `acc_${other}`, 100)).to.equal(undefined);
      expect(kindOf(room, 'acc_0', 1)).to.equal('unavailable');
      for (const [who, bytes] of held) room.giveBack(who, bytes);
      expect(kindOf(room, 'acc_0', 900)).to.equal(undefined);
    }
  });
});
