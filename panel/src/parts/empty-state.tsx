import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import classes from './parts.module.css';

interface Props {
  title: string;
  /** Whether it is the whole page. Then its title is the heading of the page. */
  isPage?: boolean;
  icon?: LucideIcon;
  /** The purpose of this list, or why it is empty. */
  children?: ReactNode;
  /** The button that creates the first entry. */
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
