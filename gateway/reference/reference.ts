import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import Router from '@koa/router';
import { stringify } from 'yaml';
import { ApiError } from '../../kit/errors.js';
import type { Middleware, State } from '../context.js';
import { type Asset, assetOf, kept, serve } from '../http/asset.js';
import { createDocument, type DocumentParts } from './document.js';
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

/** The scripts of the pages. Each is a module that `page.js` imports. */
const SCRIPTS = ['page', 'copy', 'element', 'outcome', 'samples', 'search', 'try'];

/**
 * Creates the router of the public documentation: `/openapi-v1.yaml`, and the pages below `/docs/` that show the same document with the
 * guides. Each file is made or read at the first request of it, and kept.
 */
export function createReference(parts: DocumentParts): Router<State> {
  const document = kept(async () => createDocument(parts));
  const site = kept(async () => createSite(await document()));
  // Quoted where YAML 1.1 would read a text as something else, such as a time.
  const yaml = kept(async () => assetOf('application/yaml', stringify(await document(), { ...YAML_STYLE })));
  const own = (name: string, type: string): (() => Promise<Asset>) =>
    kept(async () => assetOf(type, await readFile(`${PAGE}${name}`)));
  const files: Record<string, () => Promise<Asset>> = {
    '/openapi-v1.yaml': yaml,
    '/docs/reference/openapi-v1.yaml': yaml,
    '/docs/reference/search.json': kept(async () => assetOf('application/json', await (await site()).index())),
    '/docs/reference/page.css': own('page.css', 'text/css'),
    ...Object.fromEntries(SCRIPTS.map((name) => [`/docs/reference/${name}.js`, own(`${name}.js`, 'text/javascript')])),
  };
  const router = new Router<State>({ strict: true, sensitive: true });
  for (const [path, file] of Object.entries(files)) router.get(path, serve(file));
  router.get(
    /^\/docs(?:\/.*)?$/,
    sendPage(async () => (await site()).pages),
  );
  return router;
}

const YAML_STYLE = { aliasDuplicateObjects: false, lineWidth: 0, version: '1.1' } as const;

/** Responds with the page of an address. Without its last slash it is moved there, and `/docs/` leads to the start. */
function sendPage(pages: () => Promise<ReadonlyMap<string, () => Promise<string>>>): Middleware {
  const assets = new Map<string, () => Promise<Asset>>();
  return async (ctx, next) => {
    const all = await pages();
    const { path } = ctx;
    const make = all.get(path);
    if (make !== undefined) {
      const asset = assets.get(path) ?? kept(async () => assetOf('text/html', await make()));
      assets.set(path, asset);
      await serve(asset, { policy: POLICY })(ctx, next);
      return;
    }
    const moved = path === '/docs' || path === '/docs/' ? '/docs/reference/' : `${path}/`;
    if (!all.has(moved)) {
      throw new ApiError('not_found', 'There is no such page. The documentation begins at /docs/reference/.');
    }
    ctx.status = 301;
    ctx.redirect(moved);
  };
}
