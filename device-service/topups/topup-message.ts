import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { formatMoney } from '../../kit/money.js';
import { enumOf } from '../../kit/wire-words.js';
import { type Topup, TopupSchema, TopupStateSchema } from '../../proto/gen/cloudphone/billing/v1/topup_pb.js';
import type { TopupDocument } from '../store/topups.js';

/** A top-up as its owner sees it. `url` is in the response that opens it, and only there. */
export function topupMessage(topup: TopupDocument, nowMs: number, url?: string): Topup {
  const { createdAt, expiresAt, paidAt } = topup;
  const expired = topup.state === 'open' && expiresAt.getTime() <= nowMs;
  const reversed = Object.values(topup.reversals ?? {}).reduce((sum, micros) => sum + micros, 0);
  return create(TopupSchema, {
    id: topup._id,
    amount: formatMoney(topup.amountMicros),
    state: enumOf(TopupStateSchema, expired ? 'expired' : topup.state),
    createdAt: timestampFromDate(createdAt),
    expiresAt: timestampFromDate(expiresAt),
    paidAt: paidAt && timestampFromDate(paidAt),
    ...(reversed > 0 && { reversed: formatMoney(reversed) }),
    url,
  });
}
