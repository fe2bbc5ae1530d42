import { request } from 'undici';
import type { Clock } from '../../kit/clock.js';
import { assertPublicHost, RefusedTarget, type GuardOptions } from '../../kit/guarded-connect.js';
import type { PhoneExit } from '../../phone/driver.js';
import { EXIT_FAULT_HEADER } from '../../phone/exit-fault.js';
import type { PhoneNetwork } from '../system.js';
import { exitDispatcher } from './exit-dispatcher.js';
import { exitFaultIn, ExitFault } from './exit-fault.js';
import type { SlowLink } from './slow-link.js';

const TIMEOUT_MS = 15_000;
const MOST_REDIRECTS = 5;
const USER_AGENT = 'Mozilla/5.0 (Linux; Android 14; Mobile) Cloudphone/1.0';

export interface PhoneNetworkOptions extends GuardOptions {
  clock: Clock;
  /** The quality of the phone's connection. Absent: nothing slows it. */
  link?: Pick<SlowLink, 'roundTrip' | 'pass'>;
}

type Fetched = Awaited<ReturnType<PhoneNetwork['fetchText']>>;

/** The phone's way out by its exit: GET only, bounded in size, time and redirects. */
export function createPhoneNetwork(exit: PhoneExit, options: PhoneNetworkOptions): PhoneNetwork {
  return {
    exit,
    fetchText: async (url, { maxBytes, signal, mostRedirects = MOST_REDIRECTS, proxy }) => {
      const limit = new AbortController();
      const timer = options.clock.after(TIMEOUT_MS, () => limit.abort(new FetchTimeout(url)));
      const abort = (): void => limit.abort(signal?.reason);
      if (signal?.aborted === true) abort();
      signal?.addEventListener('abort', abort, { once: true });
      try {
        return await follow(exit, options, url, { maxBytes, mostRedirects, proxy }, limit.signal);
      } finally {
        timer.cancel();
        signal?.removeEventListener('abort', abort);
      }
    },
  };
}

/** The site did not respond in time. */
export class FetchTimeout extends Error {
  override name = 'FetchTimeout';

  constructor(url: string) {
    super(`${url} did not respond within ${TIMEOUT_MS / 1000} s`);
  }
}

async function follow(
  exit: PhoneExit,
  options: PhoneNetworkOptions,
  url: string,
  { maxBytes, mostRedirects, proxy }: { maxBytes: number; mostRedirects: number; proxy: string | undefined },
  signal: AbortSignal,
): Promise<Fetched> {
  const dispatcher = exitDispatcher(exit, options, proxy);
  try {
    let target = url;
    for (let hops = 0; ; hops++) {
      const { response, location } = await get(target, maxBytes);
      if (location === undefined || mostRedirects === 0) return response;
      if (hops === mostRedirects) throw new Error(`${url} redirects more than ${mostRedirects} times`);
      target = new URL(location, target).href;
    }
  } catch (error) {
    throw exit.forwarder === undefined ? error : (exitFaultIn(error) ?? error);
  } finally {
    // The rest of a response that was cut at maxBytes is not read.
    await dispatcher.destroy();
  }

  async function get(target: string, most: number): Promise<{ response: Fetched; location?: string }> {
    const parsed = new URL(target);
    if (parsed.protocol !== 'http:' && parsed.protocol !== 'https:') {
      throw new RefusedTarget(target, parsed.protocol);
    }
    // A proxy resolves names at its end, but a literal private address is never meant for it.
    assertPublicHost(parsed.hostname, options);
    await options.link?.roundTrip(signal);
    const { statusCode, headers, body } = await request(parsed, {
      dispatcher,
      signal,
      headers: { 'user-agent': USER_AGENT, accept: 'text/html,text/plain;q=0.9,*/*;q=0.5' },
      headersTimeout: TIMEOUT_MS,
      bodyTimeout: TIMEOUT_MS,
    });
    const { location, 'content-type': type = 'text/plain', [EXIT_FAULT_HEADER]: fault } = headers;
    if (exit.forwarder !== undefined && typeof fault === 'string') {
      body.on('error', () => undefined).destroy(); // Empty; the connection ends with the dispatcher.
      throw new ExitFault(fault);
    }
    if (statusCode >= 300 && statusCode < 400 && typeof location === 'string') {
      body.destroy();
      body.on('error', () => {
        // Destroyed on purpose: a redirect's body is not needed.
      });
      return { response: { status: statusCode, text: '', type: '' }, location };
    }
    const parts: Buffer[] = [];
    let bytes = 0;
    for await (const part of body as AsyncIterable<Buffer>) {
      parts.push(part.subarray(0, most - bytes));
      bytes += part.length;
      await options.link?.pass(part.length, signal);
      if (bytes >= most) break;
    }
    const contentType = Array.isArray(type) ? (type[0] ?? 'text/plain') : type;
    return { response: { status: statusCode, text: decode(Buffer.concat(parts), contentType), type: contentType } };
  }
}

function decode(bytes: Buffer, contentType: string): string {
  const charset = /charset="?([\w-]+)/i.exec(contentType)?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch (error) {
    // Unknown charset: most sites use UTF-8.
    if (error instanceof RangeError) return new TextDecoder().decode(bytes);
    throw error;
  }
}
