import { Button } from '@mantine/core';
import { useLocation } from 'wouter';
import { useRight } from '../api/use-right.ts';
import { ErrorAlert } from '../parts/error-alert.tsx';
import rows from '../parts/rows.module.css';
import { TextLink } from '../parts/text-link.tsx';
import { TimeLeft } from '../parts/time-left.tsx';
import type { Handover } from './handover-requests.ts';
import { countWords, takenWords } from './handover-words.ts';
import classes from './handovers.module.css';
import { useHandover, useOpenHandovers } from './handovers-query.ts';

/** The phones that are handed over, each with what a program asks for. Phones that nobody has taken come first. */
export function OpenHandovers() {
  const open = useOpenHandovers();
  if (open === undefined || open.length === 0) return null;
  const waiting = open.filter(({ state }) => state === 'waiting');
  const taken = open.filter(({ state }) => state !== 'waiting');
  return (
    <section className={classes.open} aria-labelledby="open-handovers">
      <h2 id="open-handovers" className={classes.title}>
        {waiting.length > 0 ? countWords(waiting.length) : 'With a person'}
      </h2>
      <ul className={rows.list}>
        {[...waiting, ...taken].map((handover) => (
          <li key={handover.id} className={rows.row} data-state={handover.state}>
            <OpenHandover handover={handover} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function OpenHandover({ handover }: { handover: Handover }) {
  const { device, state, reason, requested_by: by, expires_at: expiresAt } = handover;
  const [, navigate] = useLocation();
  const { take } = useHandover(handover);
  const path = `/phones/${device}`;
  // People who may only look open the phone's page, and take nothing.
  const isWaiting = useRight('phones') && state === 'waiting';
  return (
    <>
      <div className={rows.text}>
        <p className={classes.rowHead}>
          <TextLink href={path}>{device}</TextLink>
          <span className={classes.quiet}>
            {takenWords(handover) ?? `for ${by}`} · <TimeLeft endMs={Date.parse(expiresAt)} />
          </span>
        </p>
        <p className={classes.shortReason}>{reason}</p>
        <ErrorAlert error={take.error} next={null} />
      </div>
      <Button
        size="compact-sm"
        variant={isWaiting ? 'light' : 'default'}
        loading={take.isPending}
        onClick={() => (isWaiting ? take.mutate(undefined, { onSuccess: () => navigate(path) }) : navigate(path))}
        aria-label={isWaiting ? `Take ${device}` : `Open ${device}, which is handed over`}
      >
        {isWaiting ? 'Take' : 'Open'}
      </Button>
    </>
  );
}
