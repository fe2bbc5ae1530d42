import { cutPage, pageOf } from '../../../kit/call/page.js';
import { creatorOf, seesAll } from '../../../kit/rpc/may-see.js';
import type { Caller } from '../../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { type GetHealthRequest, HealthStatus } from '../../../proto/gen/cloudphone/device/v1/health_service_pb.js';
import { seenBy } from '../../accounts/callers/visibility.js';
import { MAX_POOLS } from '../limits.js';
import type { DeviceDocument } from '../../store/devices.js';
import type { PoolStore } from '../../store/pools.js';
import type { DevicesContext } from '../devices-context.js';
import { problemMessage } from '../../record/problem-message.js';

/** Returns the health of the caller's devices: those with a problem first, then by name. The first page has the troubled pools too. */
export async function getHealth(
  { devices, pools }: Pick<DevicesContext, 'devices' | 'pools'>,
  caller: Caller,
  request: GetHealthRequest,
) {
  const { limit, after = '' } = pageOf(request);
  const seen = seenBy(caller);
  const find = (problem: boolean, afterName: string, most: number): Promise<DeviceDocument[]> =>
    devices.list({ accountId: caller.accountId, problem, afterName, limit: most, seen });
  const troubled = after.startsWith(WELL) ? [] : await find(true, after.slice(TROUBLED.length), limit + 1);
  const missing = limit + 1 - troubled.length;
  const well = missing > 0 ? await find(false, after.startsWith(WELL) ? after.slice(WELL.length) : '', missing) : [];
  // A later page may have no devices with problems, because the pages before it had them. Then the database is searched for one.
  const isWell = troubled.length === 0 && (after === '' || (await find(true, '', 1)).length === 0);
  const lacking = await poolsWithProblem(pools, caller);
  const { items, ...page } = cutPage([...troubled, ...well], limit, keyOf);
  return {
    status: isWell && lacking.length === 0 ? HealthStatus.OK : HealthStatus.PROBLEM,
    devices: items.map(({ name, problem }) => ({
      device: name,
      status: problem === undefined ? HealthStatus.OK : HealthStatus.PROBLEM,
      problem: problem && problemMessage(problem),
    })),
    pools: after === '' ? lacking : [],
    ...page,
  };
}

/** Returns the pools that the caller may use and that do not have their number of phones, by name. */
async function poolsWithProblem(pools: PoolStore, caller: Caller) {
  const createdBy = seesAll(caller) ? undefined : creatorOf(caller);
  const all = await pools.list({ accountId: caller.accountId, createdBy, limit: MAX_POOLS });
  return all.flatMap(({ name: pool, problem }) =>
    problem === undefined ? [] : [{ pool, problem: problemMessage(problem) }],
  );
}

/** Beginnings of the sort keys of the two kinds of devices. */
const TROUBLED = 'problem ';
const WELL = 'well ';

function keyOf({ name, problem }: DeviceDocument): string {
  return `${problem === undefined ? WELL : TROUBLED}${name}`;
}
