import fresh from 'fresh';
import type { ServiceImpl } from '@connectrpc/connect';
import { ApiError } from '../../../kit/errors/api-error.js';
import { pageOfAll } from '../../../kit/call/page.js';
import { callerOf, callOf } from '../../../kit/rpc/context.js';
import type { AppService } from '../../../proto/gen/cloudphone/device/v1/app_service_pb.js';
import { acceptInstall, acceptUninstall } from '../apps/change-apps.js';
import { uploadApk } from '../apps/upload-apk.js';
import { listApps } from '../apps/list-apps.js';
import { jobOf } from '../../record/job-message.js';
import type { DevicesContext } from '../devices-context.js';

/** Adapts the catalogue, and the apps on a phone, to their rpcs. */
export function appRpc(parts: DevicesContext): ServiceImpl<typeof AppService> {
  const { catalogue } = parts;
  return {
    listCatalogue: async (request) => {
      const { items, ...page } = pageOfAll(await catalogue.list(), request, ({ app }) => app);
      const apps = items.map(({ app, package: name, name: label, version, sizeBytes, icon }) => ({
        ...{ app, package: name, name: label, version, size: sizeBytes },
        icon: icon && `/v1/apps/${app}/icon`,
      }));
      return { apps, ...page };
    },
    getAppIcon: async ({ app, ifNoneMatch }) => {
      const entry = await catalogue.find(app);
      if (entry === undefined) throw new ApiError('not_found', `There is no app "${app}" in the catalogue.`);
      const { icon } = entry;
      if (icon === undefined) throw new ApiError('not_found', `The app "${app}" has no icon that is a picture.`);
      if (fresh({ 'if-none-match': ifNoneMatch }, { etag: icon.etag }))
        return { icon: { etag: icon.etag, notModified: true } };
      return { icon };
    },
    listApps: async (request, context) => {
      const { items, ...page } = await listApps(parts, callerOf(context), request, context.signal);
      return { apps: items, ...page };
    },
    installApp: async ({ name, app }, context) => ({
      job: jobOf(await acceptInstall(parts, callerOf(context), name, app)),
    }),
    uploadApk: async (messages, context) => ({
      job: await uploadApk(parts, callerOf(context), messages, callOf(context)),
    }),
    uninstallApp: async ({ name, package: packageName }, context) => ({
      job: jobOf(await acceptUninstall(parts, callerOf(context), name, packageName, context.signal)),
    }),
  };
}
