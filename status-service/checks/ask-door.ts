import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { OwnTrust } from '../../kit/https/server-certificate.js';
import { RESPONSE_MAX_BYTES } from '../limits.js';
import { DoorFault } from './outcome.js';

/** A request, and the certificates that it trusts. */
export interface DoorRequest extends Partial<OwnTrust> {
  headers: Record<string, string>;
  signal: AbortSignal;
}

export interface DoorResponse {
  /** 101: the door switched to a WebSocket, which was closed at once. */
  status: number;
  body: string;
}

/**
 * Makes one request on a connection of its own, as a new customer would. Not by fetch, which makes no upgrades.
 *
 * @throws DoorFault for a door that cannot be reached or does not speak HTTP
 */
export function askDoor(url: URL, { signal, ...asked }: DoorRequest): Promise<DoorResponse> {
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
      if (bytes > RESPONSE_MAX_BYTES) throw new DoorFault('responded in an unexpected way');
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof DoorFault) throw error;
    throw new DoorFault('broke off in the middle of a response', { cause: error });
  }
  return Buffer.concat(chunks).toString();
}

function faultOf(error: NodeJS.ErrnoException): DoorFault {
  const isGarbage = error.code?.startsWith('HPE_') === true;
  return new DoorFault(isGarbage ? 'responded in an unexpected way' : 'could not be reached', { cause: error });
}
