import type { Clock } from '../../kit/async/clock.js';
import { createId } from '../../kit/text/ids.js';
import type { RelayLimits } from '../limits.js';
import type { RelayDocument, RelayStore } from '../store/relays.js';
import { isLoginCode } from './login-code.js';

/**
 * `wrong`: the code is wrong, and more codes may be tried. `last wrong`: the code is wrong, and the window allows no more. `full`: the code
 * was not checked, as the window's checks were used up. `off`: the relay is not on any more, or was enabled again.
 */
export type CodeCheck = 'right' | 'wrong' | 'last wrong' | 'full' | 'off';

/**
 * Checks a login code. The check is reserved in the database before the code is compared, and removed when the code was right. So no crash,
 * restart or second instance allows one check too many. After a crash in between, the check counts as wrong.
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
