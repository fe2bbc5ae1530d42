import type { ServiceImpl } from '@connectrpc/connect';
import { readPage } from '../../../kit/call/page.js';
import { callerOf } from '../../../kit/rpc/context.js';
import { creatorOf, seesAll } from '../../../kit/rpc/may-see.js';
import type { PoolService } from '../../../proto/gen/cloudphone/device/v1/pool_service_pb.js';
import type { FleetContext } from '../fleet-context.js';
import { findUsablePool } from '../pools/find-pool.js';
import { poolMessage } from '../pools/pool-message.js';
import { deletePool, putPool } from '../pools/put-pool.js';

/** Adapts the operations of pools to their rpcs. */
export function poolRpc(parts: FleetContext): ServiceImpl<typeof PoolService> {
  return {
    putPool: async (request, context) => ({
      pool: await poolMessage(parts, await putPool(parts, callerOf(context), request)),
    }),
    listPools: async (request, context) => {
      const caller = callerOf(context);
      const { accountId } = caller;
      const createdBy = seesAll(caller) ? undefined : creatorOf(caller);
      const { items, ...page } = await readPage(
        request,
        (limit, afterName) => parts.pools.list({ accountId, createdBy, limit, afterName }),
        ({ name }) => name,
      );
      return { pools: await Promise.all(items.map((pool) => poolMessage(parts, pool))), ...page };
    },
    getPool: async ({ name }, context) => ({
      pool: await poolMessage(parts, await findUsablePool(parts, callerOf(context), name)),
    }),
    deletePool: async ({ name }, context) => {
      await deletePool(parts, callerOf(context), name);
      return {};
    },
  };
}
