import { useEffect, useState } from 'react';
import { duration } from './time.tsx';

/** How often the time left is updated, ms. */
const TICK_MS = 1_000;

interface Props {
  /** When the time is over, ms on the browser's clock. */
  endMs: number;
  /** Is called when the time is over. */
  onOver?: () => void;
  className?: string | undefined;
}

/** The time until a moment, which goes on by itself: "9 min left". */
export function TimeLeft({ endMs, onOver, className }: Props) {
  const [now, setNow] = useState(() => Date.now());
  const leftS = Math.max(0, Math.ceil((endMs - now) / 1_000));
  const isOver = leftS === 0;
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  useEffect(() => {
    if (isOver) onOver?.();
  }, [isOver, onOver]);
  return <span className={className}>{isOver ? 'Time is over' : `${duration(leftS)} left`}</span>;
}
