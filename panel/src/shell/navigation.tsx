import ArrowUpRight from 'lucide-react/icons/arrow-up-right';
import BookOpen from 'lucide-react/icons/book-open';
import { Link, useLocation } from 'wouter';
import { countWords } from '../handovers/handover-words.ts';
import { useWaitingCount } from '../handovers/waiting-notice.tsx';
import { DOCS } from '../pages/docs.ts';
import { HOME, SECTIONS } from '../pages/registry.ts';
import { useOfferedPages } from '../pages/shown-pages.ts';
import classes from './shell.module.css';

/** The links to the pages that have a place in the navigation, by section, and below them the documentation. */
export function Navigation() {
  const [location] = useLocation();
  const pages = useOfferedPages();
  const waiting = useWaitingCount();
  return (
    <>
      {SECTIONS.map((section, index) => {
        const links = pages.flatMap(({ path, nav }) => (nav?.section === section ? [{ path, ...nav }] : []));
        if (links.length === 0) return null;
        return (
          <div key={section}>
            {index > 0 && (
              <p className={classes.heading} id={`nav-${section}`}>
                {section}
              </p>
            )}
            <ul className={classes.section} aria-label={section}>
              {links.map(({ path, label, icon: Icon }) => {
                const isHere = location === path || location.startsWith(`${path}/`);
                return (
                  <li key={path}>
                    <Link href={path} className={classes.link} aria-current={isHere ? 'page' : undefined}>
                      <Icon size={16} aria-hidden />
                      {label}
                      {path === HOME && waiting > 0 && <WaitingBadge count={waiting} />}
                    </Link>
                  </li>
                );
              })}
            </ul>
          </div>
        );
      })}
      <ul className={classes.section} aria-label="Help">
        <li>
          <a href={DOCS.path} target="_blank" rel="noreferrer" className={classes.link}>
            <BookOpen size={16} aria-hidden />
            {DOCS.label}
            <ArrowUpRight size={14} className={classes.away} aria-hidden />
          </a>
        </li>
      </ul>
    </>
  );
}

/** How many phones need a person: a number for the eye, and words for screen readers. */
function WaitingBadge({ count }: { count: number }) {
  return (
    <span className={classes.count}>
      <span aria-hidden>{count}</span>
      <span className="visually-hidden">, {countWords(count)}</span>
    </span>
  );
}
