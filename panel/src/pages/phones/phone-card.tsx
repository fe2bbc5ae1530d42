import { memo } from 'react';
import { Link } from 'wouter';
import type { Device } from '../../api/client.ts';
import { plainWords } from '../../api/plain-words.ts';
import { HoldBadge } from '../../leases/hold-badge.tsx';
import { Labels } from '../../parts/labels.tsx';
import { PhoneMenu } from '../../parts/phone-menu.tsx';
import { PowerButton } from '../../parts/power-button.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { duration } from '../../parts/time.tsx';
import { Thumbnail } from './thumbnail.tsx';
import classes from './phones.module.css';

/**
 * A card of a phone that is on: its screen, its state, and its most frequent actions. It is rendered again only when the phone changed, as
 * there may be hundreds.
 */
export const PhoneCard = memo(function PhoneCard({ device, pollMs }: { device: Device; pollMs: number }) {
  const { name, model, state, exit, uptime, problem } = device;
  return (
    <article className={classes.card} aria-label={name}>
      <Link href={`/phones/${name}`} className={classes.screen} aria-label={`Open ${name}`}>
        <Thumbnail device={device} pollMs={pollMs} />
      </Link>
      <div className={classes.about}>
        <div className={classes.line}>
          <h2 className={classes.name}>
            <Link href={`/phones/${name}`}>{name}</Link>
          </h2>
          <span className={classes.buttons}>
            <PowerButton device={device} size="compact-xs" look="icon" />
            <PhoneMenu device={device} />
          </span>
        </div>
        <p className={classes.facts}>
          <StatusBadge state={state} />
          <HoldBadge device={device} />
          {state === 'running' && <span>{duration(uptime)}</span>}
        </p>
        <p className={classes.facts}>
          {model} · {exit.type} {exit.country.toUpperCase()}
        </p>
        <Labels of={device.name} labels={device.labels} />
        {problem !== undefined && <p className={classes.problem}>{plainWords(problem.message)}</p>}
      </div>
    </article>
  );
});
