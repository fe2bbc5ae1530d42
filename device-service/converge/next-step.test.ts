import { expect } from 'chai';
import type { PhoneStatus } from '../../phone/driver.js';
import type { DeviceDocument, Job, JobKindWord } from '../store/device-document.js';
import { deviceDocument, runningDocument } from '../../testing/device-document.js';
import { endedIdentity, nextStep, recordedStatus } from './next-step.js';

const job = (kind: JobKindWord): Job => ({ id: 'job_1', kind, createdAt: new Date(), progress: 0 });
const running = (identity: string): PhoneStatus => ({
  state: 'running',
  endpoint: { host: '127.0.0.1', port: 1, identity },
});

/** The next step of each job, by the state of its phone. */
const creation = deviceDocument({ state: 'creating', wanted: 'running', job: job('create') });
delete creation.made;
const creationStopped: DeviceDocument = { ...creation, wanted: 'stopped' };
const start = deviceDocument({ state: 'starting', wanted: 'running', job: job('start') });
const stop = runningDocument({ state: 'stopping', wanted: 'stopped', job: job('stop') });
const restart = runningDocument({ state: 'stopping', wanted: 'running', job: job('restart') });
const work = runningDocument({
  job: { ...job('uninstall'), work: { kind: 'uninstall', package: 'org.example.app' } },
});
const save: DeviceDocument['job'] = {
  ...job('snapshot'),
  work: { kind: 'snapshot', snapshotId: 'snap_1', label: '' },
};
const restore = runningDocument({ state: 'starting', job: { ...job('restore'), snapshot: 'snap_1' } });
const restored = deviceDocument({
  state: 'starting',
  wanted: 'running',
  job: { ...job('restore'), snapshot: 'snap_1', restored: true },
});
const cloning: DeviceDocument = { ...creation, job: { ...job('clone'), snapshot: 'snap_1' } };
const deletion = deviceDocument({ state: 'deleting', wanted: 'gone', job: job('delete') });

const absent: PhoneStatus = { state: 'absent' };
const stopped: PhoneStatus = { state: 'stopped' };
const starting: PhoneStatus = { state: 'starting' };
const broken: PhoneStatus = { state: 'broken', problem: 'Its disk is gone.' };
const sameStart = running('SERIAL/1');
const nextStart = running('SERIAL/2');

