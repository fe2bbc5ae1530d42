import type { Node, Pod, ResourceQuota, ApiToleration } from './api-object.js';
import type { KubernetesModel } from '../image-based/model.js';
import { quantityOf } from './quantity.js';

const MIB = 1024 * 1024;
/** Where nothing bounds the room, MiB: the largest number that hosts report. */
const UNBOUNDED_MB = 2 ** 31 - 1;

export interface ClusterFacts {
  /** Undefined where the service may not read them. */
  nodes: readonly Node[] | undefined;
  /** Pods of the namespace. */
  pods: readonly Pod[];
  quotas: readonly ResourceQuota[];
}

/**
 * Returns the memory and disk that phones of the models may still take, MiB. The memory is bounded by what the nodes for these models can
 * allocate, less the requests of the namespace's pods there. Memory and disk are bounded by what the namespace's quotas leave. What pods of
 * other namespaces take is not known here.
 */
export function roomIn(
  { nodes, pods, quotas }: ClusterFacts,
  models: readonly KubernetesModel[],
): { freeMemoryMb: number; freeDiskMb: number } {
  const ofNodes = nodes
    ?.filter((node) => models.some((model) => isFor(node, model)))
    .reduce((sum, node) => sum + freeBytesOf(node, pods), 0);
  const memory = Math.min(ofNodes ?? Infinity, left(quotas, ['requests.memory', 'memory', 'limits.memory']));
  const pod = left(quotas, ['pods', 'count/pods']);
  const claim = left(quotas, ['persistentvolumeclaims', 'count/persistentvolumeclaims']);
  return {
    freeMemoryMb: pod < 1 ? 0 : inMb(memory),
    freeDiskMb: claim < 1 ? 0 : inMb(left(quotas, ['requests.storage'])),
  };
}

/** Returns why no node can run phones of a model, as a line for the operator. Undefined: a node can, or the nodes are not known. */
export function nodeObstacle(nodes: readonly Node[] | undefined, model: KubernetesModel): string | undefined {
  if (nodes === undefined || nodes.some((node) => isFor(node, model))) return undefined;
  const labels = Object.entries(model.nodeSelector).map(([name, value]) => `${name}=${value}`);
  return labels.length === 0
    ? 'the cluster has no node that is ready and whose taints the model tolerates'
    : `the cluster has no node with ${labels.join(', ')} that is ready and whose taints the model tolerates`;
}

function isFor({ metadata, spec, status }: Node, { nodeSelector, tolerations }: KubernetesModel): boolean {
  const isReady = status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true;
  const has = Object.entries(nodeSelector).every(([name, value]) => metadata?.labels?.[name] === value);
  const repels = (spec?.taints ?? [])
    .filter(({ effect }) => effect !== 'PreferNoSchedule')
    .some((taint) => !tolerations.some((one) => tolerates(one, taint)));
  return isReady && has && !repels && spec?.unschedulable !== true;
}

/** Compares as the scheduler does. A toleration without an effect is for every effect; one with `Exists` and no key, for every key. */
function tolerates(
  { key, operator = 'Equal', value = '', effect }: ApiToleration,
  taint: { key: string; value?: string; effect: string },
): boolean {
  if (effect !== undefined && effect !== taint.effect) return false;
  if (key === undefined) return operator === 'Exists';
  return key === taint.key && (operator === 'Exists' || value === (taint.value ?? ''));
}

function freeBytesOf({ metadata, status }: Node, pods: readonly Pod[]): number {
  const here = pods.filter(({ spec, status: { phase } = {} }) => {
    return spec?.nodeName === metadata?.name && phase !== 'Succeeded' && phase !== 'Failed';
  });
  if (here.length >= quantityOf(status?.allocatable?.['pods'])) return 0;
  const taken = here.reduce((sum, pod) => sum + requestOf(pod), 0);
  return Math.max(0, quantityOf(status?.allocatable?.['memory']) - taken);
}

/** The memory that a pod reserves on its node: sidecars count beside its containers. */
function requestOf({ spec }: Pod): number {
  const all = [
    ...(spec?.containers ?? []),
    ...(spec?.initContainers ?? []).filter((one) => one.restartPolicy === 'Always'),
  ];
  return all.reduce((sum, { resources }) => sum + quantityOf(resources?.requests?.['memory']), 0);
}

/** The least that any quota leaves of the resources; Infinity where none bounds them. */
function left(quotas: readonly ResourceQuota[], names: readonly string[]): number {
  const all = quotas.flatMap(({ status }) =>
    names.flatMap((name) => {
      const hard = status?.hard?.[name];
      return hard === undefined ? [] : [quantityOf(hard) - quantityOf(status?.used?.[name])];
    }),
  );
  return Math.max(0, Math.min(Infinity, ...all));
}

function inMb(bytes: number): number {
  return Math.min(UNBOUNDED_MB, Math.floor(bytes / MIB));
}
