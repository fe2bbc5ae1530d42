import { createId } from '../../../kit/text/ids.js';
import { changedLabels } from '../../record/labels.js';
import type { KeyDocument } from '../../store/keys.js';
import { assertOwnDevices, assertWebhookUrl } from './key-choices.js';
import { assertRoomForKey, assertRoomForWebhook, writeWithinRoom } from './key-room.js';
import { createKeyText, keyDigest, keyPrefix } from '../callers/key-text.js';
import type { AccountsContext } from '../accounts-context.js';

/** Makes a key. Its text is returned here and stored nowhere. Throws forbidden when the account has too many keys. */
export async function createKey(
  { keys, devices, clock, allowPrivateTargets }: AccountsContext,
  accountId: string,
  /** The member that makes it. Undefined: the operator does, and the key belongs to the account. */
  memberId: string | undefined,
  choice: {
    name: string;
    scope: 'read' | 'control';
    devices: readonly string[];
    webhookUrl?: string | undefined;
    labels?: Readonly<Record<string, string>>;
  },
): Promise<{ key: KeyDocument; text: string }> {
  if (choice.webhookUrl !== undefined) assertWebhookUrl(choice.webhookUrl, allowPrivateTargets);
  await assertOwnDevices(devices, accountId, choice.devices);
  const text = createKeyText();
  const labels = changedLabels([], choice.labels ?? {});
  const key: KeyDocument = {
    _id: createId('key', clock.now()),
    accountId,
    name: choice.name,
    scope: choice.scope,
    devices: [...choice.devices],
    ...(memberId !== undefined && { memberId }),
    prefix: keyPrefix(text),
    ...(labels.length > 0 && { labels }),
    ...(choice.webhookUrl !== undefined && { webhookUrl: choice.webhookUrl }),
    createdAt: new Date(clock.now()),
  };
  await writeWithinRoom({
    assertRoom: async () => {
      await assertRoomForKey(keys, accountId, key._id);
      if (key.webhookUrl !== undefined) await assertRoomForWebhook(keys, accountId, key._id);
    },
    write: () => keys.insert({ ...key, digest: keyDigest(text) }),
    undo: () => keys.revoke(key._id, new Date(clock.now())),
  });
  return { key, text };
}
