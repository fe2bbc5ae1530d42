import type { IncomingMessage } from 'node:http';
import { Http2ServerRequest } from 'node:http2';

/**
 * Whether a request of HTTP/2 was cut off by its client, asked when its body ends: Node ends the body of a cut request as it ends a
 * complete one. False for HTTP/1.1, whose cut bodies never end.
 */
export function isCutOff(request: IncomingMessage | Http2ServerRequest): boolean {
  // A complete body comes before our response, so the stream is still open then.
  return request instanceof Http2ServerRequest && request.stream.closed;
}

/** Whether a request of HTTP/2 has a body; undefined for HTTP/1.1, where headers announce it. */
export function hasHttp2Body(request: IncomingMessage | Http2ServerRequest): boolean | undefined {
  return request instanceof Http2ServerRequest ? !request.stream.endAfterHeaders : undefined;
}
