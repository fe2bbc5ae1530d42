import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { Chart } from '../../testing/helm/helm.js';
import type { KubernetesObject } from '../../testing/kubernetes/api-client.js';
import { skip } from '../../testing/skip.js';
import { LARGE, SMALL } from './chart-values.js';

const PARTS = ['gateway', 'device', 'screen', 'relay', 'webhook', 'status'];

interface Workload {
  replicas?: number;
  template: { spec: Record<string, unknown> };
}

describe('where the Helm chart puts pods', function () {
  let folder: string;
  let chart: Chart;

  before(async function () {
    const found = Chart.find();
    if (typeof found === 'string') skip(this, found);
    chart = found;
    folder = await mkdtemp(join(tmpdir(), 'chart-placement-'));
  });
  after(async () => {
    if ((folder as string | undefined) !== undefined) await rm(folder, { recursive: true, force: true });
  });

  async function render(values: object): Promise<KubernetesObject[]> {
    const path = join(folder, 'values.json');
    await writeFile(path, JSON.stringify(values));
    return chart.render(path);
  }

  const named = (objects: readonly KubernetesObject[], kind: string): KubernetesObject[] =>
    objects.filter((object) => object.kind === kind);

  it('gives phones a namespace of their own, where the Secrets of the release are not', async () => {
    const objects = await render(SMALL);
    expect(named(objects, 'Namespace').map(({ metadata }) => metadata.name)).to.deep.equal(['cloudphone-phones']);
    for (const kind of ['Role', 'RoleBinding'])
      expect(named(objects, kind).map(({ metadata }) => metadata.namespace)).to.deep.equal(['cloudphone-phones']);
    expect(JSON.stringify(objects)).to.contain('{"name":"KUBERNETES_NAMESPACE","value":"cloudphone-phones"}');
    for (const { metadata } of named(objects, 'Secret')) expect(metadata.namespace).to.equal(undefined);
  });

  it('makes no namespace where one is named, or where phones are simulated', async () => {
    const given = await render({ ...SMALL, phones: { ...SMALL.phones, namespace: 'androids' } });
    expect(named(given, 'Namespace')).to.deep.equal([]);
    expect(named(given, 'Role')[0]?.metadata.namespace).to.equal('androids');
    expect(named(await render({ ...SMALL, phones: { driver: 'simulated' } }), 'Namespace')).to.deep.equal([]);
  });

  it('takes nodes, tolerations, a priority and replicas for every service', async () => {
    const placed = (part: string): object => ({
      nodeSelector: { pool: part },
      tolerations: [{ key: part, operator: 'Exists' }],
      priorityClassName: `class-${part}`,
      replicas: ['relay', 'status'].includes(part) ? 0 : 3,
    });
    const large = LARGE as Record<string, object>;
    const values = Object.fromEntries(PARTS.map((part) => [part, { ...large[part], ...placed(part) }]));
    const objects = await render({ ...LARGE, ...values });
    for (const part of PARTS) {
      const found = objects.find(
        ({ kind = '', metadata }) =>
          ['Deployment', 'StatefulSet'].includes(kind) && metadata.name === `phones-cloudphone-${part}`,
      );
      const { replicas, template } = found?.['spec'] as Workload;
      expect({ ...template.spec, replicas: replicas ?? 3 }, part).to.deep.include(placed(part));
    }
  });

  it('refuses two relays at one address', async () => {
    const refused = await render({ ...LARGE, relay: { ...LARGE.relay, replicas: 2 } }).then(() => 'rendered', String);
    expect(refused).to.contain("values don't meet the specifications of the schema");
  });
});
