import { create } from '@bufbuild/protobuf';
import { formatMoney } from '../../../kit/text/money.js';
import { enumOf } from '../../../kit/text/wire-words.js';
import { ExitTypeSchema, PlanSchema } from '../../../proto/gen/cloudphone/device/v1/device_pb.js';
import { type Pool, PoolSchema } from '../../../proto/gen/cloudphone/device/v1/pool_pb.js';
import type { Prices } from '../../accounts/billing/prices.js';
import { labelsByKey } from '../../record/labels.js';
import { problemMessage } from '../../record/problem-message.js';
import type { DeviceDocument } from '../../store/devices.js';
import type { PoolDocument } from '../../store/pools.js';
import type { FleetContext } from '../fleet-context.js';
import { phonesNow } from './plan-pool.js';
import { warmDay, warmMinutes } from './warm-minutes.js';

/** Returns a pool as callers see it, with its phones as they are now. */
export async function poolMessage({ devices, prices, clock }: FleetContext, pool: PoolDocument): Promise<Pool> {
  const nowMs = clock.now();
  const now = phonesNow(await devices.pools.find(pool._id), nowMs);
  const { description, name, ready, most, problem } = pool;
  const { template, model, android, network, plan, apps, labels } = description;
  const { type, ...place } = network;
  return create(PoolSchema, {
    ...{ name, ready, most, apps, labels: labelsByKey(labels), plan: enumOf(PlanSchema, plan) },
    ...(template !== undefined && { template }),
    ...(model !== undefined && { model }),
    ...(android !== undefined && { android }),
    network: { type: enumOf(ExitTypeSchema, type), ...place },
    phones: { ready: now.ready.length, leased: now.leased.length, starting: now.starting.length },
    ...(problem !== undefined && { problem: problemMessage(problem) }),
    warm: { pricePerHour: hourPrice(prices, pool), minutesToday: minutesOf(pool, now.ready, nowMs) },
  });
}

function hourPrice({ billing, minuteMicros }: Prices, { ready, description }: PoolDocument): string {
  return formatMoney(billing && description.plan === 'minute' ? ready * 60 * minuteMicros : 0);
}

function minutesOf({ warm }: PoolDocument, ready: readonly DeviceDocument[], nowMs: number): number {
  const counted = warm !== undefined && warm.day === warmDay(nowMs) ? warm.minutes : 0;
  return ready.reduce((sum, device) => sum + warmMinutes(device, nowMs), counted);
}
