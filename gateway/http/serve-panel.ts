import { readFile, readdir } from 'node:fs/promises';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ApiError } from '../../kit/errors.js';
import type { Middleware } from '../context.js';
import { type Asset, assetOf, kept, serve } from './asset.js';

/** Where Vite puts the panel: beside the sources, of which dist/ has compiled files only. */
const BUILT = fileURLToPath(new URL('../../../panel/dist/', import.meta.url));

/**
 * The sources that the panel may load from: its own files, pictures that it made of responses, and the API of this host, live screens
 * included.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const TYPES: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};

/** Paths that are never a page of the panel, so that a slip in one of them is an error and no page. */
const NOT_PAGES = /^\/(?:v1|docs|assets|status)(?:\/|$)|^\/(?:openapi-v1\.yaml|status\.json)$/;

/**
 * Serves the control panel. Its files have their content's hash in the name and are cached for good. Every other path that a browser
 * opens is the same page, which shows the page that the path names; programs, which do not accept text/html by name, get the usual 404
 * there.
 */
export function createPanel(): Middleware {
  const files = kept(builtFiles);
  return async (ctx, next) => {
    const { method, path } = ctx;
    const isPage = path === '/' || (!NOT_PAGES.test(path) && ctx.get('Accept').includes('text/html'));
    const isAsset = path.startsWith('/assets/');
    const isOurs = (method === 'GET' || method === 'HEAD') && (isPage || isAsset || path === '/favicon.svg');
    const file = isOurs ? (await files()).get(isPage ? '/index.html' : path) : undefined;
    if (file === undefined) await next();
    else await serve(file, isPage ? { policy: POLICY } : { immutable: isAsset })(ctx, next);
  };
}

/** The files of the panel by path, each read at its first request. Throws unavailable when it was not built. */
async function builtFiles(): Promise<Map<string, () => Promise<Asset>>> {
  const names = await readdir(BUILT, { recursive: true }).catch((cause: unknown) => {
    throw new ApiError(
      'unavailable',
      'The control panel has not been built. The operator does so with: npm run panel',
      {
        cause,
      },
    );
  });
  const files = new Map<string, () => Promise<Asset>>();
  for (const name of names) {
    const type = TYPES[extname(name)];
    if (type !== undefined)
      files.set(
        `/${name}`,
        kept(async () => assetOf(type, await readFile(BUILT + name))),
      );
  }
  return files;
}
