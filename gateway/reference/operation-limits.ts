import { Scope } from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import type { EdgeLimits } from '../limits.js';
import type { Route } from '../routes/route.js';

/** The limits of this installation that hold for a route, each as a sentence of Markdown. */
export function limitsOf({ scope, deviceField, binding, bodyForm }: Route, limits: EdgeLimits): string[] {
  const perMinute = (count: number, of: string): string =>
    `${count.toLocaleString('en-US')} requests a minute of ${of}.`;
  const size = (bytes: number): string =>
    bytes >= GIB ? `${(bytes / GIB).toLocaleString('en-US')} GiB` : `${(bytes / 1024).toLocaleString('en-US')} KiB`;
  const isFile = bodyForm === 'stream';
  return [
    ...(scope === Scope.PUBLIC ? [perMinute(limits.strangerRequestsMax, 'an address')] : []),
    ...(scope === Scope.READ || scope === Scope.CONTROL ? [perMinute(limits.keyRequestsMax, 'a key')] : []),
    ...(scope === Scope.OWNER ? [perMinute(limits.sessionRequestsMax, 'a session')] : []),
    ...(deviceField === undefined ? [] : [perMinute(limits.deviceRequestsMax, 'all callers for a device')]),
    ...(binding.body === undefined
      ? []
      : [`A body of at most ${size(isFile ? limits.uploadMaxBytes : limits.bodyMaxBytes)}.`]),
  ];
}

const GIB = 1024 ** 3;
