import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import Hand from 'lucide-react/icons/hand';
import Undo2 from 'lucide-react/icons/undo-2';
import { useEffect, useRef } from 'react';
import { GiveBackDialog } from '../handovers/give-back.tsx';
import { type Handover, takeHandover } from '../handovers/handover-requests.ts';
import { takenWords } from '../handovers/handover-words.ts';
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
  const giveBack = useRef<HTMLButtonElement>(null);
  const hadFocus = useRef(false);
  const isTaken = state === 'taken';
  const isTakenByTouch = !isTaken && take.isIdle;
  const { mutate } = take;
  useEffect(() => {
    if (phone === undefined || !isTakenByTouch) return;
    phone.setOnInput(() => mutate());
    return () => phone.setOnInput(() => undefined);
  }, [phone, isTakenByTouch, mutate]);
  useEffect(() => {
    // The button that was pressed is gone. After a touch the focus stays on the screen.
    if (isTaken && hadFocus.current) giveBack.current?.focus();
  }, [isTaken]);
  return (
    <section className={classes.asked} aria-label="What you are asked to do">
      <h2 className={classes.asker}>{by} asks you</h2>
      <p className={classes.reason}>{reason}</p>
      <div className={classes.askedButtons}>
        {isTaken ? (
          <Button key="give-back" ref={giveBack} leftSection={<Undo2 size={16} />} onClick={asking.open}>
            Give back
          </Button>
        ) : (
          <Button
            key="take"
            leftSection={<Hand size={16} />}
            loading={take.isPending}
            onClick={() => {
              hadFocus.current = true;
              take.mutate();
            }}
          >
            Take
          </Button>
        )}
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
