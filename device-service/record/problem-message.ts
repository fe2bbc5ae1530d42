import { timestampFromDate } from '@bufbuild/protobuf/wkt';

/** Returns a problem as callers see it. */
export function problemMessage({ kind, message, since }: { kind: string; message: string; since: Date }) {
  return { kind, message, since: timestampFromDate(since) };
}
