import { expect } from 'chai';
import { runningDocument } from '../../../testing/device-document.js';
import { withDeviceEvents } from '../../record/problems.js';
import { MINUTE_MS } from './charges.js';
import { withoutFree } from './free-minutes.js';

const at = (minutes: number): Date => new Date(minutes * MINUTE_MS);
const MINUTES = [10, 11, 12, 13, 14];

describe('the minutes that are not charged', () => {
  const run = runningDocument({ startedAt: at(10.5) });

  it('are those that begin in an outage of the host', () => {
    expect(withoutFree(MINUTES, run, [])).to.deep.equal(MINUTES);
    expect(withoutFree(MINUTES, run, [{ from: at(11.5), to: at(13.5) }])).to.deep.equal([10, 11, 14]);
    expect(withoutFree(MINUTES, run, [{ from: at(12), to: at(13) }])).to.deep.equal([10, 11, 13, 14]);
  });

  it('do not include the first minute of a run that began after an outage', () => {
    expect(withoutFree(MINUTES, run, [{ from: at(9), to: at(10.4) }])).to.deep.equal(MINUTES);
  });

  it('are those from the time on at which another phone was at the address of the phone, until that is over', () => {
    const problem = { kind: 'identity' as const, message: 'Another phone', since: at(11.2) };
    const lying = { ...run, problem };
    expect(withoutFree(MINUTES, lying, [])).to.deep.equal([10, 11]);
    const { free } = withDeviceEvents(lying, { problem: null }, at(13.3).getTime());
    expect(withoutFree(MINUTES, { ...run, ...(free !== undefined && { free }) }, [])).to.deep.equal([10, 11, 14]);
    const later = { kind: 'adb' as const, message: 'The phone does not respond', since: at(12.3) };
    expect(withDeviceEvents(lying, { problem: later }, at(12.3).getTime()).free).to.deep.equal([
      { from: at(11.2), to: at(12.3) },
    ]);
    expect(withDeviceEvents(lying, { problem }, at(12).getTime())).not.to.have.property('free');
  });
});
