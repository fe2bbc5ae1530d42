import { parseUrl } from '../../../kit/text/parse-url.js';
import { ApiError } from '../../../kit/errors/api-error.js';
import { createId } from '../../../kit/text/ids.js';
import type { KeyedLock } from '../../../kit/async/keyed-lock.js';
import { CENT_MICROS, formatMoney, parseMoney } from '../../../kit/text/money.js';
import { MIN_TOPUP_MICROS, MAX_TOPUP_MICROS } from '../billing/prices.js';
import type { TopupDocument, TopupStore } from '../../store/topups.js';
import type { AccountsContext } from '../accounts-context.js';

/** How long a page of payment stays open, ms. Stripe allows 30 minutes to 24 hours. */
const OPEN_MS = 2 * 3_600_000;

/**
 * Top-ups that an account may open within an hour. The number is our choice: each top-up costs calls at the provider, which has limits too.
 * One process keeps the bound exactly. Several processes together may exceed it when they open top-ups at the same moment.
 */
const MAX_TOPUPS_AN_HOUR = 20;

/**
 * Opens a top-up and its page of payment. A crash in between leaves a top-up whose page was never returned, and which expires. Nothing is
 * charged before a payment on that page.
 */
export async function openTopup(
  { topups, payments, clock }: AccountsContext,
  opening: KeyedLock,
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
  if (good && micros >= MIN_TOPUP_MICROS && micros <= MAX_TOPUP_MICROS) return micros;
  const bounds = `${formatMoney(MIN_TOPUP_MICROS)} to ${formatMoney(MAX_TOPUP_MICROS)}`;
  throw new ApiError('bad_request', `amount: "${text}" is not an amount of USD in whole cents, ${bounds}`);
}

async function assertFew(topups: TopupStore, accountId: string, nowMs: number): Promise<void> {
  const last = await topups.list(accountId, MAX_TOPUPS_AN_HOUR);
  const againMs = (last[MAX_TOPUPS_AN_HOUR - 1]?.createdAt.getTime() ?? -Infinity) + 3_600_000 - nowMs;
  if (againMs <= 0) return;
  throw new ApiError('rate_limited', `More than ${MAX_TOPUPS_AN_HOUR} top-ups within an hour. Try again later.`, {
    retryAfterS: Math.ceil(againMs / 1000),
  });
}

/** Parses the URL of a request, whose syntax was checked by RFC 3986 before. Browsers accept fewer URLs than that. */
function urlOf(text: string): URL {
  const url = parseUrl(text);
  if (url !== undefined) return url;
  throw new ApiError('bad_request', `return_url: "${text}" is not a URL that a browser can go to`);
}
