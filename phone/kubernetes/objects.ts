import { createHash } from 'node:crypto';

/**
 * Labels of all that belongs to phones. `owner` differs between services in one namespace; `part` is `phone`, `copy`, `data`, `snapshot` or
 * `policy`.
 */
export const LABELS = {
  owner: 'cloudphone.owner',
  part: 'cloudphone.part',
  phone: 'cloudphone.phone',
  device: 'cloudphone.device',
  snapshot: 'cloudphone.snapshot',
} as const;

/** Marks the volume of a snapshot as completely written. */
export const COMPLETE = 'cloudphone.complete';

/** Marks the volume of a phone whose data is being replaced, with the id of the snapshot. */
export const RESTORING = 'cloudphone.restoring';

export type Part = 'phone' | 'copy' | 'data' | 'snapshot' | 'policy';

/**
 * Returns the name of a Kubernetes object. The name has a digest of the id, as an id may have characters that Kubernetes forbids in names.
 */
export function nameOf(part: Part, id: string): string {
  const digest = createHash('sha256').update(id).digest('hex').slice(0, 16);
  return part === 'phone' || part === 'data' ? `cloudphone-${digest}` : `cloudphone-${part}-${digest}`;
}

export function labelsOf(
  owner: string,
  part: Part,
  more: Partial<Record<'phone' | 'device' | 'snapshot', string>> = {},
) {
  return {
    [LABELS.owner]: owner,
    [LABELS.part]: part,
    ...(more.phone !== undefined && { [LABELS.phone]: more.phone }),
    ...(more.device !== undefined && { [LABELS.device]: more.device }),
    ...(more.snapshot !== undefined && { [LABELS.snapshot]: more.snapshot }),
  };
}

export function selectorOf(owner: string, part: Part): string {
  return `${LABELS.owner}=${owner},${LABELS.part}=${part}`;
}
