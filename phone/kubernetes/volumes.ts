import { begunAhead } from '../../kit/async/begun-ahead.js';
import type { Claim } from './api-object.js';
import { type OperationOptions, PhoneFailure, type RestoreOptions, type TakenSnapshot } from '../driver.js';
import type { KubernetesModel } from '../image-based/model.js';
import type { ImageBasedPhone } from '../image-based/phone-folders.js';
import type { PhoneStorage } from '../image-based/phone-storage.js';
import { kubernetesModel } from './model.js';
import { type CopyJobParts, type Placement, runCopy } from './copy-job.js';
import { COMPLETE, labelsOf, LABELS, nameOf, RESTORING, selectorOf } from './objects.js';
import { bytesOf } from './quantity.js';

export interface VolumesParts extends CopyJobParts {
  /** Storage class of the volumes; undefined: the cluster's default. */
  storageClass: string | undefined;
  room: () => Promise<{ freeMemoryMb: number; freeDiskMb: number }>;
}

/** How long the sizes of all phones' volumes are kept after they were read, ms. The service requests the size of each phone in turn. */
const SIZES_MS = 5_000;

/** The annotation of a snapshot's claim with the node selector and the tolerations of the pods that copy the snapshot. */
const PLACEMENT = 'cloudphone.placement';

/** The data of each phone, and each snapshot, on a volume of its own. A snapshot counts once its claim is marked as complete. */
export class Volumes implements PhoneStorage {
  readonly #parts: VolumesParts;
  #sizes: { atMs: number; found: Promise<Map<string, number>> } | undefined;

  constructor(parts: VolumesParts) {
    this.#parts = parts;
  }

