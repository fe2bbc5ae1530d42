/** A payment provider for top-ups, with a payment page of its own. It reports the outcome of a payment later. */
export interface Payments {
  /**
   * Opens a payment page and returns its URL. A second call for the same top-up opens no second page. Throws unavailable when the
   * provider does not respond.
   */
  openPage(page: PaymentPage): Promise<string>;
  /**
   * Returns the payment that an event reports; undefined when the event is not about our payments. Throws bad_request unless the signature
   * proves that the event is the provider's.
   */
  readEvent(payload: Uint8Array, signature: string): Promise<PaymentEvent | undefined>;
}

export interface PaymentPage {
  topupId: string;
  amountMicros: number;
  expiresAt: Date;
  /** The URL to which the browser goes afterwards, whether the top-up is paid or not. */
  returnUrl: string;
}

export type PaymentEvent =
  /** The money has come. */
  | { kind: 'paid'; topupId: string; amountMicros: number }
  /** The money has been sent and will come or fail within days. */
  | { kind: 'pending'; topupId: string }
  | { kind: 'failed'; topupId: string }
  /** Some or all of the money goes back to the payer, by the refund or dispute `reversalId`. */
  | { kind: 'reversed'; topupId: string; reversalId: string; amountMicros: number }
  /** The money did not go back after all. */
  | { kind: 'reversal_undone'; topupId: string; reversalId: string; amountMicros: number };
