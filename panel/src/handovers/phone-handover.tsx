import { CloseButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { Device } from '../api/client.ts';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { HandoverBanner } from './handover-banner.tsx';
import { endWords } from './handover-words.ts';
import classes from './handovers.module.css';
import { handoverQuery } from './handovers-query.ts';

/** The hand-over of a phone, and after it, until that is dismissed, how it has ended. Renders nothing for other phones. */
export function PhoneHandover({ device: { name, handover } }: { device: Device }) {
  const [last, setLast] = useState<string>();
  if (handover !== undefined && handover.id !== last) setLast(handover.id);
  if (handover !== undefined) return <HandoverBanner key={handover.id} handover={handover} />;
  return last === undefined ? null : <Ended key={last} device={name} id={last} onDismiss={() => setLast(undefined)} />;
}

/** Says how a hand-over that was shown has ended. It takes the focus where that was in the banner, whose place it takes. */
function Ended({ device, id, onDismiss }: { device: string; id: string; onDismiss: () => void }) {
  const { data, error } = useQuery(handoverQuery(device, id));
  const box = useRef<HTMLDivElement>(null);
  const text = data && endWords(data);
  const isShown = text !== undefined;
  useEffect(() => {
    if (isShown && document.activeElement === document.body) box.current?.focus();
  }, [isShown]);
  const note = data?.result?.note;
  return (
    <>
      <ErrorAlert error={error} />
      <div role="status">
        {isShown && (
          <div ref={box} className={classes.ended} tabIndex={-1}>
            <div className={classes.endedText}>
              <p>{text}</p>
              {note !== undefined && <p className={classes.reason}>“{note}”</p>}
            </div>
            <CloseButton aria-label="Dismiss" onClick={onDismiss} />
          </div>
        )}
      </div>
    </>
  );
}
