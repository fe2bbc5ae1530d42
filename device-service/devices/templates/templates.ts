import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { readPage } from '../../../kit/call/page.js';
import { ApiError } from '../../../kit/errors/api-error.js';
import { enumOf } from '../../../kit/text/wire-words.js';
import type { Caller } from '../../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import {
  type Template,
  TemplateSchema,
  TemplateStateSchema,
} from '../../../proto/gen/cloudphone/device/v1/template_pb.js';
import type { ListTemplatesRequest } from '../../../proto/gen/cloudphone/device/v1/template_service_pb.js';
import type { TemplateDocument } from '../../store/templates.js';
import type { DevicesContext } from '../devices-context.js';

/** How many characters of a name an error repeats; no template has a longer name. */
const MAX_SHOWN_CHARS = 40;

/** A template as callers see it. */
export function templateMessage(template: TemplateDocument): Template {
  const { _id: id, name, model, android, state, sizeBytes = 0, createdAt } = template;
  return create(TemplateSchema, {
    ...{ id, name, model, android, size: sizeBytes },
    createdAt: timestampFromDate(createdAt),
    state: enumOf(TemplateStateSchema, state),
  });
}

/** The templates of the caller's account, by name. */
export async function listTemplates(
  { templates }: DevicesContext,
  { accountId }: Caller,
  request: ListTemplatesRequest,
): Promise<{ items: Template[]; nextCursor?: string }> {
  const { items, ...page } = await readPage(
    request,
    (limit, afterName) => templates.list(accountId, limit, afterName),
    ({ name }) => name,
  );
  return { items: items.map(templateMessage), ...page };
}

/** Returns the template of a name. Throws an error of `kind` where the caller's account has none. */
export async function findTemplate(
  { templates }: Pick<DevicesContext, 'templates'>,
  { accountId }: Pick<Caller, 'accountId'>,
  name: string,
  kind: 'not_found' | 'bad_request' = 'not_found',
): Promise<TemplateDocument> {
  const template = await templates.findByName(accountId, name);
  if (template !== null) return template;
  const shown = name.length > MAX_SHOWN_CHARS ? `${name.slice(0, MAX_SHOWN_CHARS)}…` : name;
  const field = kind === 'bad_request' ? 'template: ' : '';
  throw new ApiError(kind, `${field}There is no template "${shown}". GET /v1/templates lists those that there are.`);
}

/** Throws unless phones can be made from the template. */
export function assertTemplateReady({ name, state, jobId }: TemplateDocument): void {
  if (state === 'saving') {
    throw new ApiError(
      'busy',
      `The template "${name}" is still being saved. Wait for its job: GET /v1/jobs/${jobId}?wait_s=30.`,
    );
  }
  if (state !== 'ready') {
    const message = `The template "${name}" failed, or was lost with its host, so there is nothing in it. Delete it.`;
    throw new ApiError('bad_request', message);
  }
}
