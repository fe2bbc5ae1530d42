import { useEffect } from 'react';
import { ErrorAlert } from '../../parts/error-alert.tsx';
import { LiveScreen } from '../../live/live-screen.tsx';
import type { WatchedPhone } from '../../live/watched-phone.ts';
import { PhoneKeys } from '../../live/phone-keys.tsx';
import { useLive } from '../../live/use-live.ts';
import { TextLink } from '../../parts/text-link.tsx';
import classes from './mirror.module.css';

interface Props {
  name: string;
  /** The phones that are shown; the component adds its own. */
  phones: Set<WatchedPhone>;
  /** Whether input here goes to the others, too. */
  isMirrored: boolean;
}

/** One of several live screens. */
export function MirroredScreen({ name, phones, isMirrored }: Props) {
  const live = useLive(name);
  const { phone, hasFrame, error } = live;
  useEffect(() => {
    phones.add(phone);
    return () => {
      phones.delete(phone);
    };
  }, [phones, phone]);
  useEffect(() => {
    phone.mirrorTo(() => (isMirrored ? [...phones].filter((other) => other !== phone) : []));
  }, [phones, phone, isMirrored]);
  return (
    <section aria-label={name} className={classes.screen}>
      <h2 className={classes.name}>
        <TextLink href={`/phones/${name}`}>{name}</TextLink>
      </h2>
      <LiveScreen name={name} live={live} />
      <PhoneKeys name={name} live={live} />
      {hasFrame && error !== undefined && <ErrorAlert error={new Error(error)} />}
    </section>
  );
}
