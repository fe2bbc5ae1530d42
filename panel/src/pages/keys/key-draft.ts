import type { Schemas } from '../../api/client.ts';
import { labelChanges } from '../../parts/label-changes.ts';
import type { LabelsByKey } from '../../parts/labels.tsx';
import { ALL_PHONES, devicesField, isSame, type SeenPhones, seenPhonesOf } from '../../parts/seen-phones.ts';
import type { ApiKey } from './keys-query.ts';

type NewKey = Schemas['CreateKeyBody'];
type ChangedKey = Schemas['UpdateKeyBody'];

/** A key while it is edited. */
export interface KeyDraft {
  name: string;
  scope: ApiKey['scope'];
  seen: SeenPhones;
  /** URL of the webhook. Empty: there is none. */
  webhookUrl: string;
  labels: LabelsByKey;
  /** The last day on which it works, as `2027-01-31` in the person's time zone. Empty: it never expires. */
  lastDay: string;
  /** The addresses that it works from, as they are typed. Empty: from everywhere. */
  allow: string;
  /** How many requests it may make a minute. Empty: as many as the operator lets each key. */
  requestsPerMinute: number | '';
}

/** The draft of a new key. */
export const NEW_KEY: KeyDraft = {
  name: '',
  scope: 'control',
  seen: ALL_PHONES,
  webhookUrl: '',
  labels: {},
  lastDay: '',
  allow: '',
  requestsPerMinute: '',
};

/** What stands for every address in a change, as an empty list is no change. */
const EVERYWHERE = ['*'];

/** Returns the draft of a key as it is. */
export function draftOf(key: ApiKey): KeyDraft {
  const { name, scope, labels, expires_at: expiresAt, allow, requests_per_minute: most } = key;
  return {
    ...{ name, scope, labels },
    seen: seenPhonesOf(key),
    webhookUrl: key.webhook_url ?? '',
    lastDay: expiresAt === undefined ? '' : dayOf(new Date(expiresAt)),
    allow: allow.join('\n'),
    requestsPerMinute: most ?? '',
  };
}

/** Returns the body that creates a key. */
export function newKeyBody(draft: KeyDraft): NewKey {
  const { name, scope, seen, webhookUrl, labels, lastDay, requestsPerMinute } = draft;
  const allow = addressesIn(draft.allow);
  return {
    ...{ name, scope, labels },
    devices: devicesField(seen),
    ...(webhookUrl.trim() !== '' && { webhook_url: webhookUrl.trim() }),
    ...(lastDay !== '' && { expires_at: endOf(lastDay) }),
    ...(allow.length > 0 && { allow }),
    ...(requestsPerMinute !== '' && { requests_per_minute: requestsPerMinute }),
  };
}

/**
 * Returns the body that changes a key. It has only what was edited, as others may have changed the rest. Labels that the draft lacks are
 * removed.
 */
export function changedKeyBody(draft: KeyDraft, first: KeyDraft): ChangedKey {
  const { name, scope, seen, webhookUrl, labels, lastDay, requestsPerMinute } = draft;
  const changedLabels = labelChanges(labels, first.labels);
  const allow = addressesIn(draft.allow);
  return {
    ...(name !== first.name && { name }),
    ...(scope !== first.scope && { scope }),
    ...(!isSame(seen, first.seen) && { devices: devicesField(seen) }),
    ...(webhookUrl !== first.webhookUrl && { webhook_url: webhookUrl.trim() }),
    ...(Object.keys(changedLabels).length > 0 && { labels: changedLabels }),
    ...(lastDay !== first.lastDay && { expires_at: lastDay === '' ? '' : endOf(lastDay) }),
    ...(draft.allow !== first.allow && { allow: allow.length === 0 ? EVERYWHERE : allow }),
    ...(requestsPerMinute !== first.requestsPerMinute && {
      requests_per_minute: requestsPerMinute === '' ? 0 : requestsPerMinute,
    }),
  };
}

/** Returns the addresses and ranges of a text with one on each line, or with commas or spaces between them. */
export function addressesIn(text: string): string[] {
  return [...new Set(text.split(/[\s,;]+/).filter((part) => part !== ''))];
}

/** Returns the moment at which a day ends here, as the API has it. */
function endOf(day: string): string {
  return new Date(`${day}T23:59:59`).toISOString();
}

/** Returns the day of a moment here. */
export function dayOf(moment: Date): string {
  const two = (part: number): string => String(part).padStart(2, '0');
  return `${moment.getFullYear()}-${two(moment.getMonth() + 1)}-${two(moment.getDate())}`;
}
