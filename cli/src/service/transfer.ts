import { createReadStream, createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { Readable, Transform } from 'node:stream';
import { text as readText } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { CloudPhoneError, errorOf } from '../../../client/src/errors.js';
import { unreachable } from '../../../client/src/send.js';
import type { Invocation } from '../command/command.js';
import { Failure } from '../output/failure.js';
import { fileFailure } from '../output/file-failure.js';
import { Progress } from '../output/progress.js';
import { begunAhead } from './begun-ahead.js';
import type { Service } from './connection.js';
import { headersOf } from './http-fetch.js';

/** A connection on which nothing moves for so long is given up, ms. The service cuts off sooner. */
const IDLE_MS = 120_000;

/** Most characters of an error's body. */
const MAX_ERROR_CHARS = 64 * 1024;

type Calls = Pick<Invocation, 'terminal' | 'signal' | 'newId'>;

/**
 * Sends a file of this machine as the body of a request, as fast as the service takes it, and returns the response. It is sent by node:http,
 * as fetch gives up on responses that come more than five minutes after the request began.
 */
export async function uploadFile<T>(
  { terminal, signal }: Calls,
  service: Service,
  { method, path, file, label }: { method: 'POST' | 'PUT'; path: string; file: string; label: string },
): Promise<T> {
  const size = await sizeOf(file);
  const progress = new Progress(terminal);
  const request = open(service, method, path, signal, {
    'content-type': 'application/octet-stream',
    'content-length': size,
  });
  const responded = begunAhead(responseOf(request, service.url, signal));
  // The sending fails when the service refuses before all is sent. The refusal is the response, so it is what is reported.
  const content = size === 0 ? Readable.from([]) : createReadStream(file, { end: size - 1 });
  const sent = pipeline(content, counter(progress, label, size), request).catch((error: unknown) => error);
  try {
    const response = await responded.catch(async (error: unknown) => {
      const fault = await sent;
      // A file that cannot be read ends the request too, and is the reason then.
      throw isFileFault(fault) ? fileFailure(file, fault) : error;
    });
    return JSON.parse(await readText(await goodResponse(response))) as T;
  } finally {
    progress.clear();
    request.destroy();
  }
}

/** Writes the response to a request into a file, which gets its name when it is whole. `-` is standard output. Returns the size. */
export async function downloadFile(
  { terminal, signal, newId }: Calls,
  service: Service,
  { path, file, label }: { path: string; file: string; label: string },
): Promise<number> {
  const request = open(service, 'GET', path, signal, {});
  request.end();
  const response = await goodResponse(await responseOf(request, service.url, signal));
  const length = response.headers['content-length'];
  const progress = new Progress(terminal);
  const counted = counter(progress, label, length === undefined ? undefined : Number(length));
  const partial = `${file}.${newId().slice(0, 8)}.part`;
  try {
    if (file === '-') {
      await pipeline(response, counted, terminal.output, { end: false });
    } else {
      await pipeline(response, counted, createWriteStream(partial, { flags: 'wx' }));
      await rename(partial, file);
    }
    return counted.bytes();
  } catch (error) {
    await rm(partial, { force: true });
    if (signal.aborted) throw error;
    if (isFileFault(error)) throw fileFailure(file, error);
    throw new CloudPhoneError(
      `${label}: the service broke off after ${counted.bytes()} bytes. Nothing was kept; do it again.`,
      { kind: 'unavailable', status: 0 },
      { cause: error },
    );
  } finally {
    progress.clear();
  }
}

function open(
  { url, key }: Service,
  method: string,
  path: string,
  signal: AbortSignal,
  headers: Readonly<Record<string, string | number>>,
): ReturnType<typeof requestHttp> {
  const target = new URL(url.replace(/\/v1$/, '') + path);
  const request = (target.protocol === 'https:' ? requestHttps : requestHttp)(target, {
    method,
    signal,
    headers: { authorization: `Bearer ${key}`, 'user-agent': 'cloudphone-cli', ...headers },
  });
  request.setTimeout(IDLE_MS, () => request.destroy(new Error(`nothing moved for ${IDLE_MS} ms`)));
  return request;
}

function responseOf(
  request: ReturnType<typeof requestHttp>,
  url: string,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once('response', resolve);
    // Stays attached: an error after the response has the response's own stream fail too.
    request.on('error', (cause) => reject(signal.aborted ? cause : unreachable(url, cause)));
  });
}

/** Returns a response that is a success. Throws its error otherwise. */
async function goodResponse(response: IncomingMessage): Promise<IncomingMessage> {
  const { statusCode = 0 } = response;
  if (statusCode >= 200 && statusCode < 300) return response;
  throw await errorOfMessage(response);
}

/** Returns the error of a response that is not a success. Reads its body. */
export async function errorOfMessage(response: IncomingMessage): Promise<CloudPhoneError> {
  const { statusCode = 0 } = response;
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) {
    text += String(chunk);
    if (text.length > MAX_ERROR_CHARS) break;
  }
  return errorOf(new Response(text, { status: statusCode, headers: headersOf(response) }));
}

/** Passes bytes on, counts them, and shows how many they are. */
function counter(progress: Progress, label: string, total: number | undefined): Transform & { bytes: () => number } {
  let bytes = 0;
  const passed = new Transform({
    transform: (chunk: Buffer, _, done) => {
      bytes += chunk.length;
      if (total !== undefined && total > 0) progress.show(label, (bytes / total) * 100);
      done(null, chunk);
    },
  });
  return Object.assign(passed, { bytes: () => bytes });
}

async function sizeOf(file: string): Promise<number> {
  const facts = await stat(file).catch((error: unknown) => {
    throw fileFailure(file, error);
  });
  if (!facts.isFile()) throw new Failure(`${file} is not a file. Folders are for adb: cloudphone adb NAME`);
  return facts.size;
}

/** Whether an error is one of this machine's files, and not of a connection: it has the path, or a code that only disks have. */
function isFileFault(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return 'path' in error || ('code' in error && ['ENOSPC', 'EDQUOT', 'EIO', 'EROFS'].includes(String(error.code)));
}
