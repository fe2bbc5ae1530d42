import { expect } from 'chai';
import { ViewerRoom } from './viewer-room.js';

const MOST = 10;

describe('the room for viewers by a share', () => {
  it('is bounded for each share, and given back once by each that leaves', () => {
    const room = new ViewerRoom();
    const enter = (keyId: string) => room.enter({ keyId, viewersMost: MOST });
    const leave = Array.from({ length: MOST }, () => enter('shr_1'));
    for (let more = 0; more < MOST * 10; more++) expect(() => enter('shr_1')).to.throw('10 viewers watch by this link');
    enter('shr_2');
    for (let times = 0; times < 3; times++) leave[0]?.();
    enter('shr_1');
    expect(() => enter('shr_1')).to.throw('10 viewers');
  });

  it('is as large as it is requested for keys and sessions', () => {
    const room = new ViewerRoom();
    for (let more = 0; more < MOST * 10; more++) room.enter({ keyId: 'key_1', viewersMost: undefined })();
  });
});
