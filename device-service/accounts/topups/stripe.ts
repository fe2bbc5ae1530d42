import type Stripe from 'stripe';
import type { Clock } from '../../../kit/async/clock.js';
import { ApiError } from '../../../kit/errors/api-error.js';
import { CENT_MICROS } from '../../../kit/text/money.js';
import type { PaymentEvent, PaymentPage, Payments } from './payments.js';
import { stripeOnly } from './stripe-http-client.js';

export interface StripeConfig {
  secretKey: string;
  /** The signing secret of the webhook endpoint, `whsec_…`. */
  webhookSecret: string;
  apiUrl: URL;
}

/** Time limit of one call to Stripe, ms. A call may take some seconds. Two calls, with the one retry, stay below the edge's 65 s. */
const CALL_TIMEOUT_MS = 20_000;

/** Opens Stripe Checkout. The library is loaded here, so that installations without Stripe spend neither time nor memory on it. */
export async function openStripe({ secretKey, webhookSecret, apiUrl }: StripeConfig, clock: Clock): Promise<Payments> {
  const { default: Library } = await import('stripe');
  const stripe = new Library(secretKey, {
    host: apiUrl.hostname,
    port: apiUrl.port === '' ? (apiUrl.protocol === 'https:' ? 443 : 80) : apiUrl.port,
    protocol: apiUrl.protocol === 'https:' ? 'https' : 'http',
    httpClient: stripeOnly(Library.createNodeHttpClient()),
    timeout: CALL_TIMEOUT_MS,
    maxNetworkRetries: 1,
    telemetry: false,
  });
  const { StripeAPIError, StripeConnectionError, StripeRateLimitError } = Library.errors;
  const request = async <T>(call: () => Promise<T>): Promise<T> => {
    try {
      return await call();
    } catch (error) {
      const passes = [StripeAPIError, StripeConnectionError, StripeRateLimitError].some(
        (kind) => error instanceof kind,
      );
      if (!passes) throw error;
      throw new ApiError('unavailable', 'Stripe does not respond. Nothing was charged; try again in a moment.', {
        retryAfterS: 5,
        cause: error,
      });
    }
  };
  const eventFrom = (payload: Uint8Array, signature: string): Stripe.Event => {
    try {
      return stripe.webhooks.constructEvent(
        Buffer.from(payload),
        signature,
        webhookSecret,
        undefined,
        undefined,
        clock.now(),
      );
    } catch (error) {
      throw new ApiError('bad_request', 'This is no event of Stripe that is signed with STRIPE_WEBHOOK_SECRET.', {
        cause: error,
      });
    }
  };
  /** A refund or a dispute names only its payment, and the payment names its top-up. */
  const topupOfPayment = async (payment: string | Stripe.PaymentIntent | null): Promise<string | undefined> => {
    if (payment === null) return undefined;
    const id = typeof payment === 'string' ? payment : payment.id;
    const { metadata } = await request(() => stripe.paymentIntents.retrieve(id));
    return metadata['topup'];
  };
  const reversalOf = async (
    { id, amount, currency, payment_intent }: Stripe.Refund | Stripe.Dispute,
    undone: boolean,
  ): Promise<PaymentEvent | undefined> => {
    const topupId = await topupOfPayment(payment_intent);
    if (topupId === undefined) return undefined;
    // A dispute may be in the payer's currency; the operator has to convert it.
    if (currency !== 'usd') throw new Error(`${id} takes back a payment in USD, but not in USD`);
    const kind = undone ? 'reversal_undone' : 'reversed';
    return { kind, topupId, reversalId: id, amountMicros: amount * CENT_MICROS };
  };

  return {
    openPage: async (page) => {
      const session = await request(() =>
        stripe.checkout.sessions.create(sessionOf(page), { idempotencyKey: page.topupId }),
      );
      if (session.url === null) throw new Error(`Stripe opened ${session.id} without a page`);
      return session.url;
    },
    readEvent: async (payload, signature) => {
      const event = eventFrom(payload, signature);
      switch (event.type) {
        case 'checkout.session.completed':
        case 'checkout.session.async_payment_succeeded':
          return paymentOf(event.data.object);
        case 'checkout.session.async_payment_failed': {
          const topupId = event.data.object.metadata?.['topup'];
          return topupId === undefined ? undefined : { kind: 'failed', topupId };
        }
        case 'refund.created':
        case 'refund.updated':
        case 'refund.failed': {
          const { status } = event.data.object;
          return reversalOf(event.data.object, status === 'failed' || status === 'canceled');
        }
        case 'charge.dispute.funds_withdrawn':
          return reversalOf(event.data.object, false);
        case 'charge.dispute.funds_reinstated':
          return reversalOf(event.data.object, true);
        default:
          return undefined;
      }
    },
  };
}

function sessionOf({ topupId, amountMicros, expiresAt, returnUrl }: PaymentPage): Stripe.Checkout.SessionCreateParams {
  const metadata = { topup: topupId };
  return {
    mode: 'payment',
    client_reference_id: topupId,
    line_items: [
      {
        quantity: 1,
        price_data: {
          currency: 'usd',
          unit_amount: amountMicros / CENT_MICROS,
          product_data: { name: 'Cloud phone credit' },
        },
      },
    ],
    metadata,
    payment_intent_data: { metadata },
    success_url: returnUrl,
    cancel_url: returnUrl,
    expires_at: Math.floor(expiresAt.getTime() / 1000),
  };
}

/** Returns the payment of a checkout page. Its amount excludes tax, which an operator may have Stripe add, as tax is not credit. */
function paymentOf({
  id,
  metadata,
  payment_status,
  currency,
  amount_subtotal,
}: Stripe.Checkout.Session): PaymentEvent | undefined {
  const topupId = metadata?.['topup'];
  if (topupId === undefined) return undefined;
  if (payment_status === 'unpaid') return { kind: 'pending', topupId };
  if (currency !== 'usd' || amount_subtotal === null) throw new Error(`${id} was paid, but not in USD`);
  return { kind: 'paid', topupId, amountMicros: amount_subtotal * CENT_MICROS };
}
