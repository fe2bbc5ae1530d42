import type { Context } from '../context.js';
import { isOverHttps } from './session-cookie.js';

/** Where the customer reaches this service: `publicUrl`, else the address of the request. Its Host header was checked (check-host.ts). */
export function originOf(ctx: Context, publicUrl: URL | undefined): string {
  return publicUrl?.origin ?? `${isOverHttps(ctx, publicUrl) ? 'https' : 'http'}://${ctx.req.headers.host ?? ''}`;
}
