import { queryOptions } from '@tanstack/react-query';
import { api, ApiFault, type Schemas, take } from '../api/client.ts';

export type OwnShare = Schemas['OwnShare'];

/** The share that the page shows, and when it expires. */
export interface SharedPhone {
  share: OwnShare;
  /**
   * When the share expires, ms on the browser's clock. As that clock may be wrong, the time is computed from the seconds that were left
   * when the share was read.
   */
  expiresMs: number;
}

/** How often the share is read, ms. Ten viewers share the 60 requests a minute of a share. */
const READ_EVERY_MS = 20_000;

/** Returns the query of the share of a token. */
export function shareQuery(token: string) {
  return queryOptions({
    queryKey: ['share', token],
    queryFn: async (): Promise<SharedPhone> => {
      const headers = { authorization: `Bearer ${token}` };
      const { share } = await take(api.GET('/v1/share', { headers, credentials: 'omit' }));
      return { share, expiresMs: Date.now() + share.expires_in_s * 1_000 };
    },
    refetchInterval: ({ state }) => (isEnded(state.error) ? false : READ_EVERY_MS),
  });
}

/** Whether the share has ended, or there never was one with this token. */
export function isEnded(error: Error | null): boolean {
  return error instanceof ApiFault && error.status === 401;
}

const TOKEN = /^#(sh_[A-Za-z0-9]{43})$/;

/** Returns the token in the fragment of the page's address; undefined where it is not complete. */
export function tokenIn(fragment: string): string | undefined {
  return TOKEN.exec(fragment)?.[1];
}
