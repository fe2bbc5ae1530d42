import type { Device } from '../api/client.ts';
import { TextLink } from '../parts/text-link.tsx';
import { HOLD_ID } from './changing.tsx';
import { EndLeaseButton } from './end-lease-button.tsx';
import { holdOf, leaseText } from '../parts/hold.ts';
import classes from './leases.module.css';

/** Says who holds a phone, and until when. Renders nothing for a phone that is free. */
export function HoldBanner({ device }: { device: Device }) {
  const { lease, pool } = device;
  if (lease === undefined && pool === undefined) return null;
  return (
    <section className={classes.banner} aria-label="Lease">
      <p id={HOLD_ID}>
        {lease === undefined ? `Kept ready by the pool ${pool}` : leaseText(lease)}
        {holdOf(device) !== undefined && (
          <small>
            You can watch it, and read its files and logs.{' '}
            {pool !== undefined && <TextLink href={`/pools/${pool}`}>See the pool {pool}</TextLink>}
          </small>
        )}
      </p>
      {lease !== undefined && <EndLeaseButton lease={lease} />}
    </section>
  );
}
