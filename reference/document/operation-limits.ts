import { Scope } from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import { EDGE_LIMITS } from '../../gateway/limits.js';
import type { Route } from '../../gateway/routes/route.js';
import type { SlotTexts } from '../../gateway/slots.js';

/** The limits of this installation that hold for a route, each as a sentence of Markdown. */
export function limitsOf({ scope, deviceField, binding, bodyForm }: Route, texts: SlotTexts): string[] {
  const grouped = (count: number): string => count.toLocaleString('en-US');
  const perMinute = (count: string, of: string): string => `${count} requests a minute of ${of}.`;
  const size = (bytes: number): string =>
    bytes >= GIB ? `${grouped(bytes / GIB)} GiB` : `${grouped(bytes / 1024)} KiB`;
  const isFile = bodyForm === 'stream';
  return [
    ...(scope === Scope.PUBLIC ? [perMinute(grouped(EDGE_LIMITS.maxAnonymousRequests), 'an address')] : []),
    ...(scope === Scope.READ || scope === Scope.CONTROL ? [perMinute(texts.keyRequestsGrouped, 'a key')] : []),
    ...(scope === Scope.PERSON ? [perMinute(grouped(EDGE_LIMITS.maxSessionRequests), 'a session')] : []),
    ...(deviceField === undefined ? [] : [perMinute(texts.deviceRequestsGrouped, 'all callers for a device')]),
    ...(binding.body === undefined
      ? []
      : [`A body of at most ${size(isFile ? EDGE_LIMITS.maxUploadBytes : EDGE_LIMITS.maxBodyBytes)}.`]),
  ];
}

const GIB = 1024 ** 3;
