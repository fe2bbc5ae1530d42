import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import classes from './parts.module.css';

interface Props {
  title: string;
  icon?: LucideIcon;
  /** What this is for, or why there is nothing. */
  children?: ReactNode;
  /** What makes the first one. */
  action?: ReactNode;
}

export function EmptyState({ title, icon: Icon, children, action }: Props) {
  return (
    <div className={classes.empty}>
      {Icon !== undefined && (
        <span className={classes.emptyIcon}>
          <Icon size={22} aria-hidden />
        </span>
      )}
      <h2 className={classes.emptyTitle}>{title}</h2>
      {children !== undefined && <p className={classes.emptyText}>{children}</p>}
      {action}
    </div>
  );
}
