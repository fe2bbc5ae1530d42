import { parseUrl } from '../../kit/parse-url.js';
import type { Clock } from '../../kit/clock.js';
import { ApiError } from '../../kit/errors.js';
import { createId } from '../../kit/ids.js';
import type { KeyedLock } from '../../kit/keyed-lock.js';
import { CENT_MICROS, formatMoney, parseMoney } from '../../kit/money.js';
import { LEAST_TOPUP_MICROS, MOST_TOPUP_MICROS } from '../billing/prices.js';
import type { TopupDocument, TopupStore } from '../store/topups.js';
import type { Payments } from './payments.js';

export interface OpenTopupParts {
  topups: TopupStore;
  /** Absent: credit cannot be bought online. */
  payments: Payments | undefined;
  /** By account, so that simultaneous requests are counted one by one. */
  opening: KeyedLock;
  clock: Clock;
}

/** How long a page of payment stays open, ms. Stripe takes 30 minutes to 24 hours. */
const OPEN_MS = 2 * 3_600_000;

/**
 * Top-ups that an account may open within an hour. Ours: each costs calls at the provider, which has limits too. It is exact in one
 * process; several that open at the very same moment do not see each other's last one.
 */
const MOST_AN_HOUR = 20;

/**
 * Opens a top-up and its page of payment. A crash in between leaves a top-up whose page was never returned, and which expires; nothing is
 * charged before a payment there.
 */
export async function openTopup(
  { topups, payments, opening, clock }: OpenTopupParts,
  accountId: string,
  request: { amount: string; returnUrl: string },
): Promise<{ topup: TopupDocument; url: string }> {
  if (payments === undefined) throw notOnline();
  const amountMicros = amountOf(request.amount);
  const back = urlOf(request.returnUrl);
  const nowMs = clock.now();
  const topup: TopupDocument = {
    _id: createId('top', nowMs),
    accountId,
    amountMicros,
    state: 'open',
    createdAt: new Date(nowMs),
    expiresAt: new Date(nowMs + OPEN_MS),
  };
  await opening.run(accountId, async () => {
    await assertFew(topups, accountId, nowMs);
    await topups.insert(topup);
  });
  const { _id: topupId, expiresAt } = topup;
  back.searchParams.set('topup', topupId);
  const url = await payments.openPage({ topupId, amountMicros, expiresAt, returnUrl: back.href });
  return { topup, url };
}

export function notOnline(): ApiError {
  return new ApiError('forbidden', 'Credit cannot be bought online here. Ask the operator for credit.');
}

function amountOf(text: string): number {
  const micros = parseMoney(text);
  const good = micros !== undefined && micros % CENT_MICROS === 0;
  if (good && micros >= LEAST_TOPUP_MICROS && micros <= MOST_TOPUP_MICROS) return micros;
  const bounds = `${formatMoney(LEAST_TOPUP_MICROS)} to ${formatMoney(MOST_TOPUP_MICROS)}`;
  throw new ApiError('bad_request', `amount: "${text}" is not an amount of USD in whole cents, ${bounds}`);
}

async function assertFew(topups: TopupStore, accountId: string, nowMs: number): Promise<void> {
  const last = await topups.list(accountId, MOST_AN_HOUR);
  const againMs = (last[MOST_AN_HOUR - 1]?.createdAt.getTime() ?? -Infinity) + 3_600_000 - nowMs;
  if (againMs <= 0) return;
  throw new ApiError('rate_limited', `More than ${MOST_AN_HOUR} top-ups within an hour. Try again later.`, {
    retryAfterS: Math.ceil(againMs / 1000),
  });
}

/** Browsers accept fewer URLs than RFC 3986 allows, and only its syntax was checked before. */
function urlOf(text: string): URL {
  const url = parseUrl(text);
  if (url !== undefined) return url;
  throw new ApiError('bad_request', `return_url: "${text}" is not a URL that a browser can go to`);
}
