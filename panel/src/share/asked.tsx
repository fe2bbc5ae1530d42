import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { GiveBackDialog } from '../handovers/give-back.tsx';
import { type Handover, takeHandover } from '../handovers/handover-requests.ts';
import { takenWords } from '../handovers/handover-words.ts';
import { TakeButton } from '../handovers/take-button.tsx';
import { ErrorAlert } from '../parts/error-alert.tsx';
import type { WatchedPhone } from '../live/watched-phone.ts';
import classes from './share.module.css';

interface Props {
  token: string;
  handover: Handover;
  /** The phone's live screen; undefined while it has none. The first touch on it takes the phone too. */
  phone: WatchedPhone | undefined;
  onGivenBack: () => void;
  /** Is called when the hand-over may have changed. */
  onDoubt: () => void;
}

/** What a program asks the person with the link to do, with the buttons that take the phone and give it back. */
export function Asked({ token, handover, phone, onGivenBack, onDoubt }: Props) {
  const { device, id, state, reason, requested_by: by } = handover;
  const which = { device, id, token };
  const take = useMutation({ mutationFn: () => takeHandover(which), onSettled: onDoubt });
  const [isAsking, asking] = useDisclosure();
  // After a touch the focus stays on the screen.
  const [isPressed, setPressed] = useState(false);
  const isTaken = state === 'taken';
  const isTakenByTouch = !isTaken && take.isIdle;
  const { mutate } = take;
  useEffect(() => {
    if (phone === undefined || !isTakenByTouch) return;
    phone.setOnInput(() => mutate());
    return () => phone.setOnInput(() => undefined);
  }, [phone, isTakenByTouch, mutate]);
  return (
    <section className={classes.asked} aria-label="What you are asked to do">
      <h2 className={classes.asker}>{by} asks you</h2>
      <p className={classes.reason}>{reason}</p>
      <div className={classes.askedButtons}>
        <TakeButton
          isTaken={isTaken}
          movesFocus={isPressed}
          isTaking={take.isPending}
          onTake={() => {
            setPressed(true);
            take.mutate();
          }}
          onGiveBack={asking.open}
        />
        <p className={classes.hint}>
          {isTaken
            ? `${takenWords(handover) ?? ''} Give it back when you are done.`
            : `Until you give it back, ${by} waits.`}
        </p>
      </div>
      <ErrorAlert error={take.error} next={null} />
      <GiveBackDialog
        which={which}
        asker={by}
        opened={isAsking}
        onClose={asking.close}
        onSettled={(isDone) => (isDone ? onGivenBack() : onDoubt())}
      />
    </section>
  );
}
