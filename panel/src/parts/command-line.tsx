import classes from './parts.module.css';
import { CopyButton } from './copy-button.tsx';

/** A command to copy and run in a terminal, or a secret that is shown once. */
export function CommandLine({ text, what }: { text: string; what: string }) {
  return (
    <div className={classes.command}>
      <code>{text}</code>
      <CopyButton text={text} what={what} />
    </div>
  );
}
