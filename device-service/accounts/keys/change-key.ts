import { ApiError } from '../../../kit/errors/api-error.js';
import { wordOf } from '../../../kit/text/wire-words.js';
import { KeyScopeSchema } from '../../../proto/gen/cloudphone/access/v1/key_pb.js';
import type { UpdateKeyRequest } from '../../../proto/gen/cloudphone/access/v1/key_service_pb.js';
import { replaceLabels } from '../../record/replace-labels.js';
import type { KeyChange, KeyDocument, KeyStore } from '../../store/keys.js';
import { visibleChoice } from './visible-choice.js';
import { allowChoice, assertRate, assertWebhookUrl } from './key-choices.js';
import { assertExpiry, expiryOf } from './key-expiry.js';
import { assertRoomForWebhook, writeWithinRoom } from './key-room.js';
import type { AccountsContext } from '../accounts-context.js';

/** Changes a key of the account: only the fields that the request sets. */
export async function updateKey(
  context: AccountsContext,
  accountId: string,
  request: UpdateKeyRequest,
): Promise<KeyDocument> {
  const { id, webhookUrl } = request;
  const setsWebhook = webhookUrl !== undefined && webhookUrl !== '';
  if (setsWebhook) assertWebhookUrl(webhookUrl, context.allowPrivateTargets);
  const change = await changeOf(context, accountId, request);
  const write = (): Promise<KeyDocument> => changeFields(context, accountId, request, change);
  if (!setsWebhook) return write();
  return writeWithinRoom({
    assertRoom: () => assertRoomForWebhook(context.keys, accountId, id),
    write,
    // The undo removes this webhook, and leaves a webhook that a later request set. The webhook that the key had before is not put back:
    // another key may have taken its room in the account.
    undo: () => context.keys.removeWebhook(accountId, id, webhookUrl),
  });
}

/** Returns the fields that the request sets or removes. Throws bad_request for a value that a key cannot have. */
async function changeOf(
  { devices, clock, maxKeyRequests }: AccountsContext,
  accountId: string,
  request: UpdateKeyRequest,
): Promise<KeyChange> {
  const { name, scope, webhookUrl, requestsPerMinute, allow } = request;
  const visible = await visibleChoice(devices, accountId, request);
  const expiresAt = request.expiresAt === undefined ? undefined : expiryOf(request.expiresAt);
  if (expiresAt instanceof Date) assertExpiry(expiresAt, clock.now());
  if (requestsPerMinute !== undefined) assertRate(requestsPerMinute, maxKeyRequests);
  return {
    ...(name !== undefined && { name }),
    ...(scope !== undefined && { scope: wordOf(KeyScopeSchema, scope) as KeyDocument['scope'] }),
    ...(visible !== undefined && { devices: visible.devices, devicesLabel: visible.devicesLabel ?? null }),
    ...(webhookUrl !== undefined && { webhookUrl: webhookUrl === '' ? null : webhookUrl }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(allow.length > 0 && { allow: allowChoice(allow) ?? null }),
    ...(requestsPerMinute !== undefined && { requestsPerMinute: requestsPerMinute === 0 ? null : requestsPerMinute }),
  };
}

async function changeFields(
  context: AccountsContext,
  accountId: string,
  { id, labels }: UpdateKeyRequest,
  change: KeyChange,
): Promise<KeyDocument> {
  if (Object.keys(labels).length > 0) await changeKeyLabels(context.keys, accountId, id, labels);
  const changed = await context.keys.change(accountId, id, change);
  if (changed === null) throw noSuchKey(id);
  context.forgetCallers();
  return changed;
}

/**
 * Writes the labels before the other fields, in a separate write. After a crash between the two writes, only the labels are changed, and
 * the caller sends the request again.
 */
async function changeKeyLabels(
  keys: KeyStore,
  accountId: string,
  id: string,
  change: Readonly<Record<string, string>>,
): Promise<void> {
  const read = async (): Promise<KeyDocument> => {
    const key = await keys.findValid(accountId, id);
    if (key === null) throw noSuchKey(id);
    return key;
  };
  await replaceLabels({ name: `"${id}"`, read, replace: (key, labels) => keys.replaceLabels(key, labels) }, change);
}

/** Revokes a key for good: the key is refused everywhere from then on. With `accountId`, the key must belong to that account. */
export async function revokeKey(context: AccountsContext, id: string, accountId?: string): Promise<void> {
  if (!(await context.keys.revoke(id, new Date(context.clock.now()), accountId))) throw noSuchKey(id);
  context.forgetCallers();
}

/** Throws not_found for a key that another member made, as for one that does not exist. `memberId` undefined: any key of the account will do. */
export async function assertOwnKey(
  keys: KeyStore,
  accountId: string,
  id: string,
  memberId: string | undefined,
): Promise<void> {
  if (memberId !== undefined && (await keys.findValid(accountId, id))?.memberId !== memberId) throw noSuchKey(id);
}

function noSuchKey(id: string): ApiError {
  return new ApiError('not_found', `There is no key "${id}". GET /v1/keys lists those that are good.`);
}
