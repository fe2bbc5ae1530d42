import type { ContainerStatus, Pod } from './api-object.js';
import type { Power } from '../image-based/engine.js';
import { PHONE } from './phone-pod.js';

/** Most characters of a text of Kubernetes that are copied into a text of this service. */
const MAX_TEXT_CHARS = 300;

/** Returns a phone's power, as the status of its pod shows it. `adbPort` is the port of the phone's model. */
export function powerOf(pod: Pod | undefined, adbPort: number): Power {
  if (pod === undefined) return { on: false, reason: 'its pod was deleted' };
  const status = phoneStatus(pod);
  const host = pod.status?.podIP ?? '';
  // On a lost node, the status of a pod stays as it was; only the pod's deletion by Kubernetes shows the loss.
  const isLost = pod.metadata?.deletionTimestamp !== undefined && disruptionOf(pod) !== undefined;
  if (!isLost && pod.status?.phase === 'Running' && status?.state?.running !== undefined && host !== '')
    return { on: true, start: startOf(pod, status), host, port: adbPort };
  return { on: false, reason: endOf(pod) ?? `its pod waits: ${waitOf(pod)}` };
}

/** Returns why a pod has ended; undefined for a pod that has not ended. */
export function endOf(pod: Pod): string | undefined {
  const disruption = disruptionOf(pod);
  const terminated = phoneStatus(pod)?.state?.terminated;
  if (pod.status?.reason !== undefined && pod.status.reason !== '')
    return `Kubernetes ended its pod: ${text(pod.status.reason, pod.status.message)}`;
  if (disruption !== undefined) return disruption;
  if (pod.metadata?.deletionTimestamp !== undefined) return 'its pod was deleted';
  if (terminated?.reason === 'OOMKilled') return 'it used more memory than its model has';
  if (terminated !== undefined) return `its Android ended with status ${terminated.exitCode}`;
  const failed = pod.status?.initContainerStatuses?.find(({ state }) => (state?.terminated?.exitCode ?? 0) !== 0);
  if (failed !== undefined && pod.status?.phase === 'Failed')
    return `its container "${failed.name}" ended with status ${failed.state?.terminated?.exitCode ?? 0}`;
  return pod.status?.phase === 'Failed' || pod.status?.phase === 'Succeeded' ? 'its pod ended' : undefined;
}

/** Returns why Kubernetes itself ends, or has ended, a pod: a drain, a pod of higher priority, a node that is lost. */
function disruptionOf(pod: Pod): string | undefined {
  const found = pod.status?.conditions?.find(({ type, status }) => type === 'DisruptionTarget' && status === 'True');
  return found === undefined ? undefined : `Kubernetes ended its pod: ${text(found.reason, found.message)}`;
}

/** What a pod that has not begun waits for. */
export function waitOf(pod: Pod): string {
  const waiting = waitingOf(pod);
  if (waiting?.reason !== undefined) return text(waiting.reason, waiting.message);
  const scheduled = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled');
  if (scheduled?.status === 'False') return text(scheduled.reason, scheduled.message);
  return 'its containers are being made';
}

/** Reasons for which containers wait until the operator acts. Meanwhile Kubernetes tries the pull again and again. */
const FINAL = new Set([
  'ImagePullBackOff',
  'ErrImageNeverPull',
  'InvalidImageName',
  'CreateContainerConfigError',
  'CreateContainerError',
  'RunContainerError',
  'CrashLoopBackOff',
]);

/** Returns why the containers of a pod will not begin; undefined when they may still begin. */
export function faultOf(pod: Pod): string | undefined {
  const waiting = waitingOf(pod);
  return waiting?.reason !== undefined && FINAL.has(waiting.reason) ? text(waiting.reason, waiting.message) : undefined;
}

/** Returns an id of a phone's start. Each time that the phone is powered on has another id. */
function startOf(pod: Pod, { containerID }: ContainerStatus): string {
  return `${pod.metadata?.uid ?? ''} ${containerID ?? ''}`;
}

function phoneStatus(pod: Pod): ContainerStatus | undefined {
  return pod.status?.containerStatuses?.find(({ name }) => name === PHONE);
}

function waitingOf(pod: Pod) {
  const all = [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])];
  return all
    .map(({ state }) => state?.waiting)
    .find((waiting) => waiting?.reason !== undefined && waiting.reason !== 'PodInitializing');
}

function text(reason = '', message = ''): string {
  const all = [reason, message].filter((part) => part !== '').join(': ');
  return all.replaceAll(/[^\x20-\x7e]+/g, ' ').slice(0, MAX_TEXT_CHARS);
}
