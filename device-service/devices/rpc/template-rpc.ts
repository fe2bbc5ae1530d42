import type { ServiceImpl } from '@connectrpc/connect';
import { callerOf } from '../../../kit/rpc/context.js';
import type { TemplateService } from '../../../proto/gen/cloudphone/device/v1/template_service_pb.js';
import { jobOf } from '../../record/job-message.js';
import type { DevicesContext } from '../devices-context.js';
import { acceptTemplate } from '../templates/create-template.js';
import { deleteTemplate } from '../templates/delete-template.js';
import { findTemplate, listTemplates, templateMessage } from '../templates/templates.js';

/** Adapts the operations of templates to their rpcs. */
export function templateRpc(parts: DevicesContext): ServiceImpl<typeof TemplateService> {
  return {
    createTemplate: async (request, context) => {
      const { device, template } = await acceptTemplate(parts, callerOf(context), request);
      return { job: jobOf(device), template: templateMessage(template) };
    },
    listTemplates: async (request, context) => {
      const { items, ...page } = await listTemplates(parts, callerOf(context), request);
      return { templates: items, ...page };
    },
    getTemplate: async ({ name }, context) => ({
      template: templateMessage(await findTemplate(parts, callerOf(context), name)),
    }),
    deleteTemplate: async ({ name }, context) => {
      await deleteTemplate(parts, callerOf(context), name);
      return {};
    },
  };
}
