import type { ServiceImpl } from '@connectrpc/connect';
import { callerOf, callOf } from '../../../kit/rpc/context.js';
import type { LibraryService } from '../../../proto/gen/cloudphone/device/v1/library_service_pb.js';
import { deleteLibraryApp, getLibraryApp, listLibraryApps } from '../library/library-apps.js';
import { putLibraryApp } from '../library/put-app.js';
import type { DevicesContext } from '../devices-context.js';

/** Adapts the operations of the app library to their rpcs. */
export function libraryRpc(parts: DevicesContext): ServiceImpl<typeof LibraryService> {
  return {
    putLibraryApp: async (messages, context) => ({
      app: await putLibraryApp(parts, callerOf(context), messages, callOf(context)),
    }),
    listLibraryApps: async (request, context) => {
      const { items, ...page } = await listLibraryApps(parts, callerOf(context), request);
      return { apps: items, ...page };
    },
    getLibraryApp: async ({ name }, context) => ({ app: await getLibraryApp(parts, callerOf(context), name) }),
    deleteLibraryApp: async ({ name }, context) => {
      await deleteLibraryApp(parts, callerOf(context), name);
      return {};
    },
  };
}
