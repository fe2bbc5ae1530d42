import type Stripe from 'stripe';

/**
 * Wraps the library's HTTP client so that it accepts Stripe's own responses only. The library accepts any JSON as Stripe's unless it has an
 * `error`, with any status, and ends the process on one that is not an object. It reports errors thrown here as a StripeAPIError.
 */
export function stripeOnly(client: HttpClient): HttpClient {
  return {
    getClientName: () => client.getClientName(),
    makeRequest: async (...request) => {
      const response = await client.makeRequest(...request);
      const read = response.toJSON.bind(response);
      response.toJSON = async () => {
        const body: unknown = await read();
        if (isStripes(body)) return body;
        throw new Error(`a response of status ${response.getStatusCode()} that is not Stripe's`);
      };
      return response;
    },
  };
}

/** The type of the library's own clients, which it does not export. */
type HttpClient = ReturnType<typeof Stripe.createNodeHttpClient>;

/** Whether a response is Stripe's: every one of them names its type or its error. */
function isStripes(body: unknown): boolean {
  return typeof body === 'object' && body !== null && ('object' in body || 'error' in body);
}
