import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import Router from '@koa/router';
import { stringify } from 'yaml';
import { ApiError } from '../../kit/errors.js';
import type { Middleware, State } from '../context.js';
import { type Asset, assetOf, kept, serve } from '../http/asset.js';
import { createDocument, type DocumentParts } from './document.js';
import { REFERENCE } from './pages/address.js';
import { createSite } from './pages/site.js';

/** Beside the sources, of which dist/ has compiled files only. */
const PAGE = fileURLToPath(new URL('../../../gateway/reference/page/', import.meta.url));

/** The sources that a page may load from: its own files, the API of this host, and pictures that its script makes of responses. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The style of the pages, in the order in which later rules win. Sent as one file, as each one more would delay the first content. */
const STYLES = ['colours', 'frame', 'text', 'operation', 'added'];

/** The scripts of the pages. Each is a module that `page.js` imports. */
const SCRIPTS = ['page', 'copy', 'element', 'old-addresses', 'outcome', 'samples', 'search', 'try'];

export interface Reference {
  router: Router<State>;
  /** Makes the document and the first page, which else the first request of each does. */
  prepare(): Promise<void>;
}

/**
 * Creates the router of the public documentation: `/openapi-v1.yaml`, and the pages below `/docs/` that show the same document with the
 * guides. Each file is made or read at the first request of it, and kept.
 */
export function createReference(parts: DocumentParts): Reference {
  const document = kept(async () => createDocument(parts));
  const site = kept(async () => createSite(await document()));
  const pages = kept(async () => assetsOf((await site()).pages));
  // Quoted where YAML 1.1 would read a text as something else, such as a time.
  const yaml = kept(async () => assetOf('application/yaml', stringify(await document(), { ...YAML_STYLE })));
  const script = (name: string): (() => Promise<Asset>) =>
    kept(async () => assetOf('text/javascript', await readFile(`${PAGE}${name}.js`)));
  const files: Record<string, () => Promise<Asset>> = {
    '/openapi-v1.yaml': yaml,
    '/docs/reference/openapi-v1.yaml': yaml,
    '/docs/reference/search.json': kept(async () => assetOf('application/json', await (await site()).index())),
    '/docs/reference/page.css': kept(async () => assetOf('text/css', await readStyles())),
    ...Object.fromEntries(SCRIPTS.map((name) => [`/docs/reference/${name}.js`, script(name)])),
  };
  const router = new Router<State>({ strict: true, sensitive: true });
  for (const [path, file] of Object.entries(files)) router.get(path, serve(file));
  router.get(/^\/docs(?:\/.*)?$/, sendPage(pages));
  const prepare = async (): Promise<void> => {
    await (await pages()).get(REFERENCE)?.();
  };
  return { router, prepare };
}

const YAML_STYLE = { aliasDuplicateObjects: false, lineWidth: 0, version: '1.1' } as const;

async function readStyles(): Promise<string> {
  const texts = await Promise.all(STYLES.map((name) => readFile(`${PAGE}${name}.css`, 'utf8')));
  return texts.join('\n');
}

function assetsOf(pages: ReadonlyMap<string, () => Promise<string>>): Map<string, () => Promise<Asset>> {
  return new Map([...pages].map(([path, make]) => [path, kept(async () => assetOf('text/html', await make()))]));
}

/** Responds with the page of an address. Without its last slash it is moved there, and `/docs/` leads to the start. */
function sendPage(pages: () => Promise<ReadonlyMap<string, () => Promise<Asset>>>): Middleware {
  return async (ctx, next) => {
    const all = await pages();
    const { path } = ctx;
    const asset = all.get(path);
    if (asset !== undefined) {
      await serve(asset, { policy: POLICY })(ctx, next);
      return;
    }
    const moved = path === '/docs' || path === '/docs/' ? REFERENCE : `${path}/`;
    if (!all.has(moved)) {
      throw new ApiError('not_found', 'There is no such page. The documentation begins at /docs/reference/.');
    }
    ctx.status = 301;
    ctx.redirect(moved);
  };
}
