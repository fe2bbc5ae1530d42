import { Paper } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { setPageTitle } from '../parts/window-title.ts';
import { Brand } from '../shell/brand.tsx';
import classes from './sign-in.module.css';

interface Props {
  title: string;
  description?: ReactNode;
  /** Content below the box, such as a link to another page. */
  below?: ReactNode;
  children: ReactNode;
}

/** The frame of a page for people who are not signed in. Its heading takes the focus when its title changes. */
export function PublicPage({ title, description, below, children }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  const shown = useRef(title);
  useEffect(() => {
    setPageTitle(`${title} · Cloud phones`);
    if (shown.current !== title) heading.current?.focus();
    shown.current = title;
  }, [title]);
  return (
    <main className={classes.page}>
      <div className={classes.column}>
        <Brand />
        <Paper withBorder radius="lg" p="xl" shadow="sm">
          <h1 ref={heading} tabIndex={-1} className={classes.title}>
            {title}
          </h1>
          {description !== undefined && <p className={classes.description}>{description}</p>}
          {children}
        </Paper>
        {below}
      </div>
    </main>
  );
}
