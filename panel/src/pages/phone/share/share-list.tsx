import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, take } from '../../../api/client.ts';
import { useDevice } from '../../../api/devices.ts';
import { ErrorAlert } from '../../../parts/error-alert.tsx';
import { Fetched } from '../../../parts/fetched.tsx';
import forms from '../../../parts/forms.module.css';
import rows from '../../../parts/rows.module.css';
import { Moment, RecentMoment } from '../../../parts/time.tsx';
import { StatusBadge } from '../../../parts/status-badge.tsx';
import { sharesQuery, type Share, type Viewers, viewersQuery } from './shares-query.ts';
import classes from './share.module.css';

/** The links to a phone that have not ended, each with a button that ends it. */
export function ShareList({ name }: { name: string }) {
  const query = useQuery(sharesQuery(name));
  const { data: device } = useDevice(name);
  const { data: viewers } = useQuery({ ...viewersQuery(name), enabled: device?.state === 'running' });
  const watching = device?.state === 'running' ? viewers : undefined;
  return (
    <section aria-labelledby="links-now" className={classes.links}>
      <h3 id="links-now" className={classes.title}>
        Links that work now
      </h3>
      <Fetched query={query} what="the links">
        {(shares) =>
          shares.length === 0 ? (
            <p className={forms.quiet}>There are none.</p>
          ) : (
            <ul className={rows.list}>
              {shares.map((share) => (
                <OneShare
                  key={share.id}
                  name={name}
                  share={share}
                  viewers={watching?.find((one) => one.share === share.id)}
                />
              ))}
            </ul>
          )
        }
      </Fetched>
    </section>
  );
}

function OneShare({ name, share, viewers }: { name: string; share: Share; viewers: Viewers | undefined }) {
  const client = useQueryClient();
  const { id, access, created_by: by, created_at, expires_at, last_used_at } = share;
  const end = useMutation({
    mutationFn: () => take(api.DELETE('/v1/devices/{name}/shares/{id}', { params: { path: { name, id } } })),
    // The list is fetched also after a refusal, as the share may have ended meanwhile.
    onSettled: () => client.invalidateQueries({ queryKey: sharesQuery(name).queryKey }),
  });
  return (
    <li className={`${rows.row} ${classes.share}`}>
      <div className={`${rows.text} ${classes.text}`}>
        <strong>{access === 'control' ? 'Watch, touch and type' : 'Watch'}</strong>, until <Moment at={expires_at} />
        {viewers !== undefined && (
          <p className={classes.watching}>
            <StatusBadge state="watching" tone="good">
              {viewers.count === 1 ? '1 person watches now' : `${viewers.count} people watch now`}
            </StatusBadge>{' '}
            since <RecentMoment at={viewers.since} />
          </p>
        )}
        <p className={forms.quiet}>
          Made by {by}, <Moment at={created_at} />.{' '}
          {last_used_at === undefined ? (
            'Nobody has opened it yet.'
          ) : (
            <>
              Last opened <Moment at={last_used_at} />.
            </>
          )}
        </p>
        <ErrorAlert error={end.error} />
      </div>
      <Button
        variant="light"
        color="red"
        size="compact-sm"
        loading={end.isPending}
        onClick={() => end.mutate()}
        aria-label={`End the link made by ${by}, id ${id}`}
      >
        End
      </Button>
    </li>
  );
}
