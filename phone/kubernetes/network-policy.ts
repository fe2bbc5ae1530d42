import type { ApiObject } from './api-object.js';
import { LABELS, labelsOf, nameOf } from './objects.js';

/** Labels of the pods that may connect to phones, in any namespace: the pods of this service. */
export const SERVICE_LABELS = { 'app.kubernetes.io/part-of': 'cloudphone' };

/**
 * Returns the network policies. The cluster enforces them outside of the pods, if its network plugin supports policies. Pods of phones and
 * of copies connect to nothing, and only pods of the service connect to phones.
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
  // This is the API's own shape; the library's type has another name for `from`.
  const fromService = { from: [{ namespaceSelector: {}, podSelector: { matchLabels: SERVICE_LABELS } }] };
  return [policy('phone', [fromService]), policy('copy', [])];
}
