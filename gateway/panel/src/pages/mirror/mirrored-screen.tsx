import { useEffect } from 'react';
import { ErrorAlert } from '../../parts/error-alert.tsx';
import { LiveScreen } from '../../live/live-screen.tsx';
import type { LiveSession } from '../../live/live-session.ts';
import { PhoneKeys } from '../../live/phone-keys.tsx';
import { useLive } from '../../live/use-live.ts';
import { TextLink } from '../../parts/text-link.tsx';
import classes from './mirror.module.css';

interface Props {
  name: string;
  /** Those that are shown; it adds its own. */
  sessions: Set<LiveSession>;
  /** Whether input here goes to the others, too. */
  isMirrored: boolean;
}

/** One of several live screens. */
export function MirroredScreen({ name, sessions, isMirrored }: Props) {
  const live = useLive(name);
  const { session, hasFrame, error } = live;
  useEffect(() => {
    sessions.add(session);
    return () => {
      sessions.delete(session);
    };
  }, [sessions, session]);
  useEffect(() => {
    session.mirrorTo(() => (isMirrored ? [...sessions].filter((other) => other !== session) : []));
  }, [sessions, session, isMirrored]);
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
