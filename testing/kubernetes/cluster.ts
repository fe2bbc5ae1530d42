import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../free-port.js';
import { until } from '../until.js';
import { ApiClient } from './api-client.js';
import { programsFolder, ServerProgram } from './server-programs.js';

export const NEEDS_KUBERNETES = 'needs the programs of Kubernetes: testing/kubernetes/build makes them, in 10 minutes';

/** A machine that does much else starts the API server in a minute. */
const START_MS = 180_000;
/** Short, for tests: a node whose kubelet is silent for this long is lost. */
const NODE_SILENCE = '8s';

/**
 * etcd, API server, controllers and scheduler of Kubernetes, on loopback, with everything below one folder. Nodes are for the caller to
 * add. Volumes are folders below /tmp, made and removed by Kubernetes' own provisioner for tests, of the storage class `standard`.
 */
export class KubernetesCluster {
  readonly folder: string;
  readonly server: string;
  readonly api: ApiClient;
  /** Path of the kubeconfig file of an administrator. */
  readonly kubeconfig: string;
  readonly #programs: ServerProgram[];
  /** Certificate of the API server. */
  readonly ca: string;

  private constructor(parts: { folder: string; server: string; token: string; ca: string; programs: ServerProgram[] }) {
    const { folder, server, token, ca, programs } = parts;
    this.folder = folder;
    this.server = server;
    this.ca = ca;
    this.#programs = programs;
    this.api = new ApiClient({ server, token, ca });
    this.kubeconfig = this.writeKubeconfig('admin', token);
  }

