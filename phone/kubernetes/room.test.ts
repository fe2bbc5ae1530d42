import type { Node, Pod, ResourceQuota, Taint } from './api-object.js';
import { expect } from 'chai';
import type { KubernetesModel } from '../image-based/model.js';
import { nodeObstacle, roomIn } from './room.js';

const MODEL: KubernetesModel = {
  ...{ model: 'a', name: 'A', android: ['14'], driver: 'kubernetes', image: 'x', adbPort: 5555, args: [] },
  screen: { width: 720, height: 1280, density: 320 },
  ...{ memoryMb: 1024, cpus: 1, diskMb: 1024, bootLimitS: 60, privileged: false, capabilities: [] },
  ...{ nodeSelector: { phones: 'yes' }, tolerations: [{ key: 'phones', operator: 'Exists' }], resources: {} },
};

const NONE: Taint[] = [];
const PHONES: Record<string, string> = { phones: 'yes' };

function node(name: string, { taints = NONE, ready = 'True', pods = '10', labels = PHONES } = {}): Node {
  return {
    metadata: { name, labels },
    spec: { taints: taints },
    status: { allocatable: { memory: '8Gi', pods }, conditions: [{ type: 'Ready', status: ready }] },
  };
}

function pod(nodeName: string, memory: string, phase = 'Running'): Pod {
  const container = (restartPolicy?: string) => ({
    ...{ name: 'c', resources: { requests: { memory } } },
    ...(restartPolicy !== undefined && { restartPolicy }),
  });
  return {
    spec: { nodeName, containers: [container()], initContainers: [container(), container('Always')] },
    status: { phase },
  };
}

describe('the room of a cluster', () => {
  const roomOf = (nodes: Node[] | undefined, pods: Pod[] = [], quotas: ResourceQuota[] = []) =>
    roomIn({ nodes, pods, quotas }, [MODEL]);

  it('is what the nodes of the models can allocate, less the requests of pods and their sidecars', () => {
    const pods = [pod('n1', '1Gi'), pod('n1', '4Gi', 'Failed'), pod('elsewhere', '1Gi')];
    expect(roomOf([node('n1'), node('n2')], pods).freeMemoryMb).to.equal(14 * 1024);
    expect(roomOf([node('n1', { pods: '1' })], pods).freeMemoryMb, 'as many pods as it takes').to.equal(0);
  });

  it('leaves out nodes that are not ready, have other labels, or repel the phones', () => {
    const taint = (key: string, effect: string): Taint[] => [{ key, effect }];
    const nodes = [
      ...[node('away', { ready: 'Unknown' }), node('other', { labels: {} })],
      ...[
        node('repels', { taints: taint('gpu', 'NoSchedule') }),
        node('tolerated', { taints: taint('phones', 'NoExecute') }),
      ],
      node('would rather not', { taints: taint('gpu', 'PreferNoSchedule') }),
    ];
    expect(roomOf(nodes).freeMemoryMb).to.equal(2 * 8 * 1024);
    expect(nodeObstacle(nodes, MODEL)).to.equal(undefined);
    expect(nodeObstacle(nodes.slice(0, 3), MODEL)).to.contain('no node with phones=yes');
    expect(nodeObstacle(undefined, MODEL), 'not known').to.equal(undefined);
  });

  it('is at most what every quota leaves', () => {
    const quota = (hard: Record<string, string>, used: Record<string, string>): ResourceQuota => ({
      status: { hard, used },
    });
    const found = [
      quota(
        { 'requests.memory': '4Gi', 'requests.storage': '100Gi' },
        { 'requests.memory': '1Gi', 'requests.storage': '90Gi' },
      ),
      quota({ 'limits.memory': '2Gi' }, {}),
    ];
    expect(roomOf(undefined, [], found)).to.deep.equal({ freeMemoryMb: 2048, freeDiskMb: 10 * 1024 });
    expect(roomOf(undefined, [], [quota({ pods: '5' }, { pods: '5' })]).freeMemoryMb).to.equal(0);
    expect(roomOf(undefined)).to.deep.equal({ freeMemoryMb: 2 ** 31 - 1, freeDiskMb: 2 ** 31 - 1 });
  });
});
