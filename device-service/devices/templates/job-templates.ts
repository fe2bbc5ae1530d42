import { SharedWork } from '../../../kit/async/shared-work.js';
import { within } from '../../../kit/async/within.js';
import { type OperationOptions, type PhoneDriver, PhoneFailure } from '../../../phone/driver.js';
import type { DeviceDocument } from '../../store/devices.js';
import type { TemplateDocument } from '../../store/templates.js';
import type { DevicesContext } from '../devices-context.js';
import { JobFailure } from '../jobs/job-failure.js';
import { STEP_MS } from '../limits.js';
import { hostLimit } from '../phones/host-limit.js';
import { snapshotsOf } from '../phones/phone-drivers.js';
import { removeSavedFiles } from '../phones/remove-saved-files.js';

export type JobTemplates = ReturnType<typeof jobTemplates>;

/** Returns the steps of jobs that concern templates, other than the driver's steps. Each may be repeated, as after a crash. */
export function jobTemplates(
  context: Pick<DevicesContext, 'templates' | 'templateCopies' | 'drivers' | 'clock' | 'log'>,
) {
  const { templates, templateCopies, clock } = context;
  const checks = new SharedWork();
  return {
    /**
     * Returns the template that a device is made from. Throws JobFailure where it is not ready any more. A deletion that comes from here on
     * finds the job, and is refused.
     */
    find: async ({ job }: DeviceDocument): Promise<TemplateDocument> => {
      const template = await templates.find(job?.template ?? '');
      if (template?.state === 'ready') return template;
      const message = 'The template was deleted or lost before the job began. Delete the device, and choose another.';
      throw new JobFailure({ error: 'not_found', message });
    },
    /** Gets the files of a template that this host lacks. */
    fetch: (template: TemplateDocument, driver: PhoneDriver, options: OperationOptions): Promise<void> =>
      templateCopies.fetch(template, driver, options),
    /**
     * Throws JobFailure unless the template is as it was saved. Jobs that ask at the same time share one check, as each reads the whole
     * template. The time is that of the check, so that no job joins one that hangs for ever.
     */
    assertWhole: async ({ _id, name }: TemplateDocument, driver: PhoneDriver, signal: AbortSignal): Promise<void> => {
      try {
        await checks.join(_id, { signal }, (shared) =>
          within(hostLimit(clock, STEP_MS.check, shared.signal), (limited) =>
            snapshotsOf(driver).check(_id, { signal: limited }),
          ),
        );
      } catch (error) {
        if (!(error instanceof PhoneFailure)) throw error;
        const message = `The template "${name}" cannot be used: ${error.message}`;
        throw new JobFailure({ error: 'unavailable', message }, undefined, { cause: error });
      }
    },
    /** Records that a device's job failed to save its template. */
    workFailed: async (
      { driver }: Pick<DeviceDocument, 'driver'>,
      templateId: string,
      signal: AbortSignal,
    ): Promise<void> => {
      await templates.fail(templateId);
      await removeSavedFiles(context, { _id: templateId, driver }, signal);
    },
  };
}
