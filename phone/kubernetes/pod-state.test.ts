import type { ContainerState, Pod } from './api-object.js';
import { expect } from 'chai';
import { endOf, faultOf, powerOf, waitOf } from './pod-state.js';

function pod(phase: string, state: ContainerState, more: NonNullable<Pod['status']> = {}): Pod {
  const phone = { name: 'phone', image: '', imageID: '', ready: true, restartCount: 0, containerID: 'c1', state };
  return { metadata: { uid: 'u1' }, status: { phase, podIP: '10.0.0.9', containerStatuses: [phone], ...more } };
}

describe('the state of a phone in a pod', () => {
  it('is on while its container runs, with an address', () => {
    expect(powerOf(pod('Running', { running: {} }), 5555)).to.deep.equal({
      ...{ on: true, start: 'u1 c1', host: '10.0.0.9', port: 5555 },
    });
    const leaving = {
      ...pod('Running', { running: {} }),
      metadata: { uid: 'u1', deletionTimestamp: '2026-01-01T00:00:00Z' },
    };
    expect(powerOf(leaving, 5555).on, 'while it shuts down').to.equal(true);
    const conditions = [{ type: 'DisruptionTarget', status: 'True', reason: 'DeletionByTaintManager', message: 'm' }];
    const lost = { ...leaving, status: { ...leaving.status, conditions } };
    expect(powerOf(lost, 5555), 'with its node').to.deep.equal({
      ...{ on: false, reason: 'Kubernetes ended its pod: DeletionByTaintManager: m' },
    });
    expect(powerOf(pod('Running', { running: {} }, { podIP: '' }), 5555).on).to.equal(false);
  });

  const terminated = (exitCode: number, reason = 'Error'): ContainerState => ({ terminated: { exitCode, reason } });
  const disruption = (reason: string, message: string) => [
    { type: 'DisruptionTarget', status: 'True', reason, message },
  ];
  const cases: [string, Pod | undefined, string][] = [
    ['is gone', undefined, 'its pod was deleted'],
    ['ended', pod('Failed', terminated(137)), 'its Android ended with status 137'],
    ['took too much memory', pod('Failed', terminated(137, 'OOMKilled')), 'it used more memory than its model has'],
    [
      'was evicted by its node',
      pod('Failed', terminated(137), { reason: 'Evicted', message: 'The node was low on resource: memory.' }),
      'Kubernetes ended its pod: Evicted: The node was low on resource: memory.',
    ],
    [
      'was preempted',
      pod('Failed', terminated(0), { conditions: disruption('PreemptionByScheduler', 'preempting to\naccommodate') }),
      'Kubernetes ended its pod: PreemptionByScheduler: preempting to accommodate',
    ],
    [
      'has rules that its kernel refused',
      pod('Failed', { waiting: {} }, { initContainerStatuses: [{ name: 'rules', image: '', imageID: '', ready: false, restartCount: 0, state: terminated(1) }] }), // prettier-ignore
      'its container "rules" ended with status 1',
    ],
    [
      'waits for a node',
      { status: { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/3 nodes' }] } }, // prettier-ignore
      'its pod waits: Unschedulable: 0/3 nodes',
    ],
  ];
  for (const [name, found, reason] of cases)
    it(`is off, with the reason, where its pod ${name}`, () => {
      expect(powerOf(found, 5555)).to.deep.equal({ on: false, reason });
    });

  it('has a fault where its image cannot be pulled, and none while it is being made', () => {
    const pulling = pod('Pending', { waiting: { reason: 'ImagePullBackOff', message: 'Back-off pulling image "x"' } });
    expect(faultOf(pulling)).to.equal('ImagePullBackOff: Back-off pulling image "x"');
    const first = pod('Pending', { waiting: { reason: 'ErrImagePull' } });
    expect([faultOf(first), waitOf(first), endOf(first)]).to.deep.equal([undefined, 'ErrImagePull', undefined]);
    expect(waitOf(pod('Pending', { waiting: { reason: 'PodInitializing' } }))).to.equal(
      'its containers are being made',
    );
  });
});
