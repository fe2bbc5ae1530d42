import type { ReactNode } from 'react';
import classes from './parts.module.css';

interface Props {
  title?: string;
  description?: ReactNode;
  actions?: ReactNode;
  children?: ReactNode;
}

/** A part of a page with a heading of its own. */
export function Card({ title, description, actions, children }: Props) {
  return (
    <section className={classes.card} aria-label={title}>
      {title !== undefined && (
        <div className={classes.cardHead}>
          <div>
            <h2 className={classes.cardTitle}>{title}</h2>
            {description !== undefined && <p className={classes.cardText}>{description}</p>}
          </div>
          {actions}
        </div>
      )}
      {children}
    </section>
  );
}
