import { ApiError } from '../../kit/errors.js';
import { KEYS_MOST, WEBHOOKS_MOST } from '../limits.js';
import type { KeyDocument, KeyStore } from '../store/keys.js';

/** Throws forbidden unless the account has room for one more key. `id` is the new key, where it is stored already. */
export async function assertRoomForKey(keys: KeyStore, accountId: string, id?: string): Promise<void> {
  if ((await othersOf(keys, accountId, id)).length >= KEYS_MOST) {
    throw new ApiError(
      'forbidden',
      `The account has ${KEYS_MOST} keys, the most that are possible. Revoke one that is not used: GET /v1/keys shows when each was last used, DELETE /v1/keys/{id} revokes it.`,
    );
  }
}

/** Throws forbidden unless one more key of the account may have a webhook. `id` is the key, where it is stored already. */
export async function assertRoomForWebhook(keys: KeyStore, accountId: string, id?: string): Promise<void> {
  const others = await othersOf(keys, accountId, id);
  if (others.filter(({ webhookUrl }) => webhookUrl !== undefined).length >= WEBHOOKS_MOST) {
    throw new ApiError(
      'forbidden',
      `webhook_url: ${WEBHOOKS_MOST} keys of the account have a webhook, the most that are possible. Take it from one of them: PATCH /v1/keys/{id} {"webhook_url": ""}.`,
    );
  }
}

/** Accounts of older releases may have more keys than are possible today: the first of them are enough to refuse one more. */
async function othersOf(keys: KeyStore, accountId: string, id: string | undefined): Promise<KeyDocument[]> {
  const found = await keys.list({ accountId, afterId: undefined, limit: KEYS_MOST + 1 });
  return found.filter(({ _id }) => _id !== id);
}
