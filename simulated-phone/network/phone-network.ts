import { request } from 'undici';
import type { Clock } from '../../kit/async/clock.js';
import { Cancellation } from '../../kit/async/within.js';
import { assertPublicHost, RefusedTarget, type GuardOptions } from '../../kit/net/guarded-connect.js';
import type { PhoneExit } from '../../phone/driver.js';
import { EXIT_FAULT_HEADER } from '../../phone/exit-fault.js';
import type { PhoneNetwork } from '../system/system.js';
import { exitDispatcher } from './exit-dispatcher.js';
import { exitFaultIn, ExitFault } from './exit-fault.js';
import type { SlowLink } from './slow-link.js';

const TIMEOUT_MS = 15_000;
const MAX_REDIRECTS = 5;
const USER_AGENT = 'Mozilla/5.0 (Linux; Android 14; Mobile) Cloudphone/1.0';

export interface PhoneNetworkOptions extends GuardOptions {
  clock: Clock;
  /** The quality of the phone's connection. Absent: nothing slows it. */
  link?: Pick<SlowLink, 'roundTrip' | 'pass'>;
}

type Fetched = Awaited<ReturnType<PhoneNetwork['fetchText']>>;

/** Returns the network of a phone, which sends requests by its exit. It has GET only, with bounds of size, time and redirects. */
export function createPhoneNetwork(exit: PhoneExit, options: PhoneNetworkOptions): PhoneNetwork {
  return {
    exit,
    fetchText: async (url, { maxBytes, signal, maxRedirects = MAX_REDIRECTS, proxy }) => {
      const onTimeout = (): Error => new FetchTimeout(url);
      const limit = new Cancellation([signal], { clock: options.clock, timeoutMs: TIMEOUT_MS, onTimeout });
      try {
        return await follow(exit, options, url, { maxBytes, maxRedirects, proxy }, limit.signal);
      } finally {
        limit.end();
      }
    },
  };
}

/** The error for a site that did not respond in time. */
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
  { maxBytes, maxRedirects, proxy }: { maxBytes: number; maxRedirects: number; proxy: string | undefined },
  signal: AbortSignal,
): Promise<Fetched> {
  const dispatcher = exitDispatcher(exit, options, proxy);
  try {
    let target = url;
    for (let hops = 0; ; hops++) {
      const { response, location } = await get(target, maxBytes);
      if (location === undefined || maxRedirects === 0) return response;
      if (hops === maxRedirects) throw new Error(`${url} redirects more than ${maxRedirects} times`);
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
    // A proxy resolves names itself, but must never get a literal private address.
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
      body.on('error', () => undefined).destroy(); // The body is empty; the dispatcher ends the connection.
      throw new ExitFault(fault);
    }
    if (statusCode >= 300 && statusCode < 400 && typeof location === 'string') {
      body.destroy();
      body.on('error', () => {
        // The body is destroyed on purpose: that of a redirect is not needed.
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
    // The charset is unknown; most sites use UTF-8.
    if (error instanceof RangeError) return new TextDecoder().decode(bytes);
    throw error;
  }
}
