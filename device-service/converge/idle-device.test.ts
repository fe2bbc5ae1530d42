import { expect } from 'chai';
import type { PhoneStatus } from '../../phone/driver.js';
import { STEADY_RUN_MS } from '../limits.js';
import { deviceDocument, runningDocument } from '../../testing/device-document.js';
import { type Repair, repairOf } from './idle-device.js';

const NOW_MS = Date.UTC(2026, 0, 15, 9, 30);
const at = (more: { lostMs?: number; restarted?: boolean } = {}) => ({
  nowMs: NOW_MS,
  lostMs: NOW_MS - 2_000,
  restarted: false,
  ...more,
});
const problem = (kind: string) => ({ kind, message: 'as before', since: new Date(0) });
const endpoint = { host: '127.0.0.1', port: 1, identity: 'SERIAL/1' };

const absent: PhoneStatus = { state: 'absent' };
const stopped: PhoneStatus = { state: 'stopped' };
const starting: PhoneStatus = { state: 'starting' };
const broken: PhoneStatus = { state: 'broken', problem: 'Its disk is gone.' };
const running: PhoneStatus = { state: 'running', endpoint };

/** Running for so long that its end is an accident, and for so short that it is not. */
const steady = runningDocument({ startedAt: new Date(NOW_MS - STEADY_RUN_MS) });
const justStarted = runningDocument({ startedAt: new Date(NOW_MS - STEADY_RUN_MS + 1) });
/** Wanted, but its phone was lost. */
const lost = deviceDocument({ wanted: 'running', state: 'failed', problem: problem('data_lost') });
const off = deviceDocument();
const offAndLost = deviceDocument({ state: 'failed', problem: problem('data_lost') });
const offAndBroken = deviceDocument({ state: 'failed', problem: problem('broken') });
const offAndFailed = deviceDocument({ state: 'failed', problem: problem('start') });
const neverMade = deviceDocument({ state: 'failed', problem: problem('create') });
delete neverMade.made;

function changeOf(repair: Repair) {
  if (repair.do !== 'record' && repair.do !== 'start') throw new Error(`nothing is recorded, but ${repair.do}`);
  return repair;
}

describe('the repair of a device that no job is at work on', () => {
  const rows: [string, Parameters<typeof repairOf>, Repair['do']][] = [
    ['leaves a device that runs as recorded', [steady, running, at()], 'nothing'],
    ['leaves one whose phone boots', [steady, starting, at()], 'nothing'],
    ['starts one again that stopped after a steady run', [steady, stopped, at()], 'start'],
    ['reports one that stopped soon after its start', [justStarted, stopped, at()], 'record'],
    ['starts one again that stopped with its host', [justStarted, stopped, at({ restarted: true })], 'start'],
    ['records one whose phone is gone', [steady, absent, at()], 'record'],
    ['records one whose phone cannot be used', [steady, broken, at()], 'record'],
    ['leaves a lost one while its phone is gone', [lost, absent, at()], 'nothing'],
    ['records another problem of a lost one', [lost, broken, at()], 'record'],
    ['starts a lost one whose phone came back', [lost, stopped, at()], 'start'],
    ['records a lost one whose phone came back and runs', [lost, running, at()], 'record'],
    ['leaves a stopped device that is stopped', [off, stopped, at()], 'nothing'],
    ['stops a phone that nobody wants to run', [off, running, at()], 'stop'],
    ['stops a phone that nobody wants to boot', [off, starting, at()], 'stop'],
    ['stops a phone that runs although its start failed', [offAndFailed, running, at()], 'stop'],
    ['records a stopped one whose phone is gone', [off, absent, at()], 'record'],
    ['records a stopped one whose phone cannot be used', [off, broken, at()], 'record'],
    ['leaves a stopped one that is known to be lost', [offAndLost, absent, at()], 'nothing'],
    ['leaves a stopped one that is known to be broken', [offAndBroken, broken, at()], 'nothing'],
    ['records that a stopped one came back', [offAndLost, stopped, at()], 'record'],
    ['records that a stopped one can be used again', [offAndBroken, stopped, at()], 'record'],
    ['leaves the failure of a job until the next one', [offAndFailed, stopped, at()], 'nothing'],
    ['leaves a device whose phone was never made', [neverMade, absent, at()], 'nothing'],
  ];
  for (const [title, given, expected] of rows) {
    it(title, () => expect(repairOf(...given).do).to.equal(expected));
  }

  for (const [what, observed] of [
    ['identity', { ...endpoint, identity: 'SERIAL/2' }],
    ['port', { ...endpoint, port: 2 }],
    ['host', { ...endpoint, host: '127.0.0.2' }],
  ] as const) {
    it(`adopts a phone that runs with another ${what}, with a new generation, and the run goes on`, () => {
      expect(repairOf(steady, { state: 'running', endpoint: observed }, at())).to.deep.equal({
        do: 'record',
        change: { endpoint: observed, nextGeneration: true },
      });
    });
  }

  it('charges a run that ended unnoticed up to when the phone was last known to run', () => {
    for (const observed of [stopped, absent, broken]) {
      const { endMs, change } = changeOf(repairOf(steady, observed, at()));
      expect(endMs, observed.state).to.equal(NOW_MS - 2_000);
      expect(change, observed.state).to.include({ endpoint: null, startedAt: null });
    }
  });

  it('charges neither into the future nor before the start', () => {
    const ahead = changeOf(repairOf(steady, absent, at({ lostMs: NOW_MS + 60_000 })));
    expect(ahead.endMs).to.equal(NOW_MS);
    const before = changeOf(repairOf(steady, absent, at({ lostMs: 0 })));
    expect(before.endMs).to.equal(NOW_MS - STEADY_RUN_MS);
  });

  it('charges nothing for a device that was not running', () => {
    expect(changeOf(repairOf(lost, stopped, at()))).not.to.have.property('endMs');
    expect(changeOf(repairOf(off, absent, at()))).not.to.have.property('endMs');
  });

  it('wants a lost phone on, and no more one that stopped by itself', () => {
    expect(changeOf(repairOf(steady, absent, at())).change).to.have.nested.property('problem.kind', 'data_lost');
    expect(changeOf(repairOf(steady, absent, at())).change).not.to.have.property('wanted');
    const { change } = changeOf(repairOf(justStarted, { state: 'stopped', reason: 'power loss' }, at()));
    expect(change).to.include({ state: 'failed', wanted: 'stopped' });
    expect(change.problem).to.include({ kind: 'stopped_by_itself' });
    expect(change.problem?.message).to.contain('(power loss)').and.to.contain('/v1/devices/one/start');
  });

  it('ends only the problem that is over with the phone found', () => {
    const balance = { ...lost, problem: problem('balance') };
    expect(changeOf(repairOf(balance, running, at())).change).not.to.have.property('problem');
    expect(changeOf(repairOf(lost, running, at())).change).to.include({ state: 'running', problem: null });
    expect(changeOf(repairOf(offAndLost, stopped, at())).change).to.deep.equal({ state: 'stopped', problem: null });
  });
});
