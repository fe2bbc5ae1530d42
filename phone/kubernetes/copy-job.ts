import type { Job, Pod } from './api-object.js';
import { ApiError } from '../../kit/errors/api-error.js';
import type { Clock } from '../../kit/async/clock.js';
import type { Log } from '../../kit/log/log.js';
import { PhoneFailure } from '../driver.js';
import type { KubernetesModel } from '../image-based/model.js';
import type { Cluster } from './cluster.js';
import { COPIES, type CopyReport, type CopyRequest, PHONES, REPORT, SNAPSHOTS } from './copy/copy-request.js';
import { labelsOf, nameOf } from './objects.js';
import { endOf, faultOf, waitOf } from './pod-state.js';

/**
 * The nodes on which copies may run: those for phones of the model. Volumes of some storage classes are bound to the node of their first
 * pod.
 */
export type Placement = Pick<KubernetesModel, 'nodeSelector' | 'tolerations'>;

export interface CopyJobParts {
  cluster: Cluster;
  owner: string;
  gateImage: string;
  clock: Clock;
  log: Log;
  randomBytes: (count: number) => Buffer;
}

/** The names of the volume claims that the pod of a copy mounts. */
export interface CopyClaims {
  phone?: string;
  snapshot?: string;
  /** That of a copy of the snapshot. */
  copy?: string;
}

/** Pause between two reads of a running Job's state, ms. A copy takes seconds to minutes. */
const EVERY_MS = 1_000;
/** The same for the first reads, and while a Job is being deleted. */
const QUICK_MS = 200;
/** How long the cluster keeps a finished Job that a crash left, s. */
const KEPT_S = 300;
/**
 * Longest time of a check's Job, s. No caller waits that long for a check. The bound ends the Job of a process that was killed, also where
 * its pod never begins.
 */
const MAX_CHECK_S = 3_600;
/** Longest time for a pod to begin, ms. In this time, its image is pulled, and its volumes are made and attached. */
const BEGIN_MS = 180_000;
/** Longest time until the pod of a deleted Job is gone, ms. */
const END_MS = 60_000;

/**
 * Runs a copy as a Job of Kubernetes, and returns its report. Throws what the copy threw. All copies that write one volume have the same
 * name. So each copy first ends the one before, which a crash may have left.
 *
 * A check only reads, and has a name of its own. So checks of one snapshot do not end one another, also those of other services on the
 * namespace.
 */
export async function runCopy(
  { cluster, owner, gateImage, clock, log, randomBytes }: CopyJobParts,
  request: CopyRequest,
  claims: CopyClaims,
  placement: Placement,
  signal: AbortSignal | undefined,
): Promise<CopyReport & { done: true }> {
  const isCheck = request.step === 'check';
  const shared = nameOf('copy', usedBy(request));
  // Kubernetes allows 63 characters, and the whole name has 49.
  const name = isCheck ? `${shared}-${randomBytes(8).toString('hex')}` : shared;
  const end = (): Promise<void> => endJob(cluster, clock, name);
  // A Job that a crash left may still write.
  if (!isCheck) await end();
  try {
    await cluster.apply(copyJob({ name, cluster, owner, gateImage, request, claims, placement }), signal);
    const report = await reportOf(cluster, { name, clock, signal });
    if (report.done) return report;
    log.warn({ ...request, failure: report }, 'a copy failed');
    if (report.kind === 'phone_failure') throw new PhoneFailure(report.message);
    if (report.kind === 'unknown') throw new Error(`a copy failed: ${report.message}`);
    throw new ApiError(report.kind, report.message);
  } finally {
    await end();
  }
}

/** Returns the id of the phone or snapshot whose volume a copy writes, or reads alone. */
function usedBy(request: CopyRequest): string {
  if ('phoneId' in request) return request.phoneId;
  return 'copyId' in request ? request.copyId : request.snapshotId;
}

