import { expect } from 'chai';
import { addRun, minutesToday, noMinutes } from './running-minutes.js';

const at = (time: string): number => Date.parse(`2026-03-01T${time}Z`);
const midnight = at('00:00:00');

describe('running minutes', () => {
  it('counts every begun minute of the clock', () => {
    expect(addRun(noMinutes(midnight), at('10:00:59'), at('10:01:01')).count).to.equal(2);
    expect(addRun(noMinutes(midnight), at('10:00:00'), at('10:00:00')).count).to.equal(1);
  });

  it('counts a minute once, however often the phone was restarted in it', () => {
    let counted = noMinutes(midnight);
    for (const second of [0, 1, 2, 3]) counted = addRun(counted, at(`10:00:${second}0`), at(`10:00:${second}5`));
    expect(counted.count).to.equal(1);
  });

  it('counts from midnight only, and starts anew each day', () => {
    const overnight = addRun(noMinutes(midnight), at('00:00:00') - 3_600_000, at('00:02:30'));
    expect(overnight).to.deep.include({ day: '2026-03-01', count: 3 });
    expect(minutesToday(overnight, undefined, at('23:59:59'))).to.equal(3);
    expect(minutesToday(overnight, undefined, at('23:59:59') + 1000)).to.equal(0);
  });

  it('adds the run that goes on now', () => {
    const counted = addRun(noMinutes(midnight), at('08:00:00'), at('08:00:30'));
    expect(minutesToday(counted, at('08:00:40'), at('08:02:10'))).to.equal(3);
  });
});
