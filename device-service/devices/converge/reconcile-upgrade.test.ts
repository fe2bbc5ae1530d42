import { expect } from 'chai';
import { at, checkedAt, job, LOST, NOW_MS, OBSERVATIONS, words } from '../../../testing/decisions.js';
import { deviceDocument, runningDocument } from '../../../testing/device-document.js';
import type { JobUpgrade, UpgradeStepWord } from '../../store/device-document.js';
import type { DeviceDocument } from '../../store/devices.js';
import { JobFailure } from '../jobs/job-failure.js';
import { reconcile } from './reconcile.js';

const refused = { error: 'unavailable' as const, message: 'It is back.' };
const facts = { android: '14', packages: ['org.example.app'], entries: ['Download'] };

/** A stopped device at a step of its upgrade. */
const off = (step: UpgradeStepWord, more: Partial<JobUpgrade> = {}): DeviceDocument =>
  deviceDocument({ job: job('upgrade', { upgrade: { step, ...more } }) });
/** A device that runs, until the job is announced. */
const inUse = (step: UpgradeStepWord, more: Partial<JobUpgrade> = {}): DeviceDocument =>
  runningDocument({ job: job('upgrade', { upgrade: { step, ...more } }) });
/** A device that ran, once its phone was stopped for the job. */
const wanted = (step: UpgradeStepWord, more: Partial<JobUpgrade> = {}): DeviceDocument =>
  deviceDocument({
    wanted: 'running',
    state: 'starting',
    job: job('upgrade', { checkedAt, upgrade: { step, ...more } }),
  });

const BROKEN = 'failed, failed, wanted stopped, broken';
/** Each step by the state of the phone: absent, broken, stopped, starting, running. */
const STEPS: [string, DeviceDocument, [string, string, string, string, string]][] = [
  ['fetch', off('fetch'), [LOST, BROKEN, 'fetch', 'fetch', 'fetch']],
  ['fetch, in use', inUse('fetch'), [`${LOST}, settled`, `${BROKEN}, settled`, 'fetch', 'fetch', 'fetch']],
  ['survey', off('survey'), [LOST, BROKEN, 'start', 'start', 'survey']],
  [
    'survey, in use',
    inUse('survey'),
    [`${LOST}, settled`, `${BROKEN}, settled`, 'starting, checked, settled', 'start', 'survey'],
  ],
  ['stop', off('stop'), [LOST, BROKEN, 'then copy', 'stop', 'stop']],
  [
    'stop of a device that ran',
    runningDocument({ state: 'stopping', job: job('upgrade', { checkedAt, upgrade: { step: 'stop' } }) }),
    [`${LOST}, settled`, `${BROKEN}, settled`, 'starting, then copy, settled', 'stop', 'stop'],
  ],
  ['copy', off('copy'), [LOST, 'then back', 'copy', 'stop', 'stop']],
  ['image', off('image'), [LOST, 'then back', 'image', 'stop', 'stop']],
  ['boot', off('boot'), [LOST, 'then back', 'start', 'start', 'then check']],
  ['check', off('check'), [LOST, 'then back', 'start', 'start', 'verify']],
  ['drop', off('drop'), [LOST, BROKEN, 'drop', 'drop', 'drop']],
  ['back', off('back', { refused }), [LOST, 'back', 'back', 'stop', 'stop']],
  ['end', off('end'), [LOST, BROKEN, 'done', 'stop', 'stop']],
  ['end, refused', off('end', { refused }), [LOST, BROKEN, 'failed', 'stop', 'stop']],
  ['end of a device that ran', wanted('end'), [LOST, BROKEN, 'start', 'start', 'done, running']],
  [
    'end of a device that ran, refused',
    wanted('end', { refused }),
    [LOST, BROKEN, 'start', 'start', 'failed, running'],
  ],
  // Nothing was announced: the run goes on, and what became of the phone is found after the job.
  ['end, in use', inUse('end', { refused }), [`${LOST}, settled`, `${BROKEN}, settled`, 'failed', 'failed', 'failed']],
];

describe('the decision for a phone that gets another image', () => {
  for (const [title, device, expected] of STEPS) {
    for (const [number, state] of (['absent', 'broken', 'stopped', 'starting', 'same'] as const).entries()) {
      it(`${title}: ${state}`, () =>
        expect(words(reconcile(device, OBSERVATIONS[state], at()))).to.equal(expected[number]));
    }
  }

  it('ends at once where the phone has the image already, without a change of the device', () => {
    const has = { ...OBSERVATIONS.same, after: 'fetch' as const, upgraded: { isOther: false } };
    expect(words(reconcile(inUse('fetch'), has, at()))).to.equal('then end');
    expect(reconcile(inUse('end'), OBSERVATIONS.same, at())).to.deep.equal({ change: {}, end: 'done' });
    const other = { ...has, upgraded: { isOther: true } };
    expect(words(reconcile(inUse('fetch'), other, at()))).to.equal('then survey');
  });

  it('announces the job with the facts, and charges the run up to then', () => {
    const read = { ...OBSERVATIONS.same, after: 'survey' as const, upgraded: { facts } };
    expect(reconcile(inUse('survey'), read, at())).to.deep.equal({
      change: { state: 'stopping', checkedAt: new Date(NOW_MS), upgrade: { step: 'stop', before: facts } },
    });
    // A stopped device stays stopped for its customer, although its phone is on.
    const { change } = reconcile(off('survey'), read, at()) as { change: object };
    expect(change).not.to.have.property('state');
    const stopping = runningDocument({
      state: 'stopping',
      job: job('upgrade', { checkedAt, upgrade: { step: 'stop' } }),
    });
    expect(reconcile(stopping, OBSERVATIONS.stopped, at())).to.have.property('endMs', checkedAt.getTime());
  });

  it('gives the device its Android version with the update that ends the way back', () => {
    const passed = { ...OBSERVATIONS.same, after: 'verify' as const };
    expect(reconcile(off('check', { android: '15' }), passed, at())).to.deep.equal({
      change: { android: '15', upgrade: { step: 'drop' } },
    });
    expect(reconcile(off('end', { android: '15' }), OBSERVATIONS.stopped, at())).to.deep.equal({
      ...{ change: {}, end: 'done', result: { android: '15' } },
    });
  });

  it('ends a job that went back with the reason', () => {
    const { end } = reconcile(off('end', { android: '15', refused }), OBSERVATIONS.stopped, at()) as { end: unknown };
    expect(end).to.be.instanceOf(JobFailure).with.property('error', refused);
  });
});
