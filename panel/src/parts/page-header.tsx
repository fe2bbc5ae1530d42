import ChevronLeft from 'lucide-react/icons/chevron-left';
import { type ReactNode, useEffect, useRef } from 'react';
import { Link } from 'wouter';
import classes from './parts.module.css';
import { setPageTitle } from './window-title.ts';

interface Props {
  title: string;
  /** Content beside the title, such as the state of the thing that it names. */
  badge?: ReactNode;
  description?: ReactNode;
  /** Actions of the page; the most likely one is the last. */
  actions?: ReactNode;
  /** The page above this one. */
  back?: { href: string; label: string };
}

/** Whether a page was shown. The first page has the focus anyway. */
let hasBeenShown = false;

/** The heading of a page. It takes the focus when the page opens, so that keyboards and screen readers start there. */
export function PageHeader({ title, badge, description, actions, back }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (hasBeenShown) heading.current?.focus();
    hasBeenShown = true;
  }, []);
  useEffect(() => {
    setPageTitle(`${title} · Cloud phones`);
  }, [title]);
  return (
    <div className={classes.header}>
      <div className={classes.headerText}>
        <div className={classes.titleLine}>
          {back !== undefined && (
            <Link href={back.href} className={classes.back} aria-label={`Back to ${back.label}`}>
              <ChevronLeft size={16} aria-hidden />
              {back.label}
            </Link>
          )}
          <h1 ref={heading} tabIndex={-1} className={classes.title}>
            {title}
          </h1>
          {badge}
        </div>
        {description !== undefined && <p className={classes.description}>{description}</p>}
      </div>
      {actions !== undefined && <div className={classes.actions}>{actions}</div>}
    </div>
  );
}
