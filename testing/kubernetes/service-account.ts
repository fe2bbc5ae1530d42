import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { ApiClient, KubernetesObject } from './api-client.js';

const chartFile = (name: string): URL => new URL(`../../../deploy/helm/cloudphone/files/${name}.yaml`, import.meta.url);

const NAME = 'cloudphone';

/** The account of the device service in the namespace of phones, with exactly the rights that the chart gives it. */
export class DeviceServiceAccount {
  readonly #api: ApiClient;
  readonly #namespace: string;

  private constructor(api: ApiClient, namespace: string) {
    this.#api = api;
    this.#namespace = namespace;
  }

  static async add(api: ApiClient, namespace: string): Promise<DeviceServiceAccount> {
    const rights = '/apis/rbac.authorization.k8s.io/v1';
    const subjects = [{ kind: 'ServiceAccount', name: NAME, namespace }];
    const grant = async (scope: string, kind: 'Role' | 'ClusterRole', rules: string): Promise<void> => {
      const metadata = { name: NAME };
      const path = `${rights}${scope}/${kind.toLowerCase()}`;
      await api.create(`${path}s`, { metadata, rules: parse(readFileSync(chartFile(rules), 'utf8')) as unknown });
      const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind, name: NAME };
      await api.create(`${path}bindings`, { metadata, subjects, roleRef });
    };
    await api.create(`/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata: { name: NAME } });
    await grant(`/namespaces/${namespace}`, 'Role', 'phone-rules');
    await grant('', 'ClusterRole', 'node-rules');
    return new DeviceServiceAccount(api, namespace);
  }

  /** Returns a token that is good until `expire(name)` is called. */
  async token(name: string): Promise<string> {
    const secrets = `/api/v1/namespaces/${this.#namespace}/secrets`;
    const { metadata } = await this.#api.create(secrets, { metadata: { name } });
    const boundObjectRef = { kind: 'Secret', apiVersion: 'v1', name, uid: metadata.uid };
    const path = `/api/v1/namespaces/${this.#namespace}/serviceaccounts/${NAME}/token`;
    const made: KubernetesObject = await this.#api.create(path, { spec: { boundObjectRef, expirationSeconds: 3_600 } });
    return (made['status'] as { token: string }).token;
  }

  /** Makes the token expire. The API server refuses it at most 10 s later. */
  async expire(name: string): Promise<void> {
    await this.#api.call('DELETE', `/api/v1/namespaces/${this.#namespace}/secrets/${name}`);
  }
}
