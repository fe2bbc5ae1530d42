/** The agreement of client and phone in their CNXNs. */
export interface Agreement {
  /** Largest payload of a packet, bytes. */
  maxPayloadBytes: number;
  /** Whether OKAYs carry byte counts, so that a sender may have several writes unacknowledged. */
  delayedAck: boolean;
}

/** The payload of an OKAY that acknowledges `bytes`, or grants them as a window. */
export function okayPayload({ delayedAck }: Agreement, bytes: number): Buffer | undefined {
  if (!delayedAck) return undefined;
  const payload = Buffer.alloc(4);
  payload.writeInt32LE(bytes);
  return payload;
}
