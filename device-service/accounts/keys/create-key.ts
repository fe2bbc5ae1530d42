import { ApiError } from '../../../kit/errors/api-error.js';
import { createId } from '../../../kit/text/ids.js';
import { changedLabels } from '../../record/labels.js';
import type { KeyDocument } from '../../store/keys.js';
import { visibleChoice } from './visible-choice.js';
import { allowChoice, assertRate, assertWebhookUrl } from './key-choices.js';
import { assertExpiry } from './key-expiry.js';
import { assertRoomForKey, assertRoomForWebhook, writeWithinRoom } from './key-room.js';
import { createKeyText, keyDigest, keyPrefix } from '../callers/key-text.js';
import type { AccountsContext } from '../accounts-context.js';

/** What the maker of a key chooses. */
export interface KeyChoice {
  name: string;
  scope: 'read' | 'control';
  devices: readonly string[];
  devicesLabel?: string | undefined;
  webhookUrl?: string | undefined;
  labels?: Readonly<Record<string, string>>;
  expiresAt?: Date | undefined;
  allow?: readonly string[];
  requestsPerMinute?: number | undefined;
}

/** Makes a key. Its text is returned here and stored nowhere. Throws forbidden when the account has too many keys. */
export async function createKey(
  { keys, devices, clock, allowPrivateTargets, maxKeyRequests }: AccountsContext,
  accountId: string,
  /** The member that makes it. Undefined: the operator does, and the key belongs to the account. */
  memberId: string | undefined,
  choice: KeyChoice,
): Promise<{ key: KeyDocument; text: string }> {
  if (choice.webhookUrl !== undefined) assertWebhookUrl(choice.webhookUrl, allowPrivateTargets);
  const { expiresAt, requestsPerMinute } = choice;
  if (expiresAt !== undefined) assertExpiry(expiresAt, clock.now());
  if (requestsPerMinute !== undefined) assertRate(requestsPerMinute, maxKeyRequests);
  const allow = choice.allow === undefined || choice.allow.length === 0 ? undefined : allowChoice(choice.allow);
  const visible = await visibleChoice(devices, accountId, choice);
  if (visible === undefined)
    throw new ApiError('bad_request', 'devices is missing: send names of devices, ["*"], or {"label": "team=qa"}.');
  const text = createKeyText();
  const labels = changedLabels([], choice.labels ?? {});
  const key: KeyDocument = {
    _id: createId('key', clock.now()),
    accountId,
    name: choice.name,
    scope: choice.scope,
    ...visible,
    ...(memberId !== undefined && { memberId }),
    prefix: keyPrefix(text),
    ...(labels.length > 0 && { labels }),
    ...(choice.webhookUrl !== undefined && { webhookUrl: choice.webhookUrl }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(allow !== undefined && { allow }),
    ...(requestsPerMinute !== undefined && { requestsPerMinute }),
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
