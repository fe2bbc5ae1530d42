/** A payment provider for top-ups, with a payment page of its own; it reports the outcome later. */
export interface Payments {
  /**
   * Opens a payment page and returns its URL. Asking again for the same top-up opens no second one. Throws unavailable when the
   * provider does not respond.
   */
  openPage(page: PaymentPage): Promise<string>;
  /** Returns the payment in an event, once it is proven to be the provider's; undefined: not about our payments. Throws bad_request. */
  readEvent(payload: Uint8Array, signature: string): Promise<PaymentEvent | undefined>;
}

export interface PaymentPage {
  topupId: string;
  amountMicros: number;
  expiresAt: Date;
  /** Where the browser goes afterwards, paid or not. */
  returnUrl: string;
}

export type PaymentEvent =
  /** The money has come. */
  | { kind: 'paid'; topupId: string; amountMicros: number }
  /** It has been sent and will come or fail within days. */
  | { kind: 'pending'; topupId: string }
  | { kind: 'failed'; topupId: string }
  /** The money, or some of it, goes back to the payer: by a refund or a dispute, whose id this is. */
  | { kind: 'reversed'; topupId: string; reversalId: string; amountMicros: number }
  /** It did not go back after all. */
  | { kind: 'reversal_undone'; topupId: string; reversalId: string; amountMicros: number };
