import type { IncomingMessage } from 'node:http';
import { Http2ServerRequest } from 'node:http2';

/**
 * Returns whether an HTTP/2 client has cut off its request, at the moment when the body ends. Node ends the body of a cut request as it
 * ends a complete one. Returns false for HTTP/1.1, whose cut bodies never end.
 */
export function isCutOff(request: IncomingMessage | Http2ServerRequest): boolean {
  // The stream of a complete request is still open at the end of its body, as our response has yet to be sent.
  return request instanceof Http2ServerRequest && request.stream.closed;
}

/** Returns whether a request of HTTP/2 has a body; undefined for HTTP/1.1, where headers announce it. */
export function hasHttp2Body(request: IncomingMessage | Http2ServerRequest): boolean | undefined {
  return request instanceof Http2ServerRequest ? !request.stream.endAfterHeaders : undefined;
}
