import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import classes from './parts.module.css';

interface Props {
  title: string;
  icon?: LucideIcon;
  /** The purpose of this list, or why it is empty. */
  children?: ReactNode;
  /** The button that makes the first one. */
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
