import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export const STRIPE_SECRET_KEY = 'sk_test_planted_51Zx';
export const STRIPE_WEBHOOK_SECRET = 'whsec_planted_7Qw';

/** A session of Checkout, as its creation asked for it. */
export interface FakeSession {
  id: string;
  topupId: string;
  paymentId: string;
  form: URLSearchParams;
}

/** An event as it goes over the wire. */
export interface SignedEvent {
  body: string;
  signature: string;
}

/** The parts of Stripe that top-ups need, written from its documentation: sessions, payments, signed events. */
export class FakeStripe {
  readonly sessions: FakeSession[] = [];
  /** Calls that came in, repeats and failed ones too. */
  calls = 0;
  /** The error that every call gets instead of a response. */
  trouble: number | 'hang_up' | { status: number; body: string } | undefined;
  readonly #server: Server;
  readonly #byIdempotencyKey = new Map<string, FakeSession>();
  readonly #now: () => number;
  #events = 0;

  private constructor(now: () => number) {
    this.#now = now;
    this.#server = createServer((request, response) => void this.#response(request, response));
  }

  static async start(now = Date.now): Promise<FakeStripe> {
    const stripe = new FakeStripe(now);
    await new Promise<void>((resolve) => stripe.#server.listen(0, '127.0.0.1', resolve));
    return stripe;
  }

  get apiUrl(): URL {
    return new URL(`http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`);
  }

  close(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  /** The session that was opened for a top-up. */
  sessionOf(topupId: string): FakeSession {
    const session = this.sessions.find((one) => one.topupId === topupId);
    if (session === undefined) throw new Error(`no session for ${topupId}`);
    return session;
  }

  /** Stripe's report of a session; `status` is its payment's. */
  sessionEvent(type: string, session: FakeSession, change: Record<string, unknown> = {}): SignedEvent {
    const cents = Number(session.form.get('line_items[0][price_data][unit_amount]'));
    return this.event(type, {
      id: session.id,
      object: 'checkout.session',
      client_reference_id: session.topupId,
      metadata: { topup: session.topupId },
      payment_intent: session.paymentId,
      payment_status: 'paid',
      currency: 'usd',
      amount_subtotal: cents,
      amount_total: cents,
      ...change,
    });
  }

  event(type: string, object: Record<string, unknown>): SignedEvent {
    const id = `evt_${++this.#events}`;
    // Indented, as Stripe sends them: a receiver that parses and prints the body again gets other bytes.
    const body = JSON.stringify({ id, object: 'event', type, data: { object } }, undefined, 2);
    return { body, signature: sign(body, this.#now()) };
  }

  async #response(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.calls++;
    let body = '';
    for await (const chunk of request) body += String(chunk);
    if (this.trouble === 'hang_up') {
      response.destroy();
      return;
    }
    const sendText = (status: number, text: string): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(text);
    };
    const send = (status: number, response: unknown): void => sendText(status, JSON.stringify(response));
    if (typeof this.trouble === 'object') sendText(this.trouble.status, this.trouble.body);
    else if (this.trouble !== undefined) send(this.trouble, { error: { message: 'trouble', type: 'api_error' } });
    else if (request.headers.authorization !== `Bearer ${STRIPE_SECRET_KEY}`) {
      send(401, { error: { message: 'Invalid API Key provided', type: 'invalid_request_error' } });
    } else if (request.method === 'POST' && request.url === '/v1/checkout/sessions') {
      send(200, this.#open(String(request.headers['idempotency-key']), new URLSearchParams(body)));
    } else {
      const paymentId = /^\/v1\/payment_intents\/(\w+)$/.exec(request.url ?? '')?.[1];
      const session = this.sessions.find((one) => one.paymentId === paymentId);
      // Payments of somebody else's shop are there too.
      const metadata = session === undefined ? {} : { topup: session.form.get('payment_intent_data[metadata][topup]') };
      send(200, { id: paymentId, object: 'payment_intent', metadata });
    }
  }

  #open(idempotencyKey: string, form: URLSearchParams): unknown {
    let session = this.#byIdempotencyKey.get(idempotencyKey);
    if (session === undefined) {
      const number = this.sessions.length + 1;
      const topupId = form.get('metadata[topup]') ?? '';
      session = { id: `cs_test_${number}`, topupId, paymentId: `pi_${number}`, form };
      this.#byIdempotencyKey.set(idempotencyKey, session);
      this.sessions.push(session);
    }
    return { id: session.id, object: 'checkout.session', url: `https://checkout.stripe.test/c/pay/${session.id}` };
  }
}

/** `Stripe-Signature`, as Stripe documents it: HMAC-SHA256 of `<seconds>.<body>`. */
export function sign(body: string, nowMs: number, secret = STRIPE_WEBHOOK_SECRET): string {
  const seconds = Math.floor(nowMs / 1000);
  return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`;
}
