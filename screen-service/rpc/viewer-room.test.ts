import { expect } from 'chai';
import { FakeClock } from '../../testing/fake-clock.js';
import { ViewerRoom } from './viewer-room.js';

const MAX_VIEWERS = 10;

describe('the room for viewers', () => {
  let clock: FakeClock;
  let room: ViewerRoom;
  beforeEach(() => {
    clock = new FakeClock();
    room = new ViewerRoom(clock);
  });
  const enter = (keyId: string, phoneId = 'ph_1') =>
    room.enter({ keyId, viewersMost: MAX_VIEWERS, phoneSession: { phone: { phoneId } } });
  const enterAsOwner = (keyId: string) =>
    room.enter({ keyId, viewersMost: undefined, phoneSession: { phone: { phoneId: 'ph_1' } } });

  it('is bounded for each share, and given back once by each that leaves', () => {
    const leave = Array.from({ length: MAX_VIEWERS }, () => enter('shr_1'));
    for (let more = 0; more < MAX_VIEWERS * 10; more++)
      expect(() => enter('shr_1')).to.throw('10 viewers watch by this link');
    enter('shr_2');
    for (let times = 0; times < 3; times++) leave[0]?.();
    enter('shr_1');
    expect(() => enter('shr_1')).to.throw('10 viewers');
  });

  it('is as large as it is requested for keys and sessions', () => {
    for (let more = 0; more < MAX_VIEWERS * 10; more++) enterAsOwner('key_1')();
    expect(room.viewersOf('ph_1')).to.deep.equal([]);
  });

  it('knows how many watch a phone by each share and of the account, and since when', () => {
    const beganMs = clock.now();
    const leaveFirst = enter('shr_1');
    enterAsOwner('key_1');
    clock.turn(5_000);
    enter('shr_1');
    enterAsOwner('ses_2');
    const leaveOther = enter('shr_2');
    enter('shr_1', 'ph_2');
    expect(room.viewersOf('ph_1')).to.deep.equal([
      { count: 2, sinceMs: beganMs },
      { share: 'shr_1', count: 2, sinceMs: beganMs },
      { share: 'shr_2', count: 1, sinceMs: beganMs + 5_000 },
    ]);
    leaveFirst();
    leaveOther();
    expect(room.viewersOf('ph_1').slice(1)).to.deep.equal([{ share: 'shr_1', count: 1, sinceMs: beganMs + 5_000 }]);
    expect(room.viewersOf('ph_2')).to.deep.equal([{ share: 'shr_1', count: 1, sinceMs: beganMs + 5_000 }]);
    expect(room.viewersOf('ph_3')).to.deep.equal([]);
  });
});
