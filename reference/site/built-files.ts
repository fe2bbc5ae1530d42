import { stringify } from 'yaml';
import { SLOTS } from '../../gateway/slots.js';
import { wholeDocument } from '../document/whole-document.js';
import { readAssets } from './assets.js';
import { createSite } from './site.js';

// Version 1.1 makes the library quote each text that a YAML 1.1 parser would read as another type, such as a time.
const YAML_STYLE = { aliasDuplicateObjects: false, lineWidth: 0, version: '1.1' } as const;

/**
 * Makes every file of the documentation, by its path below the folder that is served: the document, the pages, the index of the search,
 * and what the pages load. The files have slots for texts that depend on the operator's settings.
 */
export async function builtFiles(): Promise<Map<string, string | Buffer>> {
  const { document } = wholeDocument(SLOTS);
  const assets = await readAssets();
  const site = createSite(document, assets.address);
  const yaml = stringify(document, { ...YAML_STYLE });
  const files = new Map<string, string | Buffer>([
    ['docs/reference/openapi-v1.yaml', yaml],
    ['docs/reference/search.json', site.index()],
  ]);
  for (const [name, content] of assets.files) files.set(`${assets.address.slice(1)}${name}`, content);
  for (const [address, make] of site.pages) files.set(`${address.slice(1)}index.html`, await make());
  return files.set('openapi-v1.yaml', yaml);
}
