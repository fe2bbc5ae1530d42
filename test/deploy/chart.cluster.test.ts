import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { readDeviceConfig } from '../../device-service/config.js';
import { readGatewayConfig } from '../../gateway/config.js';
import { modelsParser } from '../../phone/image-based/models-file.js';
import { readRelayConfig } from '../../relay-service/config.js';
import { readScreenConfig } from '../../screen-service/config.js';
import { readStatusConfig } from '../../status-service/config.js';
import { Chart } from '../../testing/helm/helm.js';
import type { KubernetesObject } from '../../testing/kubernetes/api-client.js';
import { KubernetesCluster } from '../../testing/kubernetes/cluster.js';
import { skip } from '../../testing/skip.js';
import { readWebhookConfig } from '../../webhook-service/config.js';
import { FOREIGN, LARGE, SMALL } from './chart-values.js';

interface Container {
  args: string[];
  env: { name: string; value?: string }[];
}

describe('the Helm chart', function () {
  let folder: string;
  let chart: Chart;
  let cluster: KubernetesCluster;

  before(async function () {
    const found = Chart.find();
    if (typeof found === 'string') skip(this, found);
    chart = found;
    folder = await mkdtemp(join(tmpdir(), 'chart-'));
    const started = await KubernetesCluster.start(join(folder, 'cluster'));
    if (typeof started === 'string') skip(this, started);
    cluster = started;
    await cluster.addNamespace('cloudphone');
    await cluster.addNamespace('cloudphone-phones');
  });
  after(async () => {
    await (cluster as KubernetesCluster | undefined)?.close();
    if ((folder as string | undefined) !== undefined) await rm(folder, { recursive: true, force: true });
  });

  async function file(values: object): Promise<string> {
    const path = join(folder, 'values.json');
    await writeFile(path, JSON.stringify(values));
    return path;
  }

  for (const [name, values] of Object.entries({ SMALL, LARGE })) {
    it(`passes its linter, and an API server takes all that it renders: ${name.toLowerCase()}`, async () => {
      const path = await file(values);
      await chart.lint(path);
      const objects = await chart.render(path);
      expect(new Set(objects.map(({ kind }) => kind))).to.include.members([
        ...['Deployment', 'StatefulSet', 'HorizontalPodAutoscaler', 'PodDisruptionBudget', 'NetworkPolicy', 'Role'],
      ]);
      for (const object of objects.filter(({ kind = '' }) => !FOREIGN.has(kind))) await dryRun(object);
    });
  }

  async function dryRun(object: KubernetesObject): Promise<void> {
    const { apiVersion = '', kind = '', metadata } = object;
    const plural = `${kind.toLowerCase().replace(/y$/, 'ie').replace(/s$/, 'se')}s`;
    const scope =
      kind.startsWith('Cluster') || kind === 'Namespace' ? '' : `/namespaces/${metadata.namespace ?? 'cloudphone'}`;
    const path = `/${apiVersion.includes('/') ? 'apis' : 'api'}/${apiVersion}${scope}/${plural}/${metadata.name}`;
    const query = 'dryRun=All&fieldManager=test&fieldValidation=Strict';
    const type = 'application/apply-patch+yaml';
    const made = await cluster.api.call<KubernetesObject>('PATCH', `${path}?${query}`, object, type);
    expect(made?.metadata.name, path).to.equal(metadata.name);
  }

  it('gives each service settings that it accepts, and models that the service reads', async () => {
    const objects = await chart.render(await file(LARGE));
    const readers: Record<string, (environment: NodeJS.ProcessEnv, isTerminal: boolean) => unknown> = {
      ...{ gateway: readGatewayConfig, device: readDeviceConfig, screen: readScreenConfig },
      ...{ relay: readRelayConfig, webhook: readWebhookConfig, status: readStatusConfig },
    };
    const secrets = { 'mesh-token': 'm'.repeat(64), 'secrets-key': 'a'.repeat(64), 'mongodb-url': 'mongodb://db' };
    for (const [name, text] of Object.entries(secrets)) await writeFile(join(folder, name), text);
    const containers = objects
      .filter(({ kind = '' }) => ['Deployment', 'StatefulSet'].includes(kind))
      .flatMap(
        (object) => (object['spec'] as { template: { spec: { containers: Container[] } } }).template.spec.containers,
      );
    expect(containers.map(({ args }) => args[0]).sort()).to.deep.equal(Object.keys(readers).sort());
    for (const { args, env } of containers) {
      const environment = Object.fromEntries(
        env.map(({ name, value = 'phones-cloudphone-device-0' }) => [
          ...[name, value.replace('/run/secrets/cloudphone', folder)],
        ]),
      ) as Record<string, string>;
      const inCluster = { KUBERNETES_SERVICE_HOST: '10.0.0.1' };
      expect(() => readers[args[0] ?? '']?.({ ...environment, ...inCluster }, false), args[0]).not.to.throw();
    }
    const models = objects.find(({ metadata }) => metadata.name.endsWith('-models'))?.['data'] as Record<
      string,
      string
    >;
    expect(modelsParser()(models['models.json'] ?? '').faults).to.deep.equal([]);
  });

  it('refuses values that no installation could have', async () => {
    const faulty = [
      { ...SMALL, secrets: {} },
      { ...SMALL, publicUrl: 'phones.example.com' },
      { ...SMALL, phones: { gateImage: 'x', models: [] } },
      { ...SMALL, gatway: {} },
    ];
    for (const values of faulty) {
      const refused = await chart.render(await file(values)).then(() => 'rendered', String);
      expect(refused, JSON.stringify(values)).to.contain("values don't meet the specifications of the schema");
    }
  });
});
