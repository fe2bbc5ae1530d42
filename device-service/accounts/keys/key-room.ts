import { ApiError } from '../../../kit/errors/api-error.js';
import { MAX_KEYS, MAX_WEBHOOKS } from '../limits.js';
import type { KeyDocument, KeyStore } from '../../store/keys.js';

/** A write that needs room in its account. */
export interface BoundedWrite<T> {
  /** Throws forbidden unless there is room, whether or not the write is already done. */
  assertRoom: () => Promise<void>;
  write: () => Promise<T>;
  undo: () => Promise<unknown>;
}

/**
 * Makes a write where there is room for it. When several writes come at the same time, all may be undone, but the bound is never
 * exceeded.
 */
export async function writeWithinRoom<T>({ assertRoom, write, undo }: BoundedWrite<T>): Promise<T> {
  await assertRoom();
  const written = await write();
  try {
    await assertRoom();
  } catch (error) {
    await undo();
    throw error;
  }
  return written;
}

/** Throws forbidden unless the account has room for the key `id`, which may be stored already. */
export async function assertRoomForKey(keys: KeyStore, accountId: string, id: string): Promise<void> {
  if ((await othersOf(keys, accountId, id)).length >= MAX_KEYS) {
    throw new ApiError(
      'forbidden',
      `The account has ${MAX_KEYS} keys, the most that are possible. Revoke one that is not used: GET /v1/keys shows when each was last used, DELETE /v1/keys/{id} revokes it.`,
    );
  }
}

/** Throws forbidden unless the key `id` of the account may have a webhook. The key may be stored already, with its webhook. */
export async function assertRoomForWebhook(keys: KeyStore, accountId: string, id: string): Promise<void> {
  const others = await othersOf(keys, accountId, id);
  if (others.filter(({ webhookUrl }) => webhookUrl !== undefined).length >= MAX_WEBHOOKS) {
    throw new ApiError(
      'forbidden',
      `webhook_url: ${MAX_WEBHOOKS} keys of the account have a webhook, the most that are possible. Take it from one of them: PATCH /v1/keys/{id} {"webhook_url": ""}.`,
    );
  }
}

/**
 * Returns the other keys of the account. Accounts of older releases may have more keys than are allowed today, so one more than the bound
 * is read. That is enough to refuse.
 */
async function othersOf(keys: KeyStore, accountId: string, id: string): Promise<KeyDocument[]> {
  const found = await keys.list({ accountId, afterId: undefined, limit: MAX_KEYS + 1 });
  return found.filter(({ _id }) => _id !== id);
}
