import { generateSecret, generateURI, verifySync } from 'otplib';

/** The name that apps show beside the codes. */
const ISSUER = 'Cloudphone';
/** Codes of this time before and after the present one are taken too, s: one step, as clocks differ. */
const TOLERANCE_S = 30;

/** Returns a new secret of 160 bits in base32, and the URI that an app reads from a QR code. */
export function createTotpSecret(email: string): { secret: string; uri: string } {
  const secret = generateSecret({ length: 20 });
  return { secret, uri: generateURI({ issuer: ISSUER, label: email, secret }) };
}

/**
 * Returns the step of a right code; undefined for a wrong one. Codes of the step `lastStep` and before are used up (RFC 6238, 5.2). The
 * caller keeps the step, so that each code works once.
 */
export function stepOfCode(secret: string, code: string, lastStep: number, nowMs: number): number | undefined {
  if (!/^\d{6}$/.test(code)) return undefined;
  const result = verifySync({ secret, token: code, epoch: Math.floor(nowMs / 1000), epochTolerance: TOLERANCE_S });
  if (!result.valid || !('timeStep' in result)) return undefined;
  return result.timeStep > lastStep ? result.timeStep : undefined;
}
