import { ApiError } from '../../../kit/errors/api-error.js';
import type { JobApp } from '../../store/job-work.js';
import type { DevicesContext } from '../devices-context.js';
import { MAX_NEW_DEVICE_APPS } from '../limits.js';
import { chooseApp } from './choose-app.js';

/**
 * Returns the apps that a new device gets once it runs, as a member of its job. Throws bad_request when one does not exist, and when the
 * device is not started. Without apps the member is absent.
 */
export async function newDeviceApps(
  context: Pick<DevicesContext, 'catalogue' | 'library'>,
  accountId: string,
  apps: readonly string[],
  { start }: { start: boolean },
): Promise<{ apps?: JobApp[] }> {
  if (apps.length === 0) return {};
  if (!start) {
    throw new ApiError(
      'bad_request',
      'apps: they are installed on a phone that runs, so they cannot be sent with start false. Leave start out, or install them later: POST /v1/devices/{name}/apps.',
    );
  }
  if (apps.length > MAX_NEW_DEVICE_APPS) {
    throw new ApiError('bad_request', `apps: a new device gets at most ${MAX_NEW_DEVICE_APPS} apps.`);
  }
  const chosen: JobApp[] = [];
  for (const app of apps) chosen.push(await chooseApp(context, accountId, app, 'apps'));
  return { apps: chosen };
}