describe('the next step of a job', () => {
  const rows: [string, DeviceDocument, PhoneStatus, string][] = [
    ['a create of a phone that is not there makes it', creation, absent, 'create'],
    ['a create of a phone that was made starts it', creation, stopped, 'start'],
    ['a create of a phone that boots waits for its start', creation, starting, 'start'],
    ['a create of a phone that runs is done', creation, sameStart, 'finish'],
    ['a create of a phone that cannot be used fails', creation, broken, 'fail'],
    ['a create without a start makes the phone', creationStopped, absent, 'create'],
    ['a create without a start is done when the phone is made', creationStopped, stopped, 'finish'],
    ['a create without a start stops a phone that runs', creationStopped, sameStart, 'stop'],
    ['a start of a phone whose data is lost fails and makes no empty one', start, absent, 'fail'],
    ['a start of a stopped phone starts it', start, stopped, 'start'],
    ['a start of a phone that boots waits for its start', start, starting, 'start'],
    ['a start of a phone that runs is done', start, sameStart, 'finish'],
    ['a start of a phone that cannot be used fails', start, broken, 'fail'],
    ['a stop of a phone whose data is lost fails', stop, absent, 'fail'],
    ['a stop of a stopped phone is done', stop, stopped, 'finish'],
    ['a stop of a phone that boots stops it', stop, starting, 'stop'],
    ['a stop of a phone that runs stops it', stop, sameStart, 'stop'],
    ['a stop of a phone that was rebooted meanwhile stops it', stop, nextStart, 'stop'],
    ['a stop of a phone that cannot be used fails', stop, broken, 'fail'],
    ['a restart of a phone whose data is lost fails', restart, absent, 'fail'],
    ['a restart of a phone that is off starts it', restart, stopped, 'start'],
    ['a restart of a phone that boots waits for its start', restart, starting, 'start'],
    ['a restart of a phone in its old start stops it', restart, sameStart, 'stop'],
    ['a restart of a phone in another start is done', restart, nextStart, 'finish'],
    ['a restart of a phone that cannot be used fails', restart, broken, 'fail'],
    ['a restore of a phone that runs stops it', restore, sameStart, 'stop'],
    ['a restore of a phone that boots stops it', restore, starting, 'stop'],
    ['a restore of a phone that is off restores it', restore, stopped, 'restore'],
    ['a restore of a phone that cannot be used restores it', restore, broken, 'restore'],
    ['a restore of a phone whose data is lost fails', restore, absent, 'fail'],
    ['a restore starts the phone once it is restored', restored, stopped, 'start'],
    ['a restore is done when the restored phone runs', restored, nextStart, 'finish'],
    ['a restore of a phone that cannot be used afterwards fails', restored, broken, 'fail'],
    ['a clone makes the phone of the snapshot', cloning, absent, 'clone'],
    ['a clone that was made starts', cloning, stopped, 'start'],
    ['a clone that runs is done', cloning, sameStart, 'finish'],
    ['saving a phone that runs is work', runningDocument({ job: save }), sameStart, 'work'],
    ['saving a phone that is off is work', deviceDocument({ job: save }), stopped, 'work'],
    ['saving a phone that ended meanwhile fails', runningDocument({ job: save }), stopped, 'fail'],
    ['work on a phone that runs is done', work, sameStart, 'work'],
    ['work on a phone that was rebooted meanwhile is done', work, nextStart, 'work'],
    ['work on a phone whose data is lost fails', work, absent, 'fail'],
    ['work on a stopped phone fails', work, stopped, 'fail'],
    ['work on a phone that boots fails', work, starting, 'fail'],
    ['work on a phone that cannot be used fails', work, broken, 'fail'],
    ['a delete of a phone that is not there is done', deletion, absent, 'finish'],
    ['a delete of a stopped phone deletes it', deletion, stopped, 'delete'],
    ['a delete of a phone that boots deletes it', deletion, starting, 'delete'],
    ['a delete of a phone that runs deletes it', deletion, sameStart, 'delete'],
    ['a delete of a phone that cannot be used deletes it', deletion, broken, 'delete'],
  ];
  for (const [title, device, observed, expected] of rows) {
    it(title, () => expect(nextStep(device, observed).do).to.equal(expected));
  }

  it('finishes with the endpoint that was found, not the recorded one', () => {
    expect(nextStep(restart, nextStart)).to.have.nested.property('endpoint.identity', 'SERIAL/2');
  });

  it('fails with the problem that the device has from then on', () => {
    expect(nextStep(start, absent)).to.have.nested.property('problem.kind', 'data_lost');
    expect(nextStep(start, broken)).to.deep.include({ problem: { kind: 'broken', message: 'Its disk is gone.' } });
  });

  it('knows the start that is to be over for a restart only', () => {
    expect(endedIdentity(restart)).to.equal('SERIAL/1');
    expect(endedIdentity(stop)).to.equal(undefined);
    expect(endedIdentity(start)).to.equal(undefined);
  });

  it('takes the record for the phone’s state', () => {
    expect(recordedStatus(creation)).to.deep.equal({ state: 'absent' });
    expect(recordedStatus(start)).to.deep.equal({ state: 'stopped' });
    expect(recordedStatus(stop)).to.deep.equal(sameStart);
  });

  it('does not know whether a create that failed has made the phone', () => {
    const failedCreate = deviceDocument({ state: 'deleting', wanted: 'gone', job: job('delete') });
    delete failedCreate.made;
    expect(recordedStatus(failedCreate)).to.equal(undefined);
  });
});
