import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, type Job, take } from '../api/client.ts';
import { useJobs } from '../api/jobs.tsx';

export type PowerOperation = 'start' | 'stop' | 'restart' | 'delete';

const DOING: Record<PowerOperation, string> = {
  start: 'Starting',
  stop: 'Stopping',
  restart: 'Restarting',
  delete: 'Deleting',
};

/** Starts, stops, restarts or deletes a phone; the job is shown until it is finished. */
export function usePower(name: string) {
  const { follow } = useJobs();
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (operation: PowerOperation): Promise<Job> => (await request(name, operation)).job,
    onSuccess: (job, operation) => void follow(job, `${DOING[operation]} ${name}`),
    onError: () => client.invalidateQueries({ queryKey: ['devices'] }),
  });
}

function request(name: string, operation: PowerOperation): Promise<{ job: Job }> {
  const at = { params: { path: { name } } };
  switch (operation) {
    case 'start':
      return take(api.POST('/v1/devices/{name}/start', at));
    case 'stop':
      return take(api.POST('/v1/devices/{name}/stop', at));
    case 'restart':
      return take(api.POST('/v1/devices/{name}/restart', at));
    case 'delete':
      return take(api.DELETE('/v1/devices/{name}', at));
  }
}
