import { useRef } from 'react';
import { ApiFault } from './client.ts';

/**
 * Returns the Idempotency-Key of a creation. It is the same for the same body, so that a request whose response was lost can be sent again
 * without creating anything twice. After a refusal the next request gets a new key. With the old key, the service would repeat the refusal
 * even after a top-up.
 */
export function useIdempotencyKey() {
  const sent = useRef({ body: '', key: '' });
  return {
    keyOf: (body: object): string => {
      const text = JSON.stringify(body);
      if (sent.current.body !== text) sent.current = { body: text, key: randomKey() };
      return sent.current.key;
    },
    onError: (error: Error): void => {
      if (error instanceof ApiFault && error.status >= 400 && error.status < 500) sent.current.body = '';
    },
  };
}

/** Returns a random key. It is not made by crypto.randomUUID, which browsers have on https and loopback only. */
export function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join('-');
}
