import { useMutation } from '@tanstack/react-query';
import { api, take } from '../../api/client.ts';
import { useJobs } from '../../api/jobs.tsx';
import { phoneCount } from '../../parts/phone-count.ts';

export type PhoneStep =
  | { start: Record<string, never> }
  | { stop: Record<string, never> }
  | { restart: Record<string, never> }
  | { install: { app: string } };

/** Devices that a group may have. */
const MOST = 200;

interface Run {
  /** Its purpose: "Start". */
  word: string;
  step: PhoneStep;
  names: readonly string[];
}

/** Runs one step on phones; a phone on which it fails does not keep it from the others. */
export function useGroupRun() {
  const { follow } = useJobs();
  return useMutation({
    mutationFn: async ({ word, step, names }: Run) => {
      for (let first = 0; first < names.length; first += MOST) {
        const devices = names.slice(first, first + MOST);
        const name = `${word} ${phoneCount(devices.length)}`;
        const body = { name, devices, steps: [step], on_error: 'continue' as const };
        const { job } = await take(api.POST('/v1/groups', { body }));
        void follow(job, name);
      }
    },
  });
}
