import { ApiError } from '../../kit/errors.js';
import { wordOf } from '../../kit/wire-words.js';
import { KeyScopeSchema } from '../../proto/gen/cloudphone/access/v1/key_pb.js';
import type { UpdateKeyRequest } from '../../proto/gen/cloudphone/access/v1/key_service_pb.js';
import { replaceLabels } from '../labels/replace-labels.js';
import type { KeyDocument, KeyStore } from '../store/keys.js';
import type { KeyParts } from './create-key.js';
import { assertOwnDevices, assertWebhookUrl } from './key-choices.js';
import { assertRoomForWebhook, writeWithinRoom } from './key-room.js';

/** Changes the fields of a key of the account that the request names. */
export async function updateKey(parts: KeyParts, accountId: string, request: UpdateKeyRequest): Promise<KeyDocument> {
  const { id, devices, webhookUrl } = request;
  const setsWebhook = webhookUrl !== undefined && webhookUrl !== '';
  if (setsWebhook) assertWebhookUrl(webhookUrl, parts.allowPrivateTargets);
  if (devices.length > 0) await assertOwnDevices(parts.devices, accountId, devices);
  const write = (): Promise<KeyDocument> => changeFields(parts, accountId, request);
  if (!setsWebhook) return write();
  return writeWithinRoom({
    assertRoom: () => assertRoomForWebhook(parts.keys, accountId, id),
    write,
    // An earlier webhook of the key is not put back, as another one may have its place; one that a later request set stays.
    undo: () => parts.keys.removeWebhook(accountId, id, webhookUrl),
  });
}

async function changeFields(parts: KeyParts, accountId: string, request: UpdateKeyRequest): Promise<KeyDocument> {
  const { id, name, scope, devices, webhookUrl, labels } = request;
  if (Object.keys(labels).length > 0) await changeKeyLabels(parts.keys, accountId, id, labels);
  const changed = await parts.keys.change(accountId, id, {
    ...(name !== undefined && { name }),
    ...(scope !== undefined && { scope: wordOf(KeyScopeSchema, scope) as KeyDocument['scope'] }),
    ...(devices.length > 0 && { devices }),
    ...(webhookUrl !== undefined && { webhookUrl: webhookUrl === '' ? null : webhookUrl }),
  });
  if (changed === null) throw noSuchKey(id);
  parts.forgetCallers();
  return changed;
}

/** A write of its own, before the others: after a crash between them the labels alone are changed, and the caller makes the change again. */
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

/** Revokes a key for good; of `accountId` when that is given. It is refused from here on, wherever it is used. */
export async function revokeKey(parts: KeyParts, id: string, accountId?: string): Promise<void> {
  if (!(await parts.keys.revoke(id, new Date(parts.clock.now()), accountId))) throw noSuchKey(id);
  parts.forgetCallers();
}

function noSuchKey(id: string): ApiError {
  return new ApiError('not_found', `There is no key "${id}". GET /v1/keys lists those that are good.`);
}
