import { Loader } from '@mantine/core';
import { useEffect, useState } from 'react';
import classes from './parts.module.css';

/** Delay before the loader is shown, ms: flicker is worse than waiting. */
const PATIENCE_MS = 250;

export function Loading({ what }: { what: string }) {
  const [isSlow, setIsSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsSlow(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className={classes.loading} role="status">
      {isSlow && <Loader size="sm" aria-hidden />}
      <span className="visually-hidden">Loading {what}</span>
    </div>
  );
}
