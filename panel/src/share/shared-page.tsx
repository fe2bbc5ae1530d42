import { useQuery } from '@tanstack/react-query';
import Check from 'lucide-react/icons/check';
import Unlink from 'lucide-react/icons/unlink';
import { type ReactNode, useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { Loading } from '../parts/loading.tsx';
import { setPageTitle } from '../parts/window-title.ts';
import { isEnded, shareQuery, tokenIn } from './own-share.ts';
import { SharedScreen } from './shared-screen.tsx';
import classes from './share.module.css';

/** The page that a share's link opens: one phone's live screen, for people who need not be signed in. */
export default function SharedPage() {
  const token = useSyncExternalStore(onFragment, () => tokenIn(location.hash));
  if (token === undefined) {
    return (
      <Ended title="This link is not complete">
        Its last part is missing or was changed. Copy the whole link, as it was sent to you, into the address bar.
      </Ended>
    );
  }
  return <Shared key={token} token={token} />;
}

/** The error of the time left, ms: it comes in whole seconds, and a moment after it was read. */
const ROUNDED_MS = 2_000;

function Shared({ token }: { token: string }) {
  const [isGivenBack, setGivenBack] = useState(false);
  const { data, error, errorUpdatedAt, refetch } = useQuery({ ...shareQuery(token), enabled: !isGivenBack });
  const readAgain = useCallback(() => void refetch(), [refetch]);
  if (isGivenBack) {
    return (
      <Ended title="Given back" isDone>
        You can close this page.
      </Ended>
    );
  }
  if (isEnded(error)) {
    if (data === undefined) {
      return (
        <Ended title="This link has ended">
          Its time is over, the phone was given back, or it was ended by those who sent it. Ask them for a new one, if
          you need it.
        </Ended>
      );
    }
    const { device, handover } = data.share;
    const isOver = data.expiresMs <= errorUpdatedAt + ROUNDED_MS;
    if (handover !== undefined) {
      return (
        <Ended title={isOver ? 'The time is over' : 'This has ended'}>
          {isOver
            ? `${device} went back to ${handover.requested_by}.`
            : `${device} was given back by somebody else, or is not needed any more.`}{' '}
          You can close this page.
        </Ended>
      );
    }
    return (
      <Ended title={isOver ? 'The time of this link is over' : 'This link was ended'}>
        {device} is not shown any more. Ask those who sent the link for a new one.
      </Ended>
    );
  }
  if (data === undefined) {
    return error === null ? (
      <Loading what="the phone" />
    ) : (
      <main className={classes.ended}>
        <h1 className="visually-hidden">A phone&rsquo;s screen</h1>
        <ErrorAlert error={error} onRetry={readAgain} />
      </main>
    );
  }
  return <SharedScreen token={token} shared={data} onDoubt={readAgain} onGivenBack={() => setGivenBack(true)} />;
}

function onFragment(notify: () => void): () => void {
  addEventListener('hashchange', notify);
  return () => removeEventListener('hashchange', notify);
}

interface EndedProps {
  title: string;
  /** Whether it ended because the person has done what was asked. Absent: no. */
  isDone?: boolean;
  children: ReactNode;
}

/** Shows, in place of a phone, why the link shows none, and what to do. It takes the focus, as it may replace a screen that had it. */
function Ended({ title, isDone = false, children }: EndedProps) {
  const Icon = isDone ? Check : Unlink;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    setPageTitle(title);
    heading.current?.focus();
  }, [title]);
  return (
    <main className={classes.ended}>
      <Icon size={28} aria-hidden />
      <h1 ref={heading} tabIndex={-1} className={classes.endedTitle}>
        {title}
      </h1>
      <p className={classes.endedText}>{children}</p>
    </main>
  );
}
