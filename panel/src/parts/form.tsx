import type { ReactNode } from 'react';

interface Props {
  onSubmit: () => void;
  className?: string | undefined;
  children: ReactNode;
}

/** A form that the panel submits itself. The browser checks the fields first: `required` ones, numbers and URLs. */
export function Form({ onSubmit, className, children }: Props) {
  return (
    <form
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
