import type { Client } from '@connectrpc/connect';
import type { EventService } from '../../../proto/gen/cloudphone/webhook/v1/event_service_pb.js';
import { KEY_EXPIRING_MS } from '../../accounts/limits.js';
import type { KeyDocument } from '../../store/keys.js';
import type { HistoryContext } from '../history-context.js';
import { PUBLISH_TIMEOUT_MS } from '../limits.js';
import { keyExpiringPayload } from './event-payload.js';
import { publishEach } from './publish-each.js';

/**
 * Publishes `key.expiring` of each key that stops working within a week, once for each end that it gets. It goes to the stream of the account,
 * and to the webhook of the key alone. Publishing it again after a crash is harmless, as its id stays the same.
 */
export async function publishExpiringKeys(
  {
    keys,
    events,
    clock,
    log,
  }: Pick<HistoryContext, 'keys' | 'clock' | 'log'> & {
    events: Pick<Client<typeof EventService>, 'publish'> | undefined;
  },
  signal: AbortSignal,
): Promise<void> {
  const nowMs = clock.now();
  await keys.claimExpiring(new Date(nowMs), new Date(nowMs + KEY_EXPIRING_MS));
  const publish = async (key: KeyDocument): Promise<void> => {
    const id = `${key._id}-${key.expiresAt?.getTime() ?? 0}`;
    const place = { accountId: key.accountId, device: '', deviceCreatedBy: key._id, onlyCreator: true };
    const event = { id, type: 'key.expiring', ...place, payload: keyExpiringPayload(key) };
    await events?.publish({ event }, { timeoutMs: PUBLISH_TIMEOUT_MS, signal });
  };
  await publishEach(keys.eventsPending(), { publish, note: (key) => keys.eventPublished(key) }, { signal, log });
}