  /** Starts a cluster in `folder`. Returns the reason where the programs are not built here. */
  static async start(folder: string): Promise<KubernetesCluster | string> {
    const programs = programsFolder();
    if (programs === undefined) return NEEDS_KUBERNETES;
    const [etcdPort, peerPort, port] = [await freePort(), await freePort(), await freePort()];
    mkdirSync(folder, { recursive: true });
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
    const path = (name: string): string => join(folder, name);
    writeFileSync(path('sa.key'), privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
    writeFileSync(path('sa.pub'), publicKey.export({ type: 'spki', format: 'pem' }));
    const token = randomBytes(16).toString('hex');
    writeFileSync(path('tokens.csv'), `${token},admin,admin,system:masters\n`, { mode: 0o600 });
    const started: ServerProgram[] = [];
    const run = (name: string, words: string[]): ServerProgram => {
      const program = new ServerProgram(folder, join(programs, name), words);
      started.push(program);
      return program;
    };
    try {
      const etcdUrl = `http://127.0.0.1:${etcdPort}`;
      const peerUrl = `http://127.0.0.1:${peerPort}`;
      run('etcd', [
        ...['--data-dir', path('etcd'), '--unsafe-no-fsync', '--listen-client-urls', etcdUrl],
        ...['--advertise-client-urls', etcdUrl, '--listen-peer-urls', peerUrl],
        ...['--initial-advertise-peer-urls', peerUrl, '--initial-cluster', `default=${peerUrl}`],
      ]);
      const apiServer = run('kube-apiserver', [
        ...['--etcd-servers', etcdUrl, '--secure-port', String(port), '--bind-address', '127.0.0.1'],
        ...['--advertise-address', '127.0.0.1', '--cert-dir', path('pki'), '--token-auth-file', path('tokens.csv')],
        ...['--authorization-mode', 'RBAC', '--service-cluster-ip-range', '127.96.0.0/16'],
        ...['--service-account-key-file', path('sa.pub'), '--service-account-signing-key-file', path('sa.key')],
        ...['--service-account-issuer', 'https://kubernetes.test', '--allow-privileged=true'],
        // Pods stay for 2 s on a node that is lost, in place of 300 s.
        ...['--default-unreachable-toleration-seconds=2', '--default-not-ready-toleration-seconds=2'],
        '--endpoint-reconciler-type=none',
      ]);
      const server = `https://127.0.0.1:${port}`;
      const certificate = path('pki/apiserver.crt');
      await until(() => hasFile(certificate) || !apiServer.isRunning, START_MS);
      if (!apiServer.isRunning) throw new Error(`the API server did not start: ${apiServer.lastLines()}`);
      const ca = readFileSync(certificate, 'utf8');
      const cluster = new KubernetesCluster({ folder, server, token, ca, programs: started });
      await until(() => cluster.#isReady(), START_MS);
      const client = ['--kubeconfig', cluster.kubeconfig, '--bind-address', '127.0.0.1', '--leader-elect=false'];
      run('kube-controller-manager', [
        ...client,
        ...['--secure-port', String(await freePort()), '--cert-dir', path('controllers')],
        ...['--service-account-private-key-file', path('sa.key'), '--enable-hostpath-provisioner=true'],
        ...['--root-ca-file', certificate, `--node-monitor-grace-period=${NODE_SILENCE}`, '--node-monitor-period=1s'],
      ]);
      run('kube-scheduler', [...client, '--secure-port', String(await freePort()), '--cert-dir', path('scheduler')]);
      await cluster.#addStorage();
      return cluster;
    } catch (error) {
      await Promise.all(started.map((program) => program.stop()));
      throw error;
    }
  }

  /** Makes a namespace, and returns once pods can be made in it. */
  async addNamespace(name: string): Promise<void> {
    await this.api.create('/api/v1/namespaces', { metadata: { name } });
    await until(
      async () => (await this.api.call('GET', `/api/v1/namespaces/${name}/serviceaccounts/default`)) !== undefined,
    );
  }

  /** Writes a file for clients with a token, and returns its path. `server`: a proxy in front of the API server, on plain HTTP. */
  writeKubeconfig(name: string, token: string, server?: string): string {
    const path = join(this.folder, `${name}.kubeconfig`);
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [
        {
          name: 'local',
          cluster:
            server === undefined
              ? { server: this.server, 'certificate-authority-data': Buffer.from(this.ca).toString('base64') }
              : { server, 'insecure-skip-tls-verify': true },
        },
      ],
      users: [{ name, user: { token } }],
      contexts: [{ name: 'local', context: { cluster: 'local', user: name } }],
      'current-context': 'local',
    };
    writeFileSync(path, JSON.stringify(config), { mode: 0o600 });
    return path;
  }

  /** Stops the API server from running, as an overloaded machine may, until `resume`. */
  freeze(): void {
    this.#program('kube-apiserver').signal('SIGSTOP');
  }

  resume(): void {
    this.#program('kube-apiserver').signal('SIGCONT');
  }

  /** Ends the API server as a crash does, until `startServer`. */
  stopServer(): Promise<void> {
    return this.#program('kube-apiserver').stop();
  }

  async startServer(): Promise<void> {
    this.#program('kube-apiserver').startAgain();
    await until(() => this.#isReady(), START_MS);
  }

  /** Ends all programs and removes what they made, also volumes that are still there. */
  async close(): Promise<void> {
    this.resume();
    const volumes = await this.api.list('/api/v1/persistentvolumes').catch(() => []);
    await this.api.close();
    await Promise.all(this.#programs.map((program) => program.stop()));
    for (const { spec } of volumes) {
      const path = (spec as { hostPath?: { path: string } }).hostPath?.path;
      if (path?.startsWith('/tmp/') === true) await rm(path, { recursive: true, force: true });
    }
    await rm(this.folder, { recursive: true, force: true });
  }

  #program(name: string): ServerProgram {
    const found = this.#programs.find((program) => program.name === name);
    if (found === undefined) throw new Error(`${name} was not started`);
    return found;
  }

  async #isReady(): Promise<boolean> {
    return (await this.api.call('GET', '/readyz').catch(() => undefined)) === 'ok';
  }

  async #addStorage(): Promise<void> {
    await this.api.create('/apis/storage.k8s.io/v1/storageclasses', {
      metadata: { name: 'standard', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
      provisioner: 'kubernetes.io/host-path',
      reclaimPolicy: 'Delete',
    });
  }
}

function hasFile(path: string): boolean {
  try {
    return readFileSync(path, 'utf8').includes('END CERTIFICATE');
  } catch {
    return false;
  }
}
