import { existsSync, readFileSync } from 'node:fs';
import { Ajv, type ValidateFunction } from 'ajv';
import type { KubernetesObject } from '../kubernetes/api-client.js';
import { inCache, NEEDS_HELM } from './helm.js';

/** Versions whose schemas testing/helm/build fetches. */
export const KUBERNETES_VERSIONS = ['1.32.9', '1.33.5', '1.34.4'] as const;

interface Definition {
  properties?: Record<string, object>;
  additionalProperties?: unknown;
  'x-kubernetes-group-version-kind'?: { group: string; version: string; kind: string }[];
}

/** Checks objects against the schemas that a version of Kubernetes publishes. Fields that the version does not know are faults. */
export class KubernetesSchemas {
  readonly #ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });
  readonly #names = new Map<string, string>();
  readonly #validators = new Map<string, ValidateFunction>();

  private constructor(definitions: Record<string, Definition>) {
    for (const [name, definition] of Object.entries(definitions)) {
      for (const { group, version, kind } of definition['x-kubernetes-group-version-kind'] ?? [])
        this.#names.set(`${group === '' ? '' : `${group}/`}${version} ${kind}`, name);
      if (definition.properties !== undefined) definition.additionalProperties ??= false;
    }
    const number = { type: ['string', 'integer', 'number'] };
    const loose = {
      'io.k8s.apimachinery.pkg.util.intstr.IntOrString': number,
      'io.k8s.apimachinery.pkg.api.resource.Quantity': number,
    };
    this.#ajv.addSchema({ $id: 'kubernetes', definitions: { ...definitions, ...loose } });
  }

  /** Returns the schemas of a version, or the reason why they are missing here. */
  static find(version: (typeof KUBERNETES_VERSIONS)[number]): KubernetesSchemas | string {
    const path = inCache(`kubernetes-v${version}.json`);
    if (!existsSync(path)) return NEEDS_HELM;
    const { definitions } = JSON.parse(readFileSync(path, 'utf8')) as { definitions: Record<string, Definition> };
    return new KubernetesSchemas(definitions);
  }

  /** Returns the faults of an object; empty when there are none. */
  faultsOf(object: KubernetesObject): string[] {
    const { apiVersion = '', kind = '', metadata } = object;
    const name = this.#names.get(`${apiVersion} ${kind}`);
    if (name === undefined) return [`there is no ${kind} of ${apiVersion}`];
    let validate = this.#validators.get(name);
    if (validate === undefined) {
      validate = this.#ajv.compile({ $ref: `kubernetes#/definitions/${name}` });
      this.#validators.set(name, validate);
    }
    if (validate(object)) return [];
    return (validate.errors ?? []).map(({ instancePath, message = '', params }) => {
      return `${kind} ${metadata.name}${instancePath}: ${message} ${JSON.stringify(params)}`;
    });
  }
}
