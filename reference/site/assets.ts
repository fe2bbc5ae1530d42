import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { HOME } from '../api/address.js';

/** The folder of the pages' own files. It is in the source tree, as dist/ has compiled files only. */
const PAGE = fileURLToPath(new URL('../../../reference/page/', import.meta.url));

/** The compiled files of the search, in the folder beside this one. */
const SEARCH = fileURLToPath(new URL('../search/', import.meta.url));

/** The panel's typeface: all weights in one file, of the letters of western languages. SIL Open Font License 1.1. */
const TYPEFACE = fileURLToPath(import.meta.resolve('@fontsource-variable/geist/files/geist-latin-wght-normal.woff2'));

/** The styles of the pages, in the order in which later rules win. They are sent in one file, as more would delay the first content. */
const STYLES = ['colours', 'frame', 'text', 'operation', 'added'];

/** The scripts of the pages. Each is a module that `page.js` imports, at first or when it is needed. */
const SCRIPTS = [
  ...['page', 'copy', 'element', 'old-addresses', 'open-place', 'outcome', 'pictures', 'results', 'samples', 'search'],
  ...['session', 'size', 'try'],
];

/** Compiled files that readers' browsers run too, so that a search splits its words as the index does. */
const SHARED = ['ranking', 'synonyms', 'terms'];

/** The files that every page loads. */
export interface Assets {
  /** The address of the files' folder. It contains one hash of all files, as they import one another by name. */
  address: string;
  /** Contents by name. */
  files: ReadonlyMap<string, string | Buffer>;
}

/** Reads the styles, scripts and the typeface of the pages. */
export async function readAssets(): Promise<Assets> {
  const scripts: [name: string, path: string][] = [
    ...SCRIPTS.map((name): [string, string] => [`${name}.js`, `${PAGE}${name}.js`]),
    ...SHARED.map((name): [string, string] => [`${name}.js`, `${SEARCH}${name}.js`]),
    ['minisearch.js', fileURLToPath(import.meta.resolve('minisearch'))],
  ];
  const files = new Map<string, string | Buffer>([
    ['page.css', (await Promise.all(STYLES.map((name) => readFile(`${PAGE}${name}.css`, 'utf8')))).join('\n')],
    ['geist.woff2', await readFile(TYPEFACE)],
  ]);
  for (const [name, path] of scripts) files.set(name, withoutMap(await readFile(path, 'utf8')));
  const hash = createHash('sha256');
  for (const [name, content] of files) hash.update(`${name}\n`).update(content);
  return { address: `${HOME}assets/${hash.digest('hex').slice(0, 12)}/`, files };
}

/** A script without the address of its map, which is not served. */
function withoutMap(code: string): string {
  return code.replace(/\n\/\/# sourceMappingURL=.*\n?$/, '\n');
}
