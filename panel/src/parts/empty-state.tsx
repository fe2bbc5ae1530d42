import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import classes from './parts.module.css';

interface Props {
  title: string;
  /** Whether it is the whole page, whose heading the title is then. */
  isPage?: boolean;
  icon?: LucideIcon;
  /** The purpose of this list, or why it is empty. */
  children?: ReactNode;
  /** The button that makes the first one. */
  action?: ReactNode;
}

export function EmptyState({ title, isPage = false, icon: Icon, children, action }: Props) {
  const Heading = isPage ? 'h1' : 'h2';
  return (
    <div className={classes.empty}>
      {Icon !== undefined && (
        <span className={classes.emptyIcon}>
          <Icon size={22} aria-hidden />
        </span>
      )}
      <Heading className={classes.emptyTitle}>{title}</Heading>
      {children !== undefined && <p className={classes.emptyText}>{children}</p>}
      {action}
    </div>
  );
}
