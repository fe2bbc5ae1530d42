import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { Chart } from '../../testing/helm/helm.js';
import { KUBERNETES_VERSIONS, KubernetesSchemas } from '../../testing/helm/kubernetes-schemas.js';
import type { KubernetesObject } from '../../testing/kubernetes/api-client.js';
import { skip } from '../../testing/skip.js';
import { FOREIGN, LARGE, SMALL } from './chart-values.js';

for (const version of KUBERNETES_VERSIONS) {
  describe(`the Helm chart, for Kubernetes ${version}`, function () {
    let folder: string;
    let chart: Chart;
    let schemas: KubernetesSchemas;

    before(async function () {
      const [helm, found] = [Chart.find(), KubernetesSchemas.find(version)];
      if (typeof helm === 'string') skip(this, helm);
      if (typeof found === 'string') skip(this, found);
      [chart, schemas] = [helm, found];
      folder = await mkdtemp(join(tmpdir(), 'chart-'));
    });
    after(() => folder && rm(folder, { recursive: true, force: true }));

    const render = async (values: object): Promise<KubernetesObject[]> => {
      const path = join(folder, 'values.json');
      await writeFile(path, JSON.stringify(values));
      const objects = await chart.render(path, { kubernetes: version });
      return objects.filter(({ kind = '' }) => !FOREIGN.has(kind));
    };

    it('has only kinds, fields and types that it knows', async () => {
      for (const values of [SMALL, LARGE])
        for (const object of await render(values)) expect(schemas.faultsOf(object)).to.deep.equal([]);
    });

    it('would be refused with a field that it does not know, and without one that it needs', async () => {
      const [workload] = (await render(SMALL)).filter(({ kind }) => kind === 'StatefulSet');
      const spec = workload?.['spec'] as Record<string, unknown>;
      expect(schemas.faultsOf({ ...workload!, spec: { ...spec, replica: 1 } }).join()).to.contain('"replica"');
      expect(schemas.faultsOf({ ...workload!, spec: { ...spec, template: undefined } }).join()).to.contain(
        '"template"',
      );
      expect(schemas.faultsOf({ ...workload!, apiVersion: 'apps/v1beta1' })).to.deep.equal([
        'there is no StatefulSet of apps/v1beta1',
      ]);
    });
  });
}
