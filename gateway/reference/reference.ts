import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';
import { gzip } from 'node:zlib';
import Router from '@koa/router';
import { stringify } from 'yaml';
import type { Middleware, State } from '../context.js';
import { createDocument, type DocumentParts } from './document.js';
import { withGuides } from './guides.js';

/** Beside the sources, of which dist/ has only what was compiled. */
const PAGE = fileURLToPath(new URL('../../../gateway/reference/page/', import.meta.url));

/**
 * What the page may load: its own files and nothing else. The hashes are of style elements that the page's library makes: one with
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

/** A file as it is sent. */
interface Asset {
  type: string;
  bytes: Buffer;
  zipped: Buffer;
  etag: string;
}

/**
 * Creates the router of the public documentation: `/openapi-v1.yaml`, and the page at `/docs/reference/` that shows it. Each file is
 * made or read when it is first asked for, and kept.
 */
export function createReference(parts: DocumentParts): Router<State> {
  const document = kept(async () => createDocument(parts));
  const files: Record<string, () => Promise<Asset>> = {
    // Quoted where YAML 1.1 would read a text as something else, such as a time.
    '/openapi-v1.yaml': kept(async () => assetOf('application/yaml', stringify(await document(), { ...YAML_STYLE }))),
    '/docs/reference/reference.json': kept(async () =>
      assetOf('application/json', JSON.stringify(await withGuides(await document()))),
    ),
    '/docs/reference/': kept(async () => assetOf('text/html', await readFile(`${PAGE}index.html`))),
    '/docs/reference/page.css': kept(async () => assetOf('text/css', await readFile(`${PAGE}page.css`))),
    '/docs/reference/page.js': kept(async () => assetOf('text/javascript', await readFile(`${PAGE}page.js`))),
    '/docs/reference/redoc.js': kept(async () => assetOf('text/javascript', await readFile(libraryPath()))),
  };
  const router = new Router<State>({ strict: true, sensitive: true });
  for (const [path, file] of Object.entries(files)) router.get(path, serve(file));
  router.get('/docs/reference', (ctx) => {
    ctx.status = 301;
    ctx.redirect('/docs/reference/');
  });
  return router;
}

const YAML_STYLE = { aliasDuplicateObjects: false, lineWidth: 0, version: '1.1' } as const;

function libraryPath(): string {
  return createRequire(import.meta.url).resolve('redoc/bundles/redoc.standalone.js');
}

function serve(file: () => Promise<Asset>): Middleware {
  return async (ctx) => {
    const { type, bytes, zipped, etag } = await file();
    ctx.status = 200;
    ctx.set('ETag', etag);
    ctx.set('Cache-Control', 'no-cache');
    ctx.set('Vary', 'Accept-Encoding');
    ctx.set('X-Content-Type-Options', 'nosniff');
    // Not ctx.fresh, which sends the whole file again to clients that ask for no-cache, as fetch does with a header of its own.
    if (ctx.get('If-None-Match').includes(etag)) {
      ctx.status = 304;
      return;
    }
    if (type === 'text/html') ctx.set('Content-Security-Policy', POLICY);
    ctx.set('Content-Type', `${type}; charset=utf-8`);
    const encoding = ctx.acceptsEncodings('gzip', 'identity');
    if (encoding === 'gzip') ctx.set('Content-Encoding', 'gzip');
    ctx.body = encoding === 'gzip' ? zipped : bytes;
  };
}

async function assetOf(type: string, content: string | Buffer): Promise<Asset> {
  const bytes = Buffer.from(content);
  // Weak, as the zipped bytes have it too.
  const etag = `W/"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
  return { type, bytes, zipped: await promisify(gzip)(bytes), etag };
}

/** Makes the value once, when it is first asked for. One that could not be made is made again the next time. */
function kept<T>(make: () => Promise<T>): () => Promise<T> {
  let value: Promise<T> | undefined;
  return () => {
    value ??= make().catch((error: unknown) => {
      value = undefined;
      throw error;
    });
    return value;
  };
}
