import { expect } from 'chai';
import {
  at,
  checkedAt,
  creating,
  endpoint,
  job,
  LOST_MS,
  NOW_MS,
  OBSERVATIONS,
  problem,
  words,
} from '../../../testing/decisions.js';
import { deviceDocument } from '../../../testing/device-document.js';
import type { Job, JobKindWord } from '../../store/device-document.js';
import type { DeviceDocument } from '../../store/devices.js';
import { JobFailure } from '../jobs/job-failure.js';
import type { Decision, Moment, Observation } from './decision.js';
import { reconcile } from './reconcile.js';

const apps = ['maps', 'my/shop'].map((app) => ({ app, package: `org.${app.length}`, from: { app } }));
const withApps = (more: Partial<Job> = {}, kind: JobKindWord = 'create'): Job => job(kind, { apps, ...more });
const startedAt = new Date(NOW_MS - 500);

/** The device once its phone runs, while the apps are being installed. */
const running = (more: Partial<Job> = {}, device: Partial<DeviceDocument> = {}): DeviceDocument =>
  deviceDocument({ state: 'running', wanted: 'running', endpoint, startedAt, job: withApps(more), ...device });
const decide = (device: DeviceDocument, observed: Observation | undefined, moment: Partial<Moment> = {}): Decision =>
  reconcile(device, observed, at(moment));
const refused = new JobFailure({ error: 'bad_request', message: 'The phone did not install it.' });

describe('a job that makes a phone with apps', () => {
  it('makes and starts the phone as without apps', () => {
    const made = deviceDocument({ state: 'starting', wanted: 'running', job: withApps() });
    expect(words(decide(creating('running', withApps()), OBSERVATIONS.absent))).to.equal('create');
    expect(words(decide(creating('running', withApps()), OBSERVATIONS.stopped))).to.equal('starting');
    expect(words(decide(made, OBSERVATIONS.stopped))).to.equal('start');
    expect(words(decide(made, OBSERVATIONS.starting))).to.equal('start');
    const clone = creating('running', withApps({}, 'clone'));
    expect(words(decide(clone, OBSERVATIONS.absent))).to.equal('check');
    expect(words(decide({ ...clone, job: withApps({ checkedAt }, 'clone') }, OBSERVATIONS.absent))).to.equal('clone');
  });

  it('records the phone as running before the first app, and goes on', () => {
    for (const kind of ['create', 'clone'] as const) {
      const made = deviceDocument({ state: 'starting', wanted: 'running', job: withApps({ checkedAt }, kind) });
      const decision = decide({ ...made, problem: problem('create') }, OBSERVATIONS.same);
      expect(words(decision)).to.equal('running, well');
      expect(decision).to.deep.include({
        change: { state: 'running', endpoint, startedAt: new Date(NOW_MS), lostAt: null, nextGeneration: true, made: true, problem: null },
      }); // prettier-ignore
    }
  });

  it('installs the apps in turn, notes each, and ends after the last', () => {
    expect(words(decide(running(), OBSERVATIONS.same))).to.equal('install');
    const first: Observation = { ...OBSERVATIONS.same, after: 'install', installed: 1 };
    expect(decide(running(), first)).to.deep.equal({ change: { appsInstalled: 1 } });
    expect(words(decide(running({ appsInstalled: 1 }), first))).to.equal('install');
    const second: Observation = { ...OBSERVATIONS.same, after: 'install', installed: 2 };
    expect(decide(running({ appsInstalled: 1 }), second)).to.deep.equal({ change: { appsInstalled: 2 } });
    expect(decide(running({ appsInstalled: 2 }), second)).to.deep.equal({ change: {}, end: 'done' });
    // As another process finds it after a crash.
    expect(decide(running({ appsInstalled: 2 }), OBSERVATIONS.same)).to.deep.equal({ change: {}, end: 'done' });
  });

  it('goes on with a phone that was rebooted by itself meanwhile', () => {
    expect(words(decide(running(), OBSERVATIONS.other))).to.equal('moved');
  });

  it('starts a phone that stopped meanwhile again, whose run is charged up to its loss, and goes on with the apps', () => {
    for (const missedMs of [undefined, LOST_MS]) {
      const lost = decide(running(), OBSERVATIONS.stopped, { missedMs });
      expect(lost).to.deep.equal({ change: { lostAt: new Date(missedMs ?? NOW_MS) } });
    }
    const lostAt = new Date(NOW_MS - 100);
    for (const kind of ['create', 'clone'] as const) {
      const device = running({}, { job: withApps({ appsInstalled: 1, checkedAt }, kind), lostAt });
      const ended = decide(device, OBSERVATIONS.stopped);
      expect(words(ended)).to.equal('starting, settled');
      expect(ended).to.have.property('endMs', lostAt.getTime());
    }
    expect(decide(running({}, { lostAt }), OBSERVATIONS.same)).to.deep.equal({ change: { lostAt: null } });
  });

  it('fails with the name of the app, and leaves the phone as it is', () => {
    for (const observed of [OBSERVATIONS.same, undefined]) {
      const decision = decide(running({ appsInstalled: 1 }), observed, { failure: refused });
      expect(words(decision)).to.equal('failed');
      expect(decision).to.deep.include({ change: {} });
      const { end } = decision as { end: JobFailure };
      expect(end.error).to.deep.equal({
        error: 'bad_request',
        message: 'The phone runs, but the app "my/shop" was not installed: The phone did not install it.',
      });
    }
  });

  it('fails as without apps when the phone cannot be started, before the apps or after a stop among them', () => {
    const starting = deviceDocument({ state: 'starting', wanted: 'running', job: withApps({ appsInstalled: 1 }) });
    const decision = decide(starting, OBSERVATIONS.stopped, { failure: refused });
    expect(words(decision)).to.equal('failed, failed, wanted stopped, create');
    expect((decision as { end: JobFailure }).end.message).to.equal(refused.message);
  });

  it('reports a phone that lost its data meanwhile', () => {
    const decision = decide(running({}, { lostAt: new Date(LOST_MS) }), OBSERVATIONS.absent);
    expect(words(decision)).to.contain('failed');
  });
});
