import type { ReactNode } from 'react';
import classes from './parts.module.css';

interface Props {
  title?: string;
  /** Content beside the title, such as the state of the thing that it names. */
  badge?: ReactNode;
  description?: ReactNode;
  actions?: ReactNode;
  children?: ReactNode;
}

/** A part of a page with a heading of its own. */
export function Card({ title, badge, description, actions, children }: Props) {
  return (
    <section className={classes.card} aria-label={title}>
      {title !== undefined && (
        <div className={classes.cardHead}>
          <div>
            <div className={classes.titleLine}>
              <h2 className={classes.cardTitle}>{title}</h2>
              {badge}
            </div>
            {description !== undefined && <p className={classes.cardText}>{description}</p>}
          </div>
          {actions}
        </div>
      )}
      {children}
    </section>
  );
}
