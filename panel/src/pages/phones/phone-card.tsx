import { memo } from 'react';
import { Link } from 'wouter';
import type { Device } from '../../api/client.ts';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { duration } from '../../parts/time.tsx';
import { PhoneMenu } from '../../parts/phone-menu.tsx';
import { PowerButton } from '../../parts/power-button.tsx';
import { Labels } from '../../parts/labels.tsx';
import { Thumbnail } from './thumbnail.tsx';
import classes from './phones.module.css';

/** A phone in the grid: its screen, its state, and its most frequent actions. Drawn again only when it changed: there may be hundreds. */
export const PhoneCard = memo(function PhoneCard({ device, pollMs }: { device: Device; pollMs: number }) {
  const { name, model, android, state, exit, uptime, problem } = device;
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
          <PhoneMenu device={device} />
        </div>
        <div className={classes.line}>
          <StatusBadge state={state} />
          <PowerButton device={device} size="compact-xs" />
        </div>
        <p className={classes.facts}>
          {model} · Android {android}
          <br />
          {exit.type} {exit.country.toUpperCase()}
          {state === 'running' && ` · up ${duration(uptime)}`}
        </p>
        <Labels of={device.name} labels={device.labels} />
        {problem !== undefined && <p className={classes.problem}>{problem.message}</p>}
      </div>
    </article>
  );
});
