import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import Router from '@koa/router';
import { stringify } from 'yaml';
import type { State } from '../context.js';
import { type Asset, assetOf, kept, serve } from '../http/asset.js';
import { createDocument, type DocumentParts } from './document.js';
import { withGuides } from './guides.js';

/** Beside the sources, of which dist/ has compiled files only. */
const PAGE = fileURLToPath(new URL('../../../gateway/reference/page/', import.meta.url));

/**
 * The sources that the page may load from: its own files and nothing else. The hashes are of style elements that the page's library makes:
 * one with
 * no text, into which styled-components writes its rules, and one with a text that is always the same.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=' 'sha256-QMIg+bpjm3JdElJ388KYke01izlUW0UoNOeKjpMxdgc='",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * Creates the router of the public documentation: `/openapi-v1.yaml`, which is beside the page too, and the page at `/docs/reference/`
 * that shows it. Each file is made or read at the first request of it, and kept.
 */
export function createReference(parts: DocumentParts): Router<State> {
  const document = kept(async () => createDocument(parts));
  // Quoted where YAML 1.1 would read a text as something else, such as a time.
  const yaml = kept(async () => assetOf('application/yaml', stringify(await document(), { ...YAML_STYLE })));
  const files: Record<string, () => Promise<Asset>> = {
    '/openapi-v1.yaml': yaml,
    '/docs/reference/openapi-v1.yaml': yaml,
    '/docs/reference/reference.json': kept(async () =>
      assetOf('application/json', JSON.stringify(await withGuides(await document()))),
    ),
    '/docs/reference/': kept(async () => assetOf('text/html', await readFile(`${PAGE}index.html`))),
    '/docs/reference/page.css': kept(async () => assetOf('text/css', await readFile(`${PAGE}page.css`))),
    '/docs/reference/page.js': kept(async () => assetOf('text/javascript', await readFile(`${PAGE}page.js`))),
    '/docs/reference/redoc.js': kept(async () => assetOf('text/javascript', await readLibrary())),
  };
  const router = new Router<State>({ strict: true, sensitive: true });
  for (const [path, file] of Object.entries(files)) {
    router.get(path, serve(file, path.endsWith('/') ? { policy: POLICY } : {}));
  }
  router.get('/docs/reference', (ctx) => {
    ctx.status = 301;
    ctx.redirect('/docs/reference/');
  });
  return router;
}

const YAML_STYLE = { aliasDuplicateObjects: false, lineWidth: 0, version: '1.1' } as const;

/** Another host's, which the library's menu shows; it has no option for it. */
const LOGO = 'https://cdn.redoc.ly/redoc/logo-mini.svg';
/** One transparent pixel. */
const NO_PICTURE = 'data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=';

/** The page's library, without the request of a picture that the page's policy refuses. */
async function readLibrary(): Promise<string> {
  const path = createRequire(import.meta.url).resolve('redoc/bundles/redoc.standalone.js');
  return (await readFile(path, 'utf8')).replaceAll(LOGO, NO_PICTURE);
}
