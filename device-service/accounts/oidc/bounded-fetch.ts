import type { CustomFetch } from 'openid-client';

/** Bytes of an answer of the provider at most. Discovery, keys and tokens take some KB. */
export const MAX_ANSWER_BYTES = 256 * 1024;

/** The provider gives no usable answer now: it is not reached, too slow, or busy. A TypeError is passed on by openid-client as it is. */
export class ProviderAway extends TypeError {}

/**
 * Returns a fetch for an identity provider, which reads no more than MAX_ANSWER_BYTES and follows no redirect. The caller's signal bounds
 * the time, the body included. Throws ProviderAway where another try may help.
 */
export function boundedFetch(fetchWith: typeof fetch): CustomFetch {
  return async (url, { body, ...options }) => {
    const response = await reached(() =>
      fetchWith(url, { ...options, body: body as RequestInit['body'] & {}, redirect: 'manual' }),
    );
    const { status, statusText, headers } = response;
    const bytes = await reached(() => readBounded(response));
    if (status >= 500 || status === 429) throw new ProviderAway(`the identity provider answered with ${status}`);
    const isBare = [204, 205, 304].includes(status);
    const answer = new Response(isBare ? null : bytes, { status, statusText, headers });
    // A response that is made has no URL, and the library names it in errors.
    Object.defineProperty(answer, 'url', { value: response.url });
    return answer;
  };
}

async function reached<T>(answer: () => Promise<T>): Promise<T> {
  try {
    return await answer();
  } catch (error) {
    throw new ProviderAway('the identity provider was not reached', { cause: error });
  }
}

async function readBounded(response: Response): Promise<Buffer<ArrayBuffer>> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  const body: ReadableStream<Uint8Array> | null = response.body;
  const reader = body?.getReader();
  if (reader === undefined) return Buffer.alloc(0);
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return Buffer.concat(pieces);
    length += value.length;
    if (length > MAX_ANSWER_BYTES) {
      await reader.cancel();
      throw new Error(`the identity provider sent more than ${MAX_ANSWER_BYTES} bytes`);
    }
    pieces.push(value);
  }
}
