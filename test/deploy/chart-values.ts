/** Values of the Helm chart, for tests of what it renders. */

export const MODEL = {
  ...{ model: 'redroid-14', driver: 'kubernetes', android: '14', image: 'docker.io/redroid/redroid:14.0.0-latest' },
  screen: { width: 720, height: 1280, density: 320 },
};
/** The values that an installation must have. */
export const SMALL = {
  secrets: { mongodbUrl: 'mongodb://db:27017/?replicaSet=rs' },
  phones: { gateImage: 'cloudphone-gate:1', models: [MODEL] },
};
/** With all that can be switched on. */
export const LARGE = {
  ...SMALL,
  secrets: { existing: 'mine' },
  gateway: { replicas: 3, maxReplicas: 40, ingress: { enabled: true, className: 'nginx', tlsSecret: 'tls' } },
  device: { replicas: 20 },
  relay: { host: 'adb.example.com', service: { type: 'LoadBalancer', annotations: { a: 'b' } } },
  monitoring: { serviceMonitor: true, prometheusRule: true, dashboard: true, namespaceLabels: { team: 'ops' } },
};
/** Kinds of Prometheus' operator, which Kubernetes itself does not know. */
export const FOREIGN = new Set(['PodMonitor', 'PrometheusRule']);
