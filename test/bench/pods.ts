import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@connectrpc/connect';
import { startEmbeddedMongo } from '../../embedded-mongo/embedded-mongo.js';
import { systemClock } from '../../kit/async/clock.js';
import { silentLog } from '../../kit/log/log.js';
import { readKept } from '../../kit/files/kept-text.js';
import { MESH_TOKEN_FILE } from '../../kit/service/mesh-token.js';
import { connectTo } from '../../kit/rpc/transport.js';
import { GATE_TOKEN } from '../../phone/kubernetes/phone-pod.js';
import { AdminService } from '../../proto/gen/cloudphone/access/v1/admin_service_pb.js';
import { KeyScope } from '../../proto/gen/cloudphone/access/v1/key_pb.js';
import { ExitType, Plan } from '../../proto/gen/cloudphone/device/v1/device_pb.js';
import { DeviceService } from '../../proto/gen/cloudphone/device/v1/device_service_pb.js';
import { JobState } from '../../proto/gen/cloudphone/device/v1/job_pb.js';
import { JobService } from '../../proto/gen/cloudphone/device/v1/job_service_pb.js';
import { freePort } from '../../testing/free-port.js';
import type { KubernetesObject } from '../../testing/kubernetes/api-client.js';
import { ApiProxy } from '../../testing/kubernetes/api-proxy.js';
import { KubernetesCluster } from '../../testing/kubernetes/cluster.js';
import { DeviceServiceAccount } from '../../testing/kubernetes/service-account.js';
import { StandInKubelet } from '../../testing/kubernetes/stand-in-kubelet.js';
import { ServiceProcess } from '../ops/service-process.js';
import { undoLater } from './interrupt.js';
import type { PodPhone, PodPhoneRuns } from './pod-phones.js';
import { quantile, type Report } from './report.js';

const FEW = 10;
/** The number of phones. The environment sets it for a smaller machine: PODS=100. */
const MANY = Number(process.env['PODS'] ?? 1_000);
/** Devices created at the same time; as many boots are allowed. */
const AT_ONCE = 8;
/** How long the service is left alone before its memory is read, and its requests are counted, ms. */
const REST_MS = 15_000;
const IDLE_MS = 60_000;
const MEMORY_GOAL_MIB = 400;
/**
 * The heap that Node allows in a container with the chart's limit of 2 GiB for this service. The amount of garbage there depends on it.
 */
const HEAP_LIMIT = '--max-old-space-size=1024';
const REQUESTS_GOAL_PER_S = 1;

const NAMESPACE = 'phones';
const IMAGE = 'cloudphone/simulated-phone:bench';
const ADB_PORT = 5555;

/**
 * P30: a device service with 1,000 phones in pods, against itself with 10. API server, scheduler, controllers and the device service with
 * its driver are real. The node is a stand-in, whose phones are simulated ones in one process.
 */
export async function benchPods(report: Report): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-pods-'));
  undoLater(() => rmSync(folder, { recursive: true, force: true }));
  const cluster = await KubernetesCluster.start(join(folder, 'cluster'));
  if (typeof cluster === 'string') throw new Error(cluster);
  undoLater(() => cluster.close());
  await cluster.addNamespace(NAMESPACE);
  const proxy = await ApiProxy.open(cluster);
  undoLater(() => proxy.close());
  const account = await DeviceServiceAccount.add(cluster.api, NAMESPACE);
  const kubeconfig = cluster.writeKubeconfig('service', await account.token('bench'), proxy.url);
  const phones = new PodPhones(join(folder, 'phones'));
  undoLater(() => phones.close());
  const node = { name: 'node-1', cpus: 4_000, memoryMb: 4_000_000, pods: MANY + 100 };
  const kubelet = await StandInKubelet.start(cluster, { ...node, run: (pod) => phones.run(pod) });
  undoLater(() => kubelet.close());
  const { device, create } = await startDeviceService(folder, kubeconfig);

  const few = await measure(FEW);
  const many = await measure(MANY);
  const tookMs = many.tookMs;
  report({
    what: `P30 memory of the device service with ${MANY} pods, against ${FEW}`,
    ours: `${many.memoryMib.toFixed(0)} MiB, ${many.heapMib.toFixed(0)} of it heap in use`,
    theirs: `${few.memoryMib.toFixed(0)} MiB, ${few.heapMib.toFixed(0)} of it heap`,
    goal: `<= ${MEMORY_GOAL_MIB} MiB`,
    holds: many.memoryMib <= MEMORY_GOAL_MIB,
  });
  report({
    what: `P30 requests to the API server while idle, with ${MANY} pods, against ${FEW}`,
    ours: `${many.requestsPerS.toFixed(2)} a second (${many.kinds})`,
    theirs: `${few.requestsPerS.toFixed(2)} a second`,
    goal: `<= ${REQUESTS_GOAL_PER_S} a second`,
    holds: many.requestsPerS <= REQUESTS_GOAL_PER_S,
  });
  report({
    what: `P30 create to running of a phone among ${MANY}, ${AT_ONCE} at once, p50 and p95`,
    ours: `${quantile(tookMs, 0.5).toFixed(0)} and ${quantile(tookMs, 0.95).toFixed(0)} ms`,
    theirs: `${quantile(few.tookMs, 0.5).toFixed(0)} and ${quantile(few.tookMs, 0.95).toFixed(0)} ms`,
    goal: 'for information: cluster, node and phones share the machine',
    holds: true,
  });

  /** Creates phones until there are so many, and leaves the service alone. */
  async function measure(count: number) {
    const { tookMs } = await create(count);
    await systemClock.sleep(REST_MS);
    const before = proxy.calls.length;
    await systemClock.sleep(IDLE_MS);
    const calls = proxy.calls.slice(before);
    const { samples } = await device.scrape();
    const mibOf = (wanted: string): number => (samples.find(({ name }) => name === wanted)?.value ?? NaN) / 1024 ** 2;
    const kinds = [...new Set(calls)].map((call) => `${calls.filter((one) => one === call).length} ${call}`).join(', ');
    return {
      tookMs,
      memoryMib: mibOf('process_resident_memory_bytes'),
      heapMib: mibOf('nodejs_heap_size_used_bytes'),
      requestsPerS: calls.length / (IDLE_MS / 1_000),
      kinds,
    };
  }
}