  async clean(): Promise<void> {
    const { cluster, owner } = this.#parts;
    for (const { metadata } of await cluster.list('Job', selectorOf(owner, 'copy')))
      await cluster.delete('Job', metadata?.name ?? '', { graceS: 1 });
    for (const { metadata } of await this.#snapshots())
      if (metadata?.annotations?.[COMPLETE] === undefined)
        await cluster.delete('PersistentVolumeClaim', metadata?.name ?? '');
  }

  room(): Promise<{ freeMemoryMb: number; freeDiskMb: number }> {
    return this.#parts.room();
  }

  async make(phone: ImageBasedPhone, snapshotId: string | undefined, options: OperationOptions): Promise<void> {
    if (snapshotId === undefined) await this.#applyData(phone, undefined, options.signal);
    else await this.restore(phone, snapshotId, { ...options, forgetIdentity: true });
  }

  /** A volume that is lost is made again. */
  async restore(
    phone: ImageBasedPhone,
    snapshotId: string,
    { signal, forgetIdentity = false }: RestoreOptions,
  ): Promise<void> {
    const { phoneId, digest } = phone;
    const claims = { phone: nameOf('data', phoneId), snapshot: nameOf('snapshot', snapshotId) };
    const placement = placementOf(await this.#claim(claims.snapshot, signal));
    await this.#applyData(phone, snapshotId, signal);
    const request = { step: 'restore', phoneId, snapshotId, digest, forgetIdentity } as const;
    await runCopy(this.#parts, request, claims, placement, signal);
    await this.#applyData(phone, undefined, signal);
  }

  /** A claim that is being deleted is left out, as nothing more is to be done about it. */
  async listOutside(signal?: AbortSignal): Promise<string[]> {
    const { cluster, owner } = this.#parts;
    const claims = await cluster.list<Claim>('PersistentVolumeClaim', selectorOf(owner, 'data'), signal);
    return claims
      .filter(({ metadata }) => metadata?.deletionTimestamp === undefined)
      .flatMap(({ metadata }) => metadata?.labels?.[LABELS.phone] ?? []);
  }

  removeOutside(phoneId: string): Promise<void> {
    return this.#parts.cluster.delete('PersistentVolumeClaim', nameOf('data', phoneId));
  }

  /** Returns the size of the phone's whole volume, as the service cannot see how much of it is used. */
  async usedBytes(phoneId: string): Promise<number> {
    const nowMs = this.#parts.clock.monotonicMs();
    if (this.#sizes === undefined || nowMs - this.#sizes.atMs > SIZES_MS)
      this.#sizes = { atMs: nowMs, found: begunAhead(this.#readSizes()) };
    return (await this.#sizes.found).get(phoneId) ?? 0;
  }

  async #readSizes(): Promise<Map<string, number>> {
    const { cluster, owner } = this.#parts;
    const claims = await cluster.list<Claim>('PersistentVolumeClaim', selectorOf(owner, 'data'));
    return new Map(
      claims.map(({ metadata, status }) => [
        metadata?.labels?.[LABELS.phone] ?? '',
        bytesOf(status?.capacity?.['storage']),
      ]),
    );
  }

  async take(phone: ImageBasedPhone, snapshotId: string, { signal }: OperationOptions): Promise<TakenSnapshot> {
    const { cluster, owner } = this.#parts;
    const model = kubernetesModel(phone.made);
    const { nodeSelector, tolerations } = model;
    const placement: Placement = { nodeSelector, tolerations };
    const name = nameOf('snapshot', snapshotId);
    const labels = labelsOf(owner, 'snapshot', { snapshot: snapshotId });
    const annotations = { [PLACEMENT]: JSON.stringify(placement) };
    const found = await cluster.read<Claim>('PersistentVolumeClaim', name, signal);
    if (found?.metadata?.deletionTimestamp !== undefined) throw new Error("the snapshot's last volume still goes");
    const isComplete = found?.metadata?.annotations?.[COMPLETE] !== undefined;
    if (!isComplete) await cluster.apply(this.#volume(name, model, labels, annotations), signal);
    const claims = { phone: nameOf('data', phone.phoneId), snapshot: name };
    const request = { step: 'take', phoneId: phone.phoneId, snapshotId, digest: phone.digest } as const;
    const { sizeBytes, checksum } = await runCopy(this.#parts, request, claims, placement, signal);
    if (sizeBytes === undefined || checksum === undefined) throw new Error('a copy reported no checksum');
    await cluster.apply(this.#volume(name, model, labels, { ...annotations, [COMPLETE]: 'true' }), signal);
    return { sizeBytes, checksum };
  }

  async check(snapshotId: string, { signal }: OperationOptions = {}): Promise<void> {
    const name = nameOf('snapshot', snapshotId);
    const placement = placementOf(await this.#claim(name, signal));
    await runCopy(this.#parts, { step: 'check', snapshotId }, { snapshot: name }, placement, signal);
  }

  /** Copies the volume of a snapshot to one of the same size. The volumes share nothing, as every volume is a disk of its own. */
  async copySnapshot(snapshotId: string, copyId: string, { signal }: OperationOptions): Promise<TakenSnapshot> {
    const { cluster, owner } = this.#parts;
    const source = await this.#claim(nameOf('snapshot', snapshotId), signal);
    const placement = placementOf(source);
    const name = nameOf('snapshot', copyId);
    const found = await cluster.read<Claim>('PersistentVolumeClaim', name, signal);
    if (found?.metadata?.deletionTimestamp !== undefined) throw new Error("the copy's last volume still goes");
    const labels = labelsOf(owner, 'snapshot', { snapshot: copyId });
    const annotations = { [PLACEMENT]: JSON.stringify(placement) };
    const size = source?.spec?.resources?.requests?.['storage'];
    if (size === undefined) throw new Error("the snapshot's claim has no size");
    const volume = (more: Record<string, string>): Claim =>
      this.#claimOf(name, size, labels, { ...annotations, ...more });
    const isComplete = found?.metadata?.annotations?.[COMPLETE] !== undefined;
    if (!isComplete) await cluster.apply(volume({}), signal);
    const claims = { snapshot: source?.metadata?.name ?? '', copy: name };
    const request = { step: 'copy', snapshotId, copyId } as const;
    const { sizeBytes, checksum } = await runCopy(this.#parts, request, claims, placement, signal);
    if (sizeBytes === undefined || checksum === undefined) throw new Error('a copy reported no checksum');
    await cluster.apply(volume({ [COMPLETE]: 'true' }), signal);
    return { sizeBytes, checksum };
  }

  /** Whether the volume is in the cluster. Another service on the namespace may have made it. */
  async hasSnapshot(snapshotId: string): Promise<boolean> {
    const claim = await this.#claim(nameOf('snapshot', snapshotId));
    return claim?.metadata?.annotations?.[COMPLETE] !== undefined;
  }

  async listSnapshots(): Promise<string[]> {
    return (await this.#snapshots()).flatMap(({ metadata }) => {
      const id = metadata?.labels?.[LABELS.snapshot];
      return id === undefined || metadata?.annotations?.[COMPLETE] === undefined ? [] : [id];
    });
  }

  deleteSnapshot(snapshotId: string): Promise<void> {
    return this.#parts.cluster.delete('PersistentVolumeClaim', nameOf('snapshot', snapshotId));
  }

  /**
   * Call it before a phone is powered on. A restore that was cut off is completed, or undone where its copy was not whole. Throws
   * PhoneFailure where the phone has no volume: its pod would wait for ever.
   */
  async prepare(phone: ImageBasedPhone, signal?: AbortSignal): Promise<void> {
    const claim = await this.#claim(nameOf('data', phone.phoneId), signal);
    if (claim === undefined || claim.status?.phase === 'Lost')
      throw new PhoneFailure("The phone's volume is lost. Restore a snapshot, or delete the device.");
    if (claim.metadata?.annotations?.[RESTORING] === undefined) return;
    const { nodeSelector, tolerations } = kubernetesModel(phone.made);
    const request = { step: 'finish', phoneId: phone.phoneId } as const;
    await runCopy(this.#parts, request, { phone: claim.metadata.name ?? '' }, { nodeSelector, tolerations }, signal);
    await this.#applyData(phone, undefined, signal);
  }

  /** Makes the volume of a phone where it is missing. `restoring`: the snapshot that its data is being replaced by. */
  async #applyData(
    phone: ImageBasedPhone,
    restoring: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const { phoneId: id, name: device } = phone;
    const labels = labelsOf(this.#parts.owner, 'data', { phone: id, device });
    const annotations = restoring === undefined ? undefined : { [RESTORING]: restoring };
    const volume = this.#volume(nameOf('data', id), kubernetesModel(phone.made), labels, annotations);
    await this.#parts.cluster.apply(volume, signal);
  }

  #volume(
    name: string,
    { diskMb }: KubernetesModel,
    labels: Record<string, string>,
    annotations?: Record<string, string>,
  ): Claim {
    return this.#claimOf(name, `${diskMb}Mi`, labels, annotations);
  }

  #claimOf(name: string, storage: string, labels: Record<string, string>, annotations?: Record<string, string>): Claim {
    const { cluster, storageClass } = this.#parts;
    return {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name, namespace: cluster.namespace, labels, ...(annotations && { annotations }) },
      spec: {
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage } },
        ...(storageClass !== undefined && { storageClassName: storageClass }),
      },
    };
  }

  /** Returns a claim. Undefined: it does not exist, or is being deleted, which Kubernetes completes when the last pod that uses it ends. */
  async #claim(name: string, signal?: AbortSignal): Promise<Claim | undefined> {
    const found = await this.#parts.cluster.read<Claim>('PersistentVolumeClaim', name, signal);
    return found?.metadata?.deletionTimestamp === undefined ? found : undefined;
  }

  async #snapshots(): Promise<Claim[]> {
    const { cluster, owner } = this.#parts;
    const found = await cluster.list<Claim>('PersistentVolumeClaim', selectorOf(owner, 'snapshot'));
    return found.filter(({ metadata }) => metadata?.deletionTimestamp === undefined);
  }
}

function placementOf(claim: Claim | undefined): Placement {
  if (claim === undefined)
    throw new PhoneFailure('The volume of the snapshot is not in its cluster any more. Delete it.');
  const placement = claim.metadata?.annotations?.[PLACEMENT];
  return placement === undefined ? { nodeSelector: {}, tolerations: [] } : (JSON.parse(placement) as Placement);
}
