import { create } from '@bufbuild/protobuf';
import { formatMoney } from '../../../kit/text/money.js';
import { pageOfAll } from '../../../kit/call/page.js';
import { enumOf } from '../../../kit/text/wire-words.js';
import type { Caller } from '../../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import {
  type GetUsageRequest,
  type GetUsageResponse,
  GetUsageResponseSchema,
} from '../../../proto/gen/cloudphone/billing/v1/usage_service_pb.js';
import { PlanSchema } from '../../../proto/gen/cloudphone/device/v1/device_pb.js';
import { dayOf, rangeOf, readUsage } from './read-usage.js';
import type { AccountsContext } from '../accounts-context.js';

/**
 * Returns minutes and cost of each device that the caller may see, summed from the ledger and the minutes that have just begun. The
 * total includes the devices of all pages.
 */
export async function getUsage(
  context: AccountsContext,
  caller: Caller,
  request: GetUsageRequest,
): Promise<GetUsageResponse> {
  const range = rangeOf(request, context.clock.now());
  const devices = await readUsage(context, caller, range, ({ phoneId }) => phoneId);
  const sum = (of: (row: (typeof devices)[number]) => number): number => devices.reduce((all, row) => all + of(row), 0);
  const { items, ...page } = pageOfAll(devices, request, ({ name, phoneId }) => `${name} ${phoneId}`);
  return create(GetUsageResponseSchema, {
    from: dayOf(range.first),
    to: dayOf(range.last),
    devices: items.map(({ name, plan, minutes, costMicros }) => ({
      device: name,
      plan: enumOf(PlanSchema, plan),
      minutes,
      cost: formatMoney(costMicros),
    })),
    total: { minutes: sum(({ minutes }) => minutes), cost: formatMoney(sum(({ costMicros }) => costMicros)) },
    ...page,
  });
}
