/** What the client and the phone agreed on in their CNXN packets. */
export interface Agreement {
  /** Largest payload of a packet, bytes. */
  maxPayloadBytes: number;
  /** Whether OKAYs carry byte counts, so that a sender may have several writes unacknowledged. */
  delayedAck: boolean;
}

/** Returns the payload of an OKAY that acknowledges `bytes`, or that allows the other side to send so many. */
export function okayPayload({ delayedAck }: Agreement, bytes: number): Buffer | undefined {
  if (!delayedAck) return undefined;
  const payload = Buffer.alloc(4);
  payload.writeInt32LE(bytes);
  return payload;
}
