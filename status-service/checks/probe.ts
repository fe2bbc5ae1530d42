import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { OwnTrust } from '../../kit/https/server-certificate.js';
import { MAX_RESPONSE_BYTES } from '../limits.js';
import { ProbeFault } from './outcome.js';

/** A request, and the certificates that it trusts. */
export interface ProbeRequest extends Partial<OwnTrust> {
  headers: Record<string, string>;
  signal: AbortSignal;
}

export interface ProbeResponse {
  /** 101: the probe target switched to a WebSocket, which was closed at once. */
  status: number;
  body: string;
}

/**
 * Makes one request on a connection of its own, as a new customer would. fetch is not used, as it makes no upgrades.
 *
 * @throws ProbeFault for a probe target that cannot be reached or does not speak HTTP
 */
export function probe(url: URL, { signal, ...asked }: ProbeRequest): Promise<ProbeResponse> {
  const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, { ...asked, signal, agent: false });
  return new Promise((resolve, reject) => {
    request.once('error', (error) => reject(signal.aborted ? error : faultOf(error)));
    request.once('upgrade', (_response, socket) => {
      socket.destroy();
      resolve({ status: 101, body: '' });
    });
    request.once('response', (response) => {
      readBody(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject);
    });
    request.end();
  });
}

async function readBody(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > MAX_RESPONSE_BYTES) throw new ProbeFault('responded in an unexpected way');
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof ProbeFault) throw error;
    throw new ProbeFault('broke off in the middle of a response', { cause: error });
  }
  return Buffer.concat(chunks).toString();
}

function faultOf(error: NodeJS.ErrnoException): ProbeFault {
  const isGarbage = error.code?.startsWith('HPE_') === true;
  return new ProbeFault(isGarbage ? 'responded in an unexpected way' : 'could not be reached', { cause: error });
}
