import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { DeviceProblem } from '../store/device-document.js';

/** Returns a problem as callers see it. */
export function problemMessage({ kind, message, since }: DeviceProblem) {
  return { kind, message, since: timestampFromDate(since) };
}
