import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import type { KubernetesObject } from '../kubernetes/api-client.js';

const run = promisify(execFile);
const CHART = fileURLToPath(new URL('../../../deploy/helm/cloudphone', import.meta.url));
const VERSION = 'v3.19.0';
export const NEEDS_HELM = 'needs Helm: testing/helm/build makes it, in 4 minutes';

/** The path of a file that testing/helm/build makes. */
export function inCache(name: string): string {
  const { XDG_CACHE_HOME = join(homedir(), '.cache') } = process.env;
  return join(XDG_CACHE_HOME, 'cloudphone', `helm-${VERSION}`, name);
}

/** The chart. Its methods use the Helm program that testing/helm/build has made. */
export class Chart {
  readonly #helm: string;

  private constructor(helm: string) {
    this.#helm = helm;
  }

  /** Returns the chart, or a text with the reason when Helm is missing. */
  static find(): Chart | string {
    const helm = inCache('helm');
    return existsSync(helm) ? new Chart(helm) : NEEDS_HELM;
  }

  /** Checks the chart with these values. Throws an error with the faults that Helm found. */
  async lint(values: string): Promise<void> {
    await run(this.#helm, ['lint', '--strict', CHART, '--values', values]);
  }

  async render(values: string, { namespace = 'cloudphone', kubernetes = '1.34.0' } = {}): Promise<KubernetesObject[]> {
    const words = ['template', 'phones', CHART, '--namespace', namespace, '--kube-version', kubernetes];
    const { stdout } = await run(this.#helm, [...words, '--values', values], { maxBuffer: 16 * 1024 * 1024 });
    const documents = parseAllDocuments(stdout);
    return documents.flatMap((document) => (document.toJS() as KubernetesObject | null) ?? []);
  }
}
