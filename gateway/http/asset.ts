import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Middleware } from '../context.js';

/** A file as it is sent to browsers. */
export interface Asset {
  type: string;
  bytes: Buffer;
  zipped: Buffer;
  etag: string;
}

export interface ServeOptions {
  /** The Content-Security-Policy of the page. Absent: none, for files that are no page. */
  policy?: string;
  /** Whether the name changes with the content, so that browsers need not revalidate it. */
  immutable?: boolean;
}

/** Responds with a file: compressed for clients that accept gzip, and with 304 to those that have it. */
export function serve(file: () => Promise<Asset>, { policy, immutable = false }: ServeOptions = {}): Middleware {
  return async (ctx) => {
    const { type, bytes, zipped, etag } = await file();
    ctx.status = 200;
    ctx.set('ETag', etag);
    ctx.set('Cache-Control', immutable ? 'public, max-age=31536000, immutable' : 'no-cache');
    ctx.set('Vary', 'Accept-Encoding');
    ctx.set('X-Content-Type-Options', 'nosniff');
    // Not ctx.fresh, which sends the whole file again to clients that send no-cache, as fetch does with a header of its own.
    if (ctx.get('If-None-Match').includes(etag)) {
      ctx.status = 304;
      return;
    }
    if (policy !== undefined) {
      ctx.set('Content-Security-Policy', policy);
      ctx.set('Referrer-Policy', 'no-referrer');
    }
    ctx.set('Content-Type', `${type}; charset=utf-8`);
    const encoding = ctx.acceptsEncodings('gzip', 'identity');
    if (encoding === 'gzip') ctx.set('Content-Encoding', 'gzip');
    ctx.body = encoding === 'gzip' ? zipped : bytes;
  };
}

/** Creates a file from its content. */
export async function assetOf(type: string, content: string | Buffer): Promise<Asset> {
  const bytes = Buffer.from(content);
  // Weak, as the zipped bytes have it too.
  const etag = `W/"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
  return { type, bytes, zipped: await promisify(gzip)(bytes), etag };
}

/** Returns a function that calls `make` once and keeps its value; a failure is not kept. */
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
