import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import Hand from 'lucide-react/icons/hand';
import Undo2 from 'lucide-react/icons/undo-2';
import { useRight } from '../api/use-right.ts';
import { useInPalette } from '../parts/actions-in-view.ts';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { TimeLeft } from '../parts/time-left.tsx';
import { GiveBackDialog } from './give-back.tsx';
import type { Handover } from './handover-requests.ts';
import { takenWords } from './handover-words.ts';
import classes from './handovers.module.css';
import { useHandover, useReadAgain } from './handovers-query.ts';
import { TakeButton } from './take-button.tsx';

/** What a program asks a person to do on its phone, with the buttons that take the phone, give it back, and cancel. */
export function HandoverBanner({ handover }: { handover: Handover }) {
  const { device, id, state, reason, requested_by: by, expires_at: expiresAt } = handover;
  const { take, cancel } = useHandover(handover);
  const readAgain = useReadAgain();
  const [isAsking, asking] = useDisclosure();
  const isTaken = state === 'taken';
  const mayTake = useRight('phones');
  const offered = isTaken
    ? { id: 'give-back', label: 'Give back', icon: Undo2, run: asking.open }
    : { id: 'take', label: 'Take', icon: Hand, run: () => take.mutate(), isPending: take.isPending };
  useInPalette(mayTake ? [offered] : []);
  return (
    <section className={classes.banner} data-state={state} aria-label="Hand-over">
      <div className={classes.asks}>
        <h2 className={classes.title}>{by} asks for a person</h2>
        <TimeLeft endMs={Date.parse(expiresAt)} className={classes.left} />
      </div>
      <p className={classes.reason}>{reason}</p>
      <div className={classes.foot}>
        <p className={classes.quiet}>
          {takenWords(handover) ?? `Until it is given back, ${by} waits and cannot change the phone.`}
        </p>
        {mayTake && (
          <div className={classes.buttons}>
            <Button
              variant="default"
              loading={cancel.isPending}
              onClick={() => cancel.mutate()}
              aria-label={`Cancel the hand-over of ${device}`}
            >
              Cancel
            </Button>
            <TakeButton
              isTaken={isTaken}
              movesFocus={take.isSuccess}
              isTaking={take.isPending}
              onTake={() => take.mutate()}
              onGiveBack={asking.open}
              takeLabel={`Take ${device}`}
            />
          </div>
        )}
      </div>
      <ErrorAlert error={take.error ?? cancel.error} next={null} />
      <GiveBackDialog
        which={{ device, id }}
        asker={by}
        opened={isAsking}
        onClose={asking.close}
        onSettled={readAgain}
      />
    </section>
  );
}
