import type Stripe from 'stripe';

/**
 * Wraps the library's HTTP client so that it accepts Stripe's own responses only. The library takes any JSON for Stripe's unless it has an
 * `error`, whatever the status; and of one that is not an object it lets the process die. It reports what fails here as a StripeAPIError.
 */
export function stripeOnly(client: HttpClient): HttpClient {
  return {
    getClientName: () => client.getClientName(),
    makeRequest: async (...request) => {
      const response = await client.makeRequest(...request);
      const read = response.toJSON.bind(response);
      response.toJSON = async () => {
        const answer: unknown = await read();
        if (isStripes(answer)) return answer;
        throw new Error(`a response of status ${response.getStatusCode()} that is not Stripe's`);
      };
      return response;
    },
  };
}

/** The type of the library's own clients, which it does not export. */
type HttpClient = ReturnType<typeof Stripe.createNodeHttpClient>;

/** Whether a response is Stripe's: every one of them names its type or its error. */
function isStripes(answer: unknown): boolean {
  return typeof answer === 'object' && answer !== null && ('object' in answer || 'error' in answer);
}