/** The process in which the phones of the pods run. */
class PodPhones {
  readonly #process: ChildProcess;
  readonly #waiting = new Map<string, (address: string) => void>();

  constructor(folder: string) {
    this.#process = fork(new URL('./pod-phones.js', import.meta.url), [folder]);
    this.#process.on('message', ({ uid, address }: PodPhoneRuns) => this.#waiting.get(uid)?.(address));
  }

  /** Returns where the phone of the pod is, once it runs. */
  run({ metadata, spec }: KubernetesObject): Promise<string> {
    const { initContainers = [], containers } = spec as { initContainers?: PodContainer[]; containers: PodContainer[] };
    const serial = containers[0]?.args?.find((word) => word.startsWith('androidboot.serialno='))?.split('=')[1] ?? '';
    const token = initContainers.flatMap(({ env }) => env ?? []).find(({ name }) => name === GATE_TOKEN)?.value ?? '';
    const phone: PodPhone = { uid: metadata.uid ?? '', serial, token, adbPort: ADB_PORT };
    this.#process.send(phone);
    return new Promise((resolve) => this.#waiting.set(phone.uid, resolve));
  }

  close(): void {
    this.#process.kill('SIGKILL');
  }
}

interface PodContainer {
  args?: string[];
  env?: { name: string; value: string }[];
}

/** A device service alone in its process, and a customer of it. */
async function startDeviceService(folder: string, kubeconfig: string) {
  const database = await startEmbeddedMongo({ directory: join(folder, 'database'), log: silentLog });
  undoLater(() => database.close());
  const modelsFile = join(folder, 'models.json');
  const screen = { width: 720, height: 1280, density: 320 };
  const model = { model: 'stand-in', driver: 'kubernetes', android: '14', image: IMAGE, adb_port: ADB_PORT, screen };
  writeFileSync(modelsFile, JSON.stringify({ models: [{ ...model, memory_mb: 512, cpus: 1, disk_mb: 256 }] }));
  const port = await freePort();
  const nowhere = `http://127.0.0.1:${await freePort()}`;
  const device = new ServiceProcess('device-service', {
    ...{ PHONE_DRIVER: 'kubernetes', MODELS_FILE: modelsFile, KUBECONFIG: kubeconfig, KUBERNETES_NAMESPACE: NAMESPACE },
    ...{ KUBERNETES_GATE_IMAGE: IMAGE, BOOTS_AT_ONCE: String(AT_ONCE), LOG_LEVEL: 'info' },
    ...{
      NODE_OPTIONS: HEAP_LIMIT,
      DATA_DIR: join(folder, 'data'),
      MONGODB_URL: database.url,
      DEVICE_GRPC_PORT: String(port),
    },
    ...{
      WEBHOOK_SERVICE_URL: nowhere,
      SCREEN_SERVICE_URL: nowhere,
      QUOTA_DEVICES: '0',
      QUOTA_STORAGE_GB: '0',
      BILLING: 'off',
    },
  });
  undoLater(async () => {
    await device.stop();
  });
  await device.readyWhen(200);
  const meshToken = readKept(join(folder, 'data', MESH_TOKEN_FILE));
  const transport = connectTo({ url: `http://127.0.0.1:${port}`, service: 'the device service', meshToken });
  const admin = createClient(AdminService, transport);
  const email = 'bench@example.com';
  await admin.createAccount({ email, password: 'correct horse battery' });
  const { key } = await admin.createAccountKey({ email, name: 'bench', scope: KeyScope.CONTROL, devices: ['*'] });
  const call = { headers: { authorization: `Bearer ${key?.key ?? ''}` } };
  const devices = createClient(DeviceService, transport);
  const jobs = createClient(JobService, transport);
  const network = { type: ExitType.DIRECT, country: 'us' };
  let made = 0;

  async function createOne(number: number): Promise<number> {
    const beganMs = performance.now();
    const request = { name: `pod-${number}`, model: 'stand-in', network, plan: Plan.MINUTE, start: true };
    const id = (await devices.createDevice(request, call)).job?.id ?? '';
    for (;;) {
      const { job } = await jobs.getJob({ id, waitS: 30 }, call);
      if (job?.state === JobState.FAILED) throw new Error(`${request.name}: ${job.error?.message ?? ''}`);
      if (job?.state === JobState.DONE) return performance.now() - beganMs;
    }
  }

  return {
    device,
    /** Creates phones until there are so many, and returns how long each took until it ran, ms. */
    create: async (count: number): Promise<{ tookMs: number[] }> => {
      const tookMs: number[] = [];
      const createNext = async (): Promise<void> => {
        while (made < count) tookMs.push(await createOne(made++));
      };
      await Promise.all(Array.from({ length: AT_ONCE }, createNext));
      return { tookMs };
    },
  };
}
