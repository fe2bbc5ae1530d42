import type Stripe from 'stripe';

/**
 * Wraps the library's HTTP client so that it accepts Stripe's own responses only. The library believes that any JSON without an `error`
 * comes from Stripe, whatever its status. JSON that is not an object makes the library end the process. The library reports errors that are
 * thrown here as a StripeAPIError.
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

/** Returns whether a response is Stripe's. Each response of Stripe has a field `object` or `error`. */
function isStripes(body: unknown): boolean {
  return typeof body === 'object' && body !== null && ('object' in body || 'error' in body);
}
