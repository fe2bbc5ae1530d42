import type { Clock } from '../../kit/clock.js';
import { createId } from '../../kit/ids.js';
import type { RelayLimits } from '../limits.js';
import type { RelayDocument, RelayStore } from '../store/relays.js';
import { isLoginCode } from './login-code.js';

/**
 * `wrong`: and more may be tried. `last wrong`: it was the last that the window allows. `full`: not checked, as there were too many
 * before it. `off`: the relay is not on any more, or was enabled again.
 */
export type CodeCheck = 'right' | 'wrong' | 'last wrong' | 'full' | 'off';

/**
 * Checks a login code. The check is reserved in the database before the code is compared, and removed when it was right, so that no
 * crash, restart or second instance makes one too many; a crash in between costs one.
 */
export async function checkCode(
  parts: { clock: Clock; limits: RelayLimits; store: RelayStore },
  relay: RelayDocument,
  code: string,
): Promise<CodeCheck> {
  const { clock, limits, store } = parts;
  const at = new Date(clock.now());
  const check = { id: createId('chk', at.getTime()), at };
  const since = new Date(at.getTime() - limits.wrongCodesWindowMs);
  const reserved = await store.reserveCheck(relay, check, { most: limits.wrongCodesPerWindow, since });
  if (reserved === 'off' || reserved === 'full') return reserved;
  if (isLoginCode(code, reserved.codeDigest)) {
    await store.forgetCheck(relay, check.id);
    return 'right';
  }
  const oldest = reserved.checks[0];
  const isFull = reserved.checks.length >= limits.wrongCodesPerWindow && oldest !== undefined && oldest.at > since;
  return isFull ? 'last wrong' : 'wrong';
}
