import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, type Job, take } from '../api/client.ts';
import { useJobs } from '../api/jobs.tsx';
import { deletePhone, restartPhone, startPhone, stopPhone } from '../api/phone-requests.ts';

export type PowerOperation = 'start' | 'stop' | 'restart' | 'delete';

const DOING: Record<PowerOperation, string> = {
  start: 'Starting',
  stop: 'Stopping',
  restart: 'Restarting',
  delete: 'Deleting',
};

const REQUESTS = { start: startPhone, stop: stopPhone, restart: restartPhone, delete: deletePhone };

/** Starts, stops, restarts or deletes a phone; the job is shown until it is finished. */
export function usePower(name: string) {
  const { follow } = useJobs();
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (operation: PowerOperation): Promise<Job> => (await take(REQUESTS[operation](api, name))).job,
    onSuccess: (job, operation) => void follow(job, `${DOING[operation]} ${name}`),
    onError: () => client.invalidateQueries({ queryKey: ['devices'] }),
  });
}
