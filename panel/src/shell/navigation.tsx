import { Link, useLocation } from 'wouter';
import { PAGES, SECTIONS } from '../pages/registry.ts';
import classes from './shell.module.css';

/** The links to the pages that have a place in the navigation, by section. */
export function Navigation() {
  const [location] = useLocation();
  return SECTIONS.map((section, index) => {
    const links = PAGES.flatMap(({ path, nav }) => (nav?.section === section ? [{ path, ...nav }] : []));
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
                  <Icon size={18} aria-hidden />
                  {label}
                </Link>
              </li>
            );
          })}
        </ul>
      </div>
    );
  });
}
