import { create } from '@bufbuild/protobuf';
import { formatMoney } from '../../../kit/text/money.js';
import { pageOfAll } from '../../../kit/call/page.js';
import { enumOf } from '../../../kit/text/wire-words.js';
import type { Caller } from '../../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import {
  type ListUsageDaysRequest,
  type ListUsageDaysResponse,
  ListUsageDaysResponseSchema,
} from '../../../proto/gen/cloudphone/billing/v1/usage_service_pb.js';
import { PlanSchema } from '../../../proto/gen/cloudphone/device/v1/device_pb.js';
import { dayOf, rangeOf, readUsage } from './read-usage.js';
import type { AccountsContext } from '../accounts-context.js';

/** Returns minutes and cost of each day of each device that the caller may see. */
export async function listUsageDays(
  context: AccountsContext,
  caller: Caller,
  request: ListUsageDaysRequest,
): Promise<ListUsageDaysResponse> {
  const range = rangeOf(request, context.clock.now());
  const rows = await readUsage(context, caller, range, ({ phoneId, day }) => `${day} ${phoneId}`);
  const { items, ...page } = pageOfAll(rows, request, ({ day, name, phoneId }) => `${day} ${name} ${phoneId}`);
  return create(ListUsageDaysResponseSchema, {
    from: dayOf(range.first),
    to: dayOf(range.last),
    days: items.map(({ day, name, plan, minutes, costMicros }) => ({
      day,
      device: name,
      plan: enumOf(PlanSchema, plan),
      minutes,
      cost: formatMoney(costMicros),
    })),
    ...page,
  });
}
