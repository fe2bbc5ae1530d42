import type { ClientHttp2Session, ClientHttp2Stream, IncomingHttpHeaders } from 'node:http2';

/* Makes gRPC calls with Node's own HTTP/2, so that a test chooses every header and every byte of a message. */

/** Begins a call. The test writes the body to the returned stream. */
export function beginCall(
  session: ClientHttp2Session,
  path: string,
  headers: Record<string, string> = {},
  type = 'application/grpc',
): ClientHttp2Stream {
  const stream = session.request({
    ':method': 'POST',
    ':path': path,
    'content-type': type,
    te: 'trailers',
    ...headers,
  });
  stream.on('error', () => undefined);
  stream.resume();
  return stream;
}

/** Returns the gRPC status with which a call ends. */
export function endOfCall(stream: ClientHttp2Stream): Promise<{ status: number; message: string }> {
  return new Promise((resolve) => {
    const take = (headers: IncomingHttpHeaders): void => {
      const { 'grpc-status': status, 'grpc-message': message } = headers;
      if (status !== undefined) resolve({ status: Number(status), message: decodeURIComponent(String(message ?? '')) });
    };
    stream.once('response', take);
    stream.once('trailers', take);
  });
}

/** Returns the beginning of a message: its header announces more bytes than follow it. */
export function begunMessage(sentBytes: number, announcedBytes = 4 * 1024 * 1024 - 1): Buffer {
  const bytes = Buffer.alloc(5 + sentBytes);
  bytes.writeUInt32BE(announcedBytes, 1);
  return bytes;
}
