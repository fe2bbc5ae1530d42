import { type IncomingMessage, request as httpRequest } from 'node:http';
import { connect as connectTls } from 'node:tls';
import { ADDRESS_PAGE_BYTES } from '../limits.js';
import type { Upstream } from './upstream.js';
import { type WayOut, WayOutError } from './way-out.js';

/**
 * Fetches a small page through an exit, as the phone would. The size of the page is bounded, and `signal` bounds the time. Redirects are
 * not followed, as only a proxy in between would send one. Throws WayOutError.
 */
export async function fetchPage(way: WayOut, upstream: Upstream, page: string, signal: AbortSignal): Promise<string> {
  const url = new URL(page);
  const isTls = url.protocol === 'https:';
  const target = { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port) || (isTls ? 443 : 80) };
  const head = { method: 'GET', path: `${url.pathname}${url.search}`, headers: { host: url.host, accept: '*/*' } };
  if (!isTls) {
    return readText(await way.request(upstream, { ...target, ...head }, signal, (request) => request.end()), signal);
  }
  const tunnel = await way.tunnel(upstream, target, signal);
  const socket = connectTls({ socket: tunnel, servername: url.hostname });
  const abort = (): void => void socket.destroy();
  signal.addEventListener('abort', abort, { once: true });
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const request = httpRequest({ ...head, createConnection: () => socket });
      request.once('response', resolve);
      request.once('error', reject);
      request.once('close', () => reject(new Error('the connection was closed')));
      request.end();
    });
    return await readText(response, signal);
  } catch (cause) {
    signal.throwIfAborted();
    throw cause instanceof WayOutError ? cause : notThere(cause);
  } finally {
    signal.removeEventListener('abort', abort);
    socket.destroy();
  }
}

async function readText(response: IncomingMessage, signal: AbortSignal): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    if (response.statusCode !== 200) {
      // An HTTP proxy that cannot reach the page sends a response of its own.
      throw new WayOutError('target', `The page was responded with status ${response.statusCode ?? 0}.`);
    }
    for await (const part of response as AsyncIterable<Buffer>) {
      parts.push(part);
      bytes += part.length;
      if (bytes > ADDRESS_PAGE_BYTES) throw new WayOutError('target', 'The page is too large.');
    }
  } catch (cause) {
    signal.throwIfAborted();
    throw cause instanceof WayOutError ? cause : notThere(cause);
  } finally {
    response.destroy();
  }
  return Buffer.concat(parts).toString('utf8');
}

function notThere(cause: unknown): WayOutError {
  return new WayOutError('target', 'The page could not be fetched.', { cause });
}
