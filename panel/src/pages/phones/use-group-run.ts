import { useMutation } from '@tanstack/react-query';
import { api, take } from '../../api/client.ts';
import { useJobs } from '../../api/jobs.tsx';
import { phoneCount } from '../../parts/phone-count.ts';

export type PhoneStep =
  | { start: Record<string, never> }
  | { stop: Record<string, never> }
  | { restart: Record<string, never> }
  | { install: { app: string } };

/** Most devices of one group job; more devices are split into several jobs. */
const MAX_DEVICES = 200;

interface Run {
  /** The purpose of the run, as a verb such as "Start". */
  word: string;
  step: PhoneStep;
  names: readonly string[];
}

/** Runs one step on phones. A phone on which it fails does not keep the others from running it. */
export function useGroupRun() {
  const { follow } = useJobs();
  return useMutation({
    mutationFn: async ({ word, step, names }: Run) => {
      for (let first = 0; first < names.length; first += MAX_DEVICES) {
        const devices = names.slice(first, first + MAX_DEVICES);
        const name = `${word} ${phoneCount(devices.length)}`;
        const body = { name, devices, steps: [step], on_error: 'continue' as const };
        const { job } = await take(api.POST('/v1/groups', { body }));
        void follow(job, name);
      }
    },
  });
}
