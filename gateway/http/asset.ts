import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Middleware } from '../context.js';

/** A file as it is sent to browsers. */
export interface Asset {
  type: string;
  bytes: Buffer;
  /** The compressed content. Absent: the format is compressed already, as that of typefaces is. */
  zipped?: Buffer;
  etag: string;
}

export interface ServeOptions {
  /** The Content-Security-Policy of the page. Absent: there is none, for files that are not pages. */
  policy?: string;
  /** Whether the name changes with the content, so that browsers need not revalidate it. */
  immutable?: boolean;
}

/** Responds with a file: compressed to clients that accept gzip, and with 304 to clients that have it already. */
export function serve(file: () => Promise<Asset>, { policy, immutable = false }: ServeOptions = {}): Middleware {
  return async (ctx) => {
    const { type, bytes, zipped, etag } = await file();
    ctx.status = 200;
    ctx.set('ETag', etag);
    ctx.set('Cache-Control', immutable ? 'public, max-age=31536000, immutable' : 'no-cache');
    ctx.set('Vary', 'Accept-Encoding');
    ctx.set('X-Content-Type-Options', 'nosniff');
    // ctx.fresh is not used, as it sends the whole file again to clients that send no-cache. fetch sends no-cache when its caller sets a
    // header such as If-None-Match.
    if (ctx.get('If-None-Match').includes(etag)) {
      ctx.status = 304;
      return;
    }
    if (policy !== undefined) {
      ctx.set('Content-Security-Policy', policy);
      ctx.set('Referrer-Policy', 'no-referrer');
    }
    ctx.set('Content-Type', isFont(type) ? type : `${type}; charset=utf-8`);
    const sent = ctx.acceptsEncodings('gzip', 'identity') === 'gzip' ? zipped : undefined;
    if (sent !== undefined) ctx.set('Content-Encoding', 'gzip');
    ctx.body = sent ?? bytes;
  };
}

/** Creates an asset from its content. */
export async function assetOf(type: string, content: string | Buffer): Promise<Asset> {
  const bytes = Buffer.from(content);
  // The tag is weak, as the zipped bytes have the same one.
  const etag = `W/"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
  return isFont(type) ? { type, bytes, etag } : { type, bytes, etag, zipped: await promisify(gzip)(bytes) };
}

function isFont(type: string): boolean {
  return type.startsWith('font/');
}

/** Returns a function that calls `make` once and stores its value. A failure is not stored. */
export function kept<T>(make: () => Promise<T>): () => Promise<T> {
  let value: Promise<T> | undefined;
  return () => {
    value ??= make().catch((error: unknown) => {
      value = undefined;
      throw error;
    });
    return value;
  };
}
