import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { serviceFiles } from '../image/service-files.js';
import type { Release } from './part.js';

/** Writes what the image of the services is made of, in CycloneDX' format; every component has a licence. */
export async function releaseBill({ root, output, version }: Release): Promise<string> {
  const entry = (await serviceFiles(root)).get('opt/cloudphone/sbom.cdx.json');
  if (entry?.kind !== 'text') throw new Error('The files of the image have no bill of materials.');
  const { components } = JSON.parse(entry.text) as { components: { name: string; licenses?: unknown[] }[] };
  const free = components.filter(({ licenses = [] }) => licenses.length === 0).map(({ name }) => name);
  if (free.length > 0) throw new Error(`No licence is known of ${free.join(', ')}.`);
  writeFileSync(join(output, `cloudphone-${version}.cdx.json`), entry.text);
  return `${components.length} components`;
}
