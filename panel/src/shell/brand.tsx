import classes from './shell.module.css';

export function Brand() {
  return (
    <span className={classes.brand}>
      <svg viewBox="0 0 32 32" width="24" height="24" aria-hidden="true">
        <rect width="32" height="32" rx="8" fill="#3b5bdb" />
        <rect x="10" y="5" width="12" height="22" rx="3" fill="#fff" />
        <rect x="12" y="8" width="8" height="14" rx="1" fill="#3b5bdb" />
        <circle cx="16" cy="24.5" r="1.1" fill="#3b5bdb" />
      </svg>
      <span className={classes.brandName}>Cloud phones</span>
    </span>
  );
}
