import Unlink from 'lucide-react/icons/unlink';
import { type ReactNode, useEffect, useRef } from 'react';
import classes from './share.module.css';

/** In place of a phone: why the link shows none, and what to do. Takes the focus, as it may replace a screen that had it. */
export function Ended({ title, children }: { title: string; children: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = title;
    heading.current?.focus();
  }, [title]);
  return (
    <main className={classes.ended}>
      <Unlink size={28} aria-hidden />
      <h1 ref={heading} tabIndex={-1} className={classes.endedTitle}>
        {title}
      </h1>
      <p className={classes.endedText}>{children}</p>
    </main>
  );
}
