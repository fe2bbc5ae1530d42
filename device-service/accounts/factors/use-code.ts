import type { FactorDocument, SecondFactors } from '../../store/second-factors.js';
import type { AccountsContext } from '../accounts-context.js';
import { changeFactors, type FactorChange } from './change-factors.js';
import { recoveryDigest } from './recovery-codes.js';
import { stepOfCode } from './totp.js';
import { openedSecret } from './totp-secrets.js';

/** Uses up a code of an app, or a recovery code. Returns false for a wrong or used one. The caller counts attempts. */
export function useCode(context: AccountsContext, personId: string, code: string): Promise<boolean> {
  return changeFactors(context, personId, (factors) => afterCode(context, factors, code.trim()));
}

function afterCode(context: AccountsContext, factors: SecondFactors, code: string): FactorChange<boolean> {
  if (factors.list.length === 0) return { result: false };
  for (const factor of factors.list) {
    const used = afterTotp(context, factor, code);
    if (used === undefined) continue;
    return { next: { ...factors, list: factors.list.map((one) => (one === factor ? used : one)) }, result: true };
  }
  const digest = recoveryDigest(code);
  const recoveryCodes = factors.recoveryCodes.filter((one) => one !== digest);
  if (recoveryCodes.length === factors.recoveryCodes.length) return { result: false };
  return { next: { ...factors, recoveryCodes }, result: true };
}

/** Returns an app after the use of its code; undefined for another code, and for a passkey. */
function afterTotp(context: AccountsContext, factor: FactorDocument, code: string): FactorDocument | undefined {
  if (factor.kind !== 'totp' || !/^\d{6}$/.test(code)) return undefined;
  const secret = openedSecret(context, factor);
  const now = context.clock.now();
  const lastStep = secret === undefined ? undefined : stepOfCode(secret, code, factor.lastStep, now);
  return lastStep === undefined ? undefined : { ...factor, lastStep, lastUsedAt: new Date(now) };
}
