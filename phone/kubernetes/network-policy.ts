import type { ApiObject } from './api-object.js';
import { LABELS, labelsOf, nameOf } from './objects.js';

/** Of the pods that may connect to phones, in any namespace: those of this service. */
export const SERVICE_LABELS = { 'app.kubernetes.io/part-of': 'cloudphone' };

/**
 * The rules that the cluster's network keeps outside of the pods, where its plugin enforces policies at all: phones and copies connect to
 * nothing, and only pods of the service connect to phones.
 */
export function networkPolicies(namespace: string, owner: string): ApiObject[] {
  const policy = (part: 'phone' | 'copy', ingress: object[]): ApiObject & { spec: object } => ({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: nameOf('policy', `${part} of ${owner}`), namespace, labels: labelsOf(owner, 'policy') },
    spec: {
      podSelector: { matchLabels: { [LABELS.owner]: owner, [LABELS.part]: part } },
      policyTypes: ['Ingress', 'Egress'],
      egress: [],
      ingress,
    },
  });
  // As the API has it; the library's type has another name for `from`.
  const fromService = { from: [{ namespaceSelector: {}, podSelector: { matchLabels: SERVICE_LABELS } }] };
  return [policy('phone', [fromService]), policy('copy', [])];
}
