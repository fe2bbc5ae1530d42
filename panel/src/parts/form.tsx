import { type ReactNode, useEffect, useRef } from 'react';

interface Props {
  onSubmit: () => void;
  /** The error of a refused form: the first field with an error gets the focus. */
  error?: Error | null;
  className?: string | undefined;
  children: ReactNode;
}

/** A form that the panel submits itself. The browser checks the fields first: `required` ones, numbers and URLs. */
export function Form({ onSubmit, error = null, className, children }: Props) {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (error !== null) form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  }, [error]);
  return (
    <form
      ref={form}
      className={className}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {children}
    </form>
  );
}
