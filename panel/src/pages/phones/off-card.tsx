import { useQuery } from '@tanstack/react-query';
import Smartphone from 'lucide-react/icons/smartphone';
import { memo } from 'react';
import { Link } from 'wouter';
import type { Device } from '../../api/client.ts';
import { plainWords } from '../../api/plain-words.ts';
import { HoldBadge } from '../../leases/hold-badge.tsx';
import { labelTexts } from '../../parts/labels.tsx';
import { PhoneMenu } from '../../parts/phone-menu.tsx';
import { PowerButton } from '../../parts/power-button.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { lastPictureQuery } from '../../pictures/last-picture.ts';
import { Picture } from '../../pictures/picture.tsx';
import { useIdentity } from '../../api/account.ts';
import classes from './phones.module.css';

/** A short card of a phone that is off. It has the last picture where this browser has one, the name, and the button that starts it. */
export const OffCard = memo(function OffCard({ device }: { device: Device }) {
  const { name, model, state, labels, problem } = device;
  const owner = useIdentity();
  const { data: kept } = useQuery(lastPictureQuery(owner, device));
  const facts = [model, ...labelTexts(labels)];
  return (
    <article className={classes.offCard} aria-label={name}>
      <Link href={`/phones/${name}`} className={classes.offPicture} tabIndex={-1} aria-label={`Open ${name}`}>
        {kept ? <Picture blob={kept.blob} alt={`Last picture of ${name}`} /> : <Smartphone size={16} aria-hidden />}
      </Link>
      <div className={classes.offAbout}>
        <h2 className={classes.name}>
          <Link href={`/phones/${name}`}>{name}</Link>
        </h2>
        <p className={classes.offFacts}>
          <StatusBadge state={state} />
          <HoldBadge device={device} />
          <span title={facts.join(' · ')}>
            {problem === undefined ? facts.join(' · ') : plainWords(problem.message)}
          </span>
        </p>
      </div>
      <PowerButton device={device} size="compact-xs" />
      <PhoneMenu device={device} />
    </article>
  );
});