function copyJob(parts: {
  name: string;
  cluster: Cluster;
  owner: string;
  gateImage: string;
  request: CopyRequest;
  claims: CopyClaims;
  placement: Placement;
}): Job {
  const { name, cluster, owner, gateImage, request, claims, placement } = parts;
  const labels = labelsOf(owner, 'copy', 'snapshotId' in request ? { snapshot: request.snapshotId } : {});
  const volumes = [
    ...(claims.snapshot === undefined ? [] : [{ name: 'snapshots', mountPath: SNAPSHOTS, claimName: claims.snapshot }]),
    ...(claims.phone === undefined ? [] : [{ name: 'phones', mountPath: PHONES, claimName: claims.phone }]),
    ...(claims.copy === undefined ? [] : [{ name: 'copies', mountPath: COPIES, claimName: claims.copy }]),
  ];
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, namespace: cluster.namespace, labels },
    spec: {
      backoffLimit: 0,
      ttlSecondsAfterFinished: KEPT_S,
      ...(request.step === 'check' && { activeDeadlineSeconds: MAX_CHECK_S }),
      template: {
        metadata: { labels },
        spec: {
          restartPolicy: 'Never',
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          nodeSelector: placement.nodeSelector,
          tolerations: [...placement.tolerations],
          containers: [
            {
              name: 'copy',
              image: gateImage,
              args: ['copy', JSON.stringify(request)],
              terminationMessagePath: REPORT,
              // The copy runs as root, as Android's files belong to many users that Android defines.
              securityContext: { runAsUser: 0, allowPrivilegeEscalation: false },
              resources: { requests: { memory: '256Mi', cpu: '100m' }, limits: { memory: '512Mi' } },
              volumeMounts: volumes.map(({ name: volume, mountPath }) => ({ name: volume, mountPath })),
            },
          ],
          volumes: volumes.map(({ name: volume, claimName }) => ({
            name: volume,
            persistentVolumeClaim: { claimName },
          })),
        },
      },
    },
  };
}

async function reportOf(
  cluster: Cluster,
  { name, clock, signal }: { name: string; clock: Clock; signal: AbortSignal | undefined },
): Promise<CopyReport> {
  const beginBy = clock.monotonicMs() + BEGIN_MS;
  for (let tries = 0; ; tries++) {
    const [pod] = await podsOf(cluster, name, signal);
    const terminated = pod?.status?.containerStatuses?.[0]?.state?.terminated;
    if (terminated?.message !== undefined && terminated.exitCode === 0) return parsed(terminated.message);
    const end = pod === undefined ? undefined : endOf(pod);
    if (end !== undefined) throw new Error(`the pod of a copy ended without a report: ${end}`);
    const fault = pod === undefined ? undefined : faultOf(pod);
    if (fault !== undefined) throw new Error(`the pod of a copy does not begin: ${fault}`);
    if (pod?.status?.phase !== 'Running' && clock.monotonicMs() > beginBy) {
      throw new Error(`the pod of a copy did not begin: ${pod === undefined ? 'it was not made' : waitOf(pod)}`);
    }
    await clock.sleep(tries < 20 ? QUICK_MS : EVERY_MS, signal);
  }
}

/** Parses the report of a copy. Throws when `done` is no boolean. The other fields are not checked, as our own container wrote them. */
function parsed(message: string): CopyReport {
  const report = JSON.parse(message) as Partial<CopyReport>;
  if (typeof report.done !== 'boolean') throw new Error('the report of a copy is none');
  return report as CopyReport;
}

/** Deletes a Job, and returns once its pod is gone. The pod may write until then. */
async function endJob(cluster: Cluster, clock: Clock, name: string): Promise<void> {
  await cluster.delete('Job', name, { graceS: 1 });
  const deadlineMs = clock.monotonicMs() + END_MS;
  while ((await podsOf(cluster, name)).length > 0) {
    if (clock.monotonicMs() > deadlineMs) throw new Error('the pod of a copy does not end');
    await clock.sleep(QUICK_MS);
  }
}

function podsOf(cluster: Cluster, job: string, signal?: AbortSignal): Promise<Pod[]> {
  return cluster.list<Pod>('Pod', `batch.kubernetes.io/job-name=${job}`, signal);
}
