import type { ServerResponse } from 'node:http';
import type { Http2ServerResponse } from 'node:http2';

/**
 * Has a response escape its `grpc-message` trailer as gRPC's HTTP/2 mapping says: only `%` and what is not printable ASCII. Connect writes the
 * trailer with encodeURIComponent, which escapes more. Most clients undo that; grpc-js does not undo `%3A` and the like, and shows them to
 * people.
 */
export function plainGrpcMessages(response: ServerResponse | Http2ServerResponse): void {
  const addTrailers = response.addTrailers.bind(response);
  response.addTrailers = (trailers: object): void => {
    const respelt = Object.entries(trailers).map(([name, value]: [string, unknown]) => [
      name,
      name.toLowerCase() === 'grpc-message' && typeof value === 'string' ? respell(value) : value,
    ]);
    addTrailers(Object.fromEntries(respelt) as Record<string, string>);
  };
}

function respell(message: string): string {
  let text: string;
  try {
    text = decodeURIComponent(message);
  } catch {
    return message; // not written by Connect: left as it is
  }
  const bytes = Array.from(Buffer.from(text, 'utf8'));
  return bytes
    .map((byte) =>
      byte >= 0x20 && byte <= 0x7e && byte !== 0x25
        ? String.fromCharCode(byte)
        : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
    )
    .join('');
}
