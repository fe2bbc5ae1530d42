import { Button } from '@mantine/core';
import { PublicPage } from './public-page.tsx';

/** Shown in place of a page whose link is not complete, was used, or has ended. `again`: what to do to get another one. */
export function BadLink({ isComplete, again }: { isComplete: boolean; again: string }) {
  return (
    <PublicPage
      title={isComplete ? 'This link does not work any more' : 'This link is not complete'}
      description={
        isComplete
          ? `It was used, was withdrawn, or its time is over. ${again}`
          : 'Its last part is missing or was changed. Copy the whole link, as it was sent to you, into the address bar.'
      }
    >
      <Button component="a" href="/" variant="default" fullWidth>
        Go to the panel
      </Button>
    </PublicPage>
  );
}
