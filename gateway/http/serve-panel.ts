import { fileURLToPath } from 'node:url';
import type { Middleware } from '../context.js';
import { openBuiltFolder } from './built-folder.js';

/** The folder into which Vite builds the panel. It is beside the sources, as dist/ has only their compiled files. */
const BUILT = fileURLToPath(new URL('../../../panel/dist/', import.meta.url));

/**
 * The sources from which the panel may load. They are its own files, pictures made from responses, and the API of this host, including live
 * screens and recordings.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self' data: blob:",
  "media-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Paths that are never a page of the panel. A mistyped path below one of them gets an error, and not the panel. */
const NOT_PAGES = /^\/(?:v1|docs|assets|status|mcp)(?:\/|$)|^\/(?:openapi-v1\.yaml|status\.json)$/;

/**
 * Serves the control panel. Its files are cached for good, as their names contain the hash of their content. Every other path that a
 * browser opens gets the same page, which shows what the path names. A program gets the usual 404 there, unless its Accept header names
 * text/html.
 */
export function createPanel(): Middleware {
  const command = 'npm run panel';
  const fileAt = openBuiltFolder({
    path: BUILT,
    title: 'control panel',
    command,
    immutable: '/assets/',
    last: '/',
    policy: POLICY,
  });
  return async (ctx, next) => {
    const { method, path } = ctx;
    const isPage = path === '/' || (!NOT_PAGES.test(path) && ctx.get('Accept').includes('text/html'));
    const isFile = path.startsWith('/assets/') || path === '/favicon.svg';
    const isOurs = (method === 'GET' || method === 'HEAD') && (isPage || isFile);
    const send = isOurs ? await fileAt(isPage ? '/' : path) : undefined;
    await (send === undefined ? next() : send(ctx, next));
  };
}
