import type { Device } from '../api/client.ts';
import { StatusBadge } from '../parts/status-badge.tsx';
import { leaseText } from '../parts/hold.ts';

/** Says that a phone is leased, or that a pool keeps it ready; by whom is in its title. Renders nothing for other phones. */
export function HoldBadge({ device: { lease, pool } }: { device: Device }) {
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
