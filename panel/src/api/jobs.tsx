import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, use, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { onJobFinished } from './account-events.ts';
import { api, ApiFault, type Job, take } from './client.ts';

/** A job that was started here, with its purpose in words: "Restarting demo". */
export interface FollowedJob {
  job: Job;
  title: string;
}

interface Jobs {
  /** The jobs that were started here and not dismissed, oldest first. */
  followed: readonly FollowedJob[];
  /** Shows the job of a 202 response until it is finished. Resolves with the finished job, also when it failed. */
  follow: (job: Job, title: string) => Promise<Job>;
  dismiss: (id: string) => void;
}

/** How often each job is polled, ms, times the number of jobs, as a session has 600 requests a minute. */
const POLL_MS = 500;
/** How long a job that is done is still shown, ms. */
const LINGER_MS = 4_000;

const JobsContext = createContext<Jobs | undefined>(undefined);

export function useJobs(): Jobs {
  const jobs = use(JobsContext);
  if (jobs === undefined) throw new Error('useJobs needs JobsProvider');
  return jobs;
}

/**
 * Polls the jobs that are started in this panel for their progress, until they are finished by their own state or by an event. Then every
 * list that a job may have changed is fetched again.
 */
export function JobsProvider({ children }: { children: ReactNode }) {
  const client = useQueryClient();
  const [followed, setFollowed] = useState<readonly FollowedJob[]>([]);
  const gone = useRef(new AbortController());
  const running = useRef(0);
  useEffect(() => {
    gone.current = new AbortController();
    return () => gone.current.abort();
  }, []);

  const dismiss = useCallback((id: string) => setFollowed((old) => old.filter(({ job }) => job.id !== id)), []);
  const follow = useCallback(
    async (started: Job, title: string) => {
      setFollowed((old) => [...old, { job: started, title }]);
      void client.invalidateQueries({ queryKey: ['devices'] });
      const { signal } = gone.current;
      let job = started;
      let finish: (job: Job) => void;
      const finished = new Promise<Job>((resolve) => (finish = resolve));
      const forget = onJobFinished((other) => other.id === started.id && finish(other));
      running.current++;
      while (job.state === 'running' && !signal.aborted) {
        const pause = new Promise<undefined>((resolve) => setTimeout(resolve, POLL_MS * running.current));
        job = (await Promise.race([finished, pause])) ?? (await fetchJob(job));
        setFollowed((old) => old.map((one) => (one.job.id === job.id ? { ...one, job } : one)));
      }
      running.current--;
      forget();
      for (const queryKey of [['devices'], ['jobs'], ['account'], ['health']])
        void client.invalidateQueries({ queryKey });
      if (job.state === 'done') setTimeout(() => dismiss(job.id), LINGER_MS);
      return job;
    },
    [client, dismiss],
  );
  const jobs = useMemo(() => ({ followed, follow, dismiss }), [followed, follow, dismiss]);
  return <JobsContext value={jobs}>{children}</JobsContext>;
}

/** Fetches a job again. Returns the job as it was when that is not possible for now. */
async function fetchJob(job: Job): Promise<Job> {
  try {
    return (await take(api.GET('/v1/jobs/{id}', { params: { path: { id: job.id } } }))).job;
  } catch (error) {
    const isLost = error instanceof ApiFault && (error.status === 404 || error.status === 401);
    return isLost ? { ...job, state: 'failed', error: { error: 'not_found', message: error.message } } : job;
  }
}
