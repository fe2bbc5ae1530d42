import { useEffect } from 'react';
import { useRight } from '../../api/use-right.ts';
import { ActionBar } from '../../parts/action-bar.tsx';
import { ErrorAlert } from '../../parts/error-alert.tsx';
import { LiveScreen } from '../../live/live-screen.tsx';
import type { WatchedPhone } from '../../live/watched-phone.ts';
import { phoneKeys } from '../../live/phone-keys.ts';
import { useLive } from '../../live/use-live.ts';
import { TextLink } from '../../parts/text-link.tsx';
import classes from './mirror.module.css';

interface Props {
  name: string;
  /** The phones that are shown; the component adds its own. */
  phones: Set<WatchedPhone>;
  /** Whether input here also goes to the others. */
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
  const keys = phoneKeys(name, phone);
  const mayChange = useRight('phones');
  return (
    <section aria-label={name} className={classes.screen}>
      <h2 className={classes.name}>
        <TextLink href={`/phones/${name}`}>{name}</TextLink>
      </h2>
      <LiveScreen name={name} live={live} isWatchOnly={!mayChange} />
      {mayChange && <ActionBar label={`Buttons of ${name}`} actions={[...keys.navigation, keys.type, ...keys.side]} />}
      {hasFrame && error !== undefined && <ErrorAlert error={new Error(error)} />}
    </section>
  );
}
