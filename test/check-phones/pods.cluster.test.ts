import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import {
  GATE_IMAGE,
  KubernetesWorld,
  NAMESPACE,
  PHONE_IMAGE,
} from '../../phone/kubernetes/testing/kubernetes-world.js';
import { NEEDS_ADB, skip } from '../../testing/skip.js';
import { until } from '../../testing/until.js';
import { type Installation, removeData, startInstallation } from '../installation.js';
import { AdbClient } from '../relay/adb-client.js';
import { checkedRows } from './checked-rows.js';

const compiled = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** The Android of a phone's pod; the brackets keep the shell that runs this from finding itself. */
const ANDROID = `pgrep -f -- '[a]ndroidboot.serialno={serial}'`;

describe('npm run check-phones for phones in pods', function () {
  this.timeout(600_000);
  let world: KubernetesWorld;
  let data: string;
  let running: Installation | undefined;

  before(async function () {
    if (!AdbClient.isThere()) skip(this, NEEDS_ADB);
    const started = await KubernetesWorld.start();
    if (typeof started === 'string') skip(this, started);
    world = started;
    data = join(world.folder, 'service');
  });
  after(async () => {
    await running?.stop();
    await removeData(data);
    await (world as KubernetesWorld | undefined)?.close();
  });

  it('passes with the stand-in in each row, and leaves nothing in the cluster', async () => {
    const models = join(world.folder, 'models.json');
    const model = {
      ...{ model: 'stand-in', driver: 'kubernetes', android: '14', image: PHONE_IMAGE, boot_limit_s: 60 },
      ...{ screen: { width: 720, height: 1280, density: 320 }, memory_mb: 512, cpus: 1, disk_mb: 1024 },
    };
    writeFileSync(models, JSON.stringify({ models: [model] }));
    running = await startInstallation({
      directory: data,
      start: compiled('start.js'),
      environment: {
        ...{ PHONE_DRIVER: 'kubernetes', MODELS_FILE: models, KUBECONFIG: await world.writeKubeconfig('check') },
        ...{ KUBERNETES_NAMESPACE: NAMESPACE, KUBERNETES_GATE_IMAGE: GATE_IMAGE, ALLOW_PRIVATE_TARGETS: 'on' },
      },
    });
    const words = [
      ...['--base-url', running.baseUrl, '--key', running.key, '--model', 'stand-in', '--rounds', '3'],
      ...['--kill-command', `kill -9 $(${ANDROID})`],
      ...['--leftovers-command', `find ${data} -name 'ph_*'; ${ANDROID} || true`],
    ];
    const rows = await checkedRows(words);
    const failed = rows.filter(({ outcome }) => outcome === 'fail');
    expect(failed.map(({ row, detail }) => `${row}: ${detail}`)).to.deep.equal([]);
    const notOffered = rows.filter(({ outcome }) => outcome === 'not offered');
    expect(notOffered.map(({ row }) => row)).to.deep.equal([
      // This row needs a command that prints them, which is not given.
      'memory and disk of one phone against the model',
      // The stand-in has no program for it.
      'no DNS and no UDP past the exit',
      // The driver has none.
      'conditions: place, battery, connection',
    ]);
    for (const kind of ['pods', 'persistentvolumeclaims'] as const)
      await until(async () => (await world.cluster.api.list(world.path(kind))).length === 0, 30_000);
  });
});
