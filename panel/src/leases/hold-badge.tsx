import type { Device } from '../api/client.ts';
import { stateWords } from '../handovers/handover-words.ts';
import { StatusBadge } from '../parts/status-badge.tsx';
import { leaseText } from '../parts/hold.ts';

/**
 * Says that a phone is handed over to a person, that it is leased, or that a pool keeps it ready; by whom is in its title. Renders nothing
 * for other phones.
 */
export function HoldBadge({ device: { lease, pool, handover } }: { device: Device }) {
  if (handover !== undefined)
    return (
      <span title={`${handover.requested_by}: ${handover.reason}`}>
        <StatusBadge state={stateWords(handover)} tone={handover.state === 'taken' ? 'work' : 'warn'} />
      </span>
    );
  if (lease !== undefined)
    return (
      <span title={leaseText(lease)}>
        <StatusBadge state="leased" tone="warn" />
      </span>
    );
  if (pool === undefined) return null;
  return (
    <span title={`Kept ready by the pool ${pool}`}>
      <StatusBadge state="in pool" tone="idle" />
    </span>
  );
}
