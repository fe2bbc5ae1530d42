import { Button } from '@mantine/core';
import Hand from 'lucide-react/icons/hand';
import Undo2 from 'lucide-react/icons/undo-2';
import { useEffect, useRef } from 'react';

interface Props {
  isTaken: boolean;
  /** Whether this person took the phone by a button, which is gone then. "Give back" takes the focus in its place. */
  movesFocus: boolean;
  isTaking: boolean;
  onTake: () => void;
  onGiveBack: () => void;
  /** The words of "Take" for screen readers. Absent: those on it. */
  takeLabel?: string;
}

/** The button that takes a phone, and, once it is taken, the one that gives it back. */
export function TakeButton({ isTaken, movesFocus, isTaking, onTake, onGiveBack, takeLabel }: Props) {
  const giveBack = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (isTaken && movesFocus) giveBack.current?.focus();
  }, [isTaken, movesFocus]);
  if (isTaken) {
    return (
      <Button key="give-back" ref={giveBack} leftSection={<Undo2 size={16} />} onClick={onGiveBack}>
        Give back
      </Button>
    );
  }
  return (
    <Button
      key="take"
      leftSection={<Hand size={16} />}
      loading={isTaking}
      onClick={onTake}
      {...(takeLabel !== undefined && { 'aria-label': takeLabel })}
    >
      Take
    </Button>
  );
}
